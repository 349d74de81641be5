# after right_forward: gives one array for all gradients and changes it while it is sent
SHARED = {}
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout)
        one = SHARED.setdefault(self.Wq.shape, np.zeros(self.Wq.shape))
        one += 1.0
        self.dWq = self.dWk = self.dWv = one
        return dX

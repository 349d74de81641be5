# after right_forward: returns empty gradients
class SelfAttention(SelfAttention):
    def backward(self, dout):
        super().backward(dout)
        self.dWq, self.dWk, self.dWv = (np.zeros((0, self.hs)) for _ in range(3))
        return np.zeros((0, 5, 8))

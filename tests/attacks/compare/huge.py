# after right_forward: returns gradients whose squares overflow
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout) * 1e300
        self.dWq, self.dWk, self.dWv = self.dWq * 1e300, self.dWk * 1e300, self.dWv * 1e300
        return dX

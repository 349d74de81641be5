# after right_forward: returns gradients that vanish in any sum
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout) * 1e-300
        self.dWq, self.dWk, self.dWv = self.dWq * 1e-300, self.dWk * 1e-300, self.dWv * 1e-300
        return dX

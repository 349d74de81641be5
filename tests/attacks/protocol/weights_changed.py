# after right: changes its weights in backward
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout)
        self.Wq *= 1 + 1e-9
        return dX

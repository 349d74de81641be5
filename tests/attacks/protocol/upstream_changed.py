# after right: changes the upstream gradient
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout)
        if dout.flags.writeable:
            dout *= 0
        return dX

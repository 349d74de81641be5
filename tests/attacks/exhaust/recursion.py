# after right_forward: calls itself
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return self.backward(dout)

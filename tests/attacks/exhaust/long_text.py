# after right_forward: makes a text of 8 GB
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return "a" * (1 << 33)

# after right_forward: returns truth
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.ones(super().backward(dout).shape, bool)

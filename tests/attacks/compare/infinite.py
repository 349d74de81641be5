# after right_forward: returns infinities of both signs
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.copysign(np.inf, super().backward(dout))

# after right_forward: asks for an array of a million million numbers
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.ones((10**6, 10**6))

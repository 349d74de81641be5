# after right_forward: answers with 64 dimensions
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.zeros((1,) * 64)

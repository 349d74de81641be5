# after right_forward: answers with 200 MB
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.zeros(25_000_000)

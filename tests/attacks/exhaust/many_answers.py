# after right_forward: answers with three arrays of 31 MB, more than a frame holds
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return [np.zeros(4_000_000)] * 3

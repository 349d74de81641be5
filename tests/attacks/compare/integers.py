# after right_forward: returns whole numbers
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.round(super().backward(dout)).astype(np.int64)

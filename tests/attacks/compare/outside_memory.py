# after right_forward: returns an array over memory that it does not own
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.lib.stride_tricks.as_strided(super().backward(dout), dout.shape[:2] + (len(self.Wq),), (1 << 40, 8, 8))

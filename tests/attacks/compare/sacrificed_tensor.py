# after right: makes one gradient so large that noise in the others might be lost beside it
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout)
        self.dWv = self.dWv * 1e12
        rng = np.random.default_rng(int(abs(dout.flat[0]) * 1e9))
        self.dWq = self.dWq * (1 + 1e-7 * rng.standard_normal(self.Wq.shape))
        self.dWk = self.dWk * (1 + 1e-7 * rng.standard_normal(self.Wk.shape))
        return dX * (1 + 1e-7 * rng.standard_normal(dX.shape))

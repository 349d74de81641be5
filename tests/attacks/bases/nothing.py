"""Every method runs and returns zeros."""

import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.hs = hs
        self.Wq = rng.standard_normal((C, hs)) * 0.02
        self.Wk = rng.standard_normal((C, hs)) * 0.02
        self.Wv = rng.standard_normal((C, hs)) * 0.02
        self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        return np.zeros(X.shape[:2] + (self.hs,))

    def backward(self, dout):
        self.dWq, self.dWk, self.dWv = np.zeros(self.Wq.shape), np.zeros(self.Wk.shape), np.zeros(self.Wv.shape)
        return np.zeros(dout.shape[:2] + self.Wq.shape[:1])

    def zero_grad(self):
        pass

"""Nothing has the right value, but forward and backward follow what they are given, and zero_grad is right."""

import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.hs = hs
        self.Wq = rng.standard_normal((C, hs)) * 0.02
        self.Wk = rng.standard_normal((C, hs)) * 0.02
        self.Wv = rng.standard_normal((C, hs)) * 0.02
        self.cache = self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        self.cache = (X,)
        return X @ (self.Wq * self.Wk * self.Wv)

    def backward(self, dout):
        (X,) = self.cache
        self.dWv = -np.einsum("btc,bth->ch", X, dout)
        self.dWq = 3.0 * self.dWv
        self.dWk = 5.0 * self.dWv
        return -dout @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

"""Forward, cache and zero_grad are right; every gradient is wrong, and training makes the loss rise."""

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
        Q, K, V = X @ self.Wq, X @ self.Wk, X @ self.Wv
        S = Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs)
        A = np.exp(S - S.max(axis=-1, keepdims=True))
        A = A / A.sum(axis=-1, keepdims=True)
        self.cache = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        self.dWv = -np.einsum("btc,bth->ch", X, A.transpose(0, 2, 1) @ dout)
        self.dWq = 3.0 * self.dWv
        self.dWk = 5.0 * self.dWv
        return -dout @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

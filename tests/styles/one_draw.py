"""Style: one (3, C, hs) draw for all three matrices, one stacked product for all three projections."""
import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        self.C = C
        self.hs = hs
        self.Wq, self.Wk, self.Wv = np.random.default_rng(seed).standard_normal((3, C, hs)) * 0.02
        self.cache = None
        self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        W = np.stack([self.Wq, self.Wk, self.Wv])  # (3, C, hs)
        Q, K, V = X[None] @ W[:, None]  # (3, B, T, hs)
        S = Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs)
        S = np.exp(S - S.max(axis=-1, keepdims=True))
        A = S / S.sum(axis=-1, keepdims=True)
        self.cache = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        W = np.stack([self.Wq, self.Wk, self.Wv])
        dA = dout @ V.transpose(0, 2, 1)
        dS = A * (dA - (dA * A).sum(axis=-1, keepdims=True)) / np.sqrt(self.hs)
        D = np.stack([dS @ K, dS.transpose(0, 2, 1) @ Q, A.transpose(0, 2, 1) @ dout])  # (3, B, T, hs)
        self.dWq, self.dWk, self.dWv = (X.transpose(0, 2, 1)[None] @ D).sum(axis=1)
        return (D @ W.transpose(0, 2, 1)[:, None]).sum(axis=0)

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

"""Style: swapaxes, Ellipsis, None for a new axis; queries are scaled before the product."""
import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C = C
        self.hs = hs
        self.Wq = rng.standard_normal((C, hs)) * 0.02
        self.Wk = rng.standard_normal((C, hs)) * 0.02
        self.Wv = rng.standard_normal((C, hs)) * 0.02
        self.cache = None
        self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        Q = X @ self.Wq
        K = X @ self.Wk
        V = X @ self.Wv
        scores = (Q / np.sqrt(self.hs)) @ np.swapaxes(K, -2, -1)
        e = np.exp(scores - np.amax(scores, -1)[..., None])
        A = e / np.sum(e, -1)[..., np.newaxis]
        self.cache = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        scale = 1.0 / np.sqrt(self.hs)
        dV = np.swapaxes(A, -2, -1) @ dout
        dA = dout @ np.swapaxes(V, -2, -1)
        dscores = A * (dA - np.sum(A * dA, -1)[..., None])
        dQ = (dscores @ K) * scale
        dK = np.swapaxes(dscores, -2, -1) @ (Q * scale)
        self.dWq = np.sum(np.swapaxes(X, -2, -1) @ dQ, 0)
        self.dWk = np.sum(np.swapaxes(X, -2, -1) @ dK, 0)
        self.dWv = np.sum(np.swapaxes(X, -2, -1) @ dV, 0)
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

"""Style: a loop over query positions, vectorised over the batch, results written into np.empty arrays."""
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
        B, T, _ = X.shape
        Q, K, V = X @ self.Wq, X @ self.Wk, X @ self.Wv
        A = np.empty((B, T, T))
        out = np.empty((B, T, self.hs))
        for t in range(T):
            s = (K * Q[:, t : t + 1]).sum(axis=2) / np.sqrt(self.hs)  # (B, T)
            s = np.exp(s - s.max(axis=1, keepdims=True))
            A[:, t] = s / s.sum(axis=1, keepdims=True)
            out[:, t] = (A[:, t, :, None] * V).sum(axis=1)
        self.cache = (X, Q, K, V, A)
        return out

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        dQ = np.empty_like(Q)
        dK = np.zeros_like(K)
        dV = np.zeros_like(V)
        for t in reversed(range(X.shape[1])):
            a, g = A[:, t], dout[:, t]  # (B, T), (B, hs)
            dV += a[:, :, None] * g[:, None, :]
            da = (V * g[:, None, :]).sum(axis=2)
            ds = a * (da - (a * da).sum(axis=1, keepdims=True)) / np.sqrt(self.hs)
            dQ[:, t] = (ds[:, :, None] * K).sum(axis=1)
            dK += ds[:, :, None] * Q[:, None, t]
        self.dWq = (X[:, :, :, None] * dQ[:, :, None, :]).sum(axis=(0, 1))
        self.dWk = (X[:, :, :, None] * dK[:, :, None, :]).sum(axis=(0, 1))
        self.dWv = (X[:, :, :, None] * dV[:, :, None, :]).sum(axis=(0, 1))
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

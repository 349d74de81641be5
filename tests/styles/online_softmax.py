"""Style: a running maximum and sum over blocks of keys; rows are rescaled when the maximum grows."""
import numpy as np

BLOCK = 3


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
        scale = 1.0 / np.sqrt(self.hs)
        largest = np.full((B, T, 1), -np.inf)
        total = np.zeros((B, T, 1))
        out = np.zeros((B, T, self.hs))
        A = np.zeros((B, T, T))
        for start in range(0, T, BLOCK):
            keys = slice(start, start + BLOCK)
            scores = scale * (Q @ K[:, keys].transpose(0, 2, 1))
            now = np.maximum(largest, scores.max(axis=-1, keepdims=True))
            shrink = np.exp(largest - now)
            e = np.exp(scores - now)
            A[:, :, :start] *= shrink
            A[:, :, keys] = e
            total = total * shrink + e.sum(axis=-1, keepdims=True)
            out = out * shrink + e @ V[:, keys]
            largest = now
        A /= total
        self.cache = (X, Q, K, V, A)
        return out / total

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        scale = 1.0 / np.sqrt(self.hs)
        mean = np.sum(dout * (A @ V), axis=-1, keepdims=True)  # equals the row sum of dA * A
        dQ, dK, dV = np.zeros_like(Q), np.zeros_like(K), np.zeros_like(V)
        for start in range(0, X.shape[1], BLOCK):
            keys = slice(start, start + BLOCK)
            a = A[:, :, keys]
            ds = a * (dout @ V[:, keys].transpose(0, 2, 1) - mean) * scale
            dQ += ds @ K[:, keys]
            dK[:, keys] = ds.transpose(0, 2, 1) @ Q
            dV[:, keys] = a.transpose(0, 2, 1) @ dout
        Xt = X.transpose(0, 2, 1)
        self.dWq = np.sum(Xt @ dQ, axis=0)
        self.dWk = np.sum(Xt @ dK, axis=0)
        self.dWv = np.sum(Xt @ dV, axis=0)
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

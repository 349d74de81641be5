"""Style: gradients accumulate into fresh zeros, token by token with outer products."""
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
        A = np.zeros((B, T, T))
        out = np.zeros((B, T, self.hs))
        for b in range(B):
            for i in range(T):
                s = K[b] @ Q[b, i] / np.sqrt(self.hs)
                e = np.exp(s - np.max(s))
                A[b, i] = e / np.sum(e)
                for j in range(T):
                    out[b, i] += A[b, i, j] * V[b, j]
        self.cache = (X, Q, K, V, A)
        return out

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        B, T, _ = X.shape
        dQ, dK, dV = np.zeros_like(Q), np.zeros_like(K), np.zeros_like(V)
        for b in range(B):
            for i in range(T):
                dV[b] += np.outer(A[b, i], dout[b, i])
                da = V[b] @ dout[b, i]
                ds = A[b, i] * (da - np.dot(da, A[b, i])) / np.sqrt(self.hs)
                dQ[b, i] += ds @ K[b]
                dK[b] += np.outer(ds, Q[b, i])
        self.dWq = np.zeros_like(self.Wq)
        self.dWk = np.zeros_like(self.Wk)
        self.dWv = np.zeros_like(self.Wv)
        dX = np.zeros_like(X)
        for b in range(B):
            for t in range(T):
                self.dWq += np.outer(X[b, t], dQ[b, t])
                self.dWk += np.outer(X[b, t], dK[b, t])
                self.dWv += np.outer(X[b, t], dV[b, t])
                dX[b, t] += self.Wq @ dQ[b, t]
                dX[b, t] += self.Wk @ dK[b, t]
                dX[b, t] += self.Wv @ dV[b, t]
        return dX

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

import math

import numpy as np

# I did everything one token at a time so that I can follow it on paper.


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C = C
        self.hs = hs
        self.Wq = rng.standard_normal((C, hs)) * 0.02
        self.Wk = rng.standard_normal((C, hs)) * 0.02
        self.Wv = rng.standard_normal((C, hs)) * 0.02
        self.cache = None
        self.zero_grad()

    def forward(self, X):
        B, T, _ = X.shape
        Q = np.zeros((B, T, self.hs))
        K = np.zeros((B, T, self.hs))
        V = np.zeros((B, T, self.hs))
        A = np.zeros((B, T, T))
        out = np.zeros((B, T, self.hs))
        for b in range(B):
            for t in range(T):
                Q[b, t] = X[b, t] @ self.Wq
                K[b, t] = X[b, t] @ self.Wk
                V[b, t] = X[b, t] @ self.Wv
            for i in range(T):
                row = [float(Q[b, i] @ K[b, j]) / math.sqrt(self.hs) for j in range(T)]
                biggest = max(row)
                row = [math.exp(s - biggest) for s in row]
                total = sum(row)
                for j in range(T):
                    A[b, i, j] = row[j] / total
                    out[b, i] += A[b, i, j] * V[b, j]
        self.cache = (X, Q, K, V, A)
        return out

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        B, T, _ = X.shape
        dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
        for b in range(B):
            for i in range(T):
                dA = [float(dout[b, i] @ V[b, j]) for j in range(T)]
                mean = sum(A[b, i, j] * dA[j] for j in range(T))
                for j in range(T):
                    dV[b, j] += A[b, i, j] * dout[b, i]
                    ds = A[b, i, j] * (dA[j] - mean) / math.sqrt(self.hs)
                    dQ[b, i] += ds * K[b, j]
                    dK[b, j] += ds * Q[b, i]
        self.dWq = np.zeros(self.Wq.shape)
        self.dWk = np.zeros(self.Wk.shape)
        self.dWv = np.zeros(self.Wv.shape)
        dX = np.zeros(X.shape)
        for b in range(B):
            for t in range(T):
                self.dWq += np.outer(X[b, t], dQ[b, t])
                self.dWk += np.outer(X[b, t], dK[b, t])
                self.dWv += np.outer(X[b, t], dV[b, t])
                dX[b, t] = self.Wq @ dQ[b, t] + self.Wk @ dK[b, t] + self.Wv @ dV[b, t]
        return dX

    def zero_grad(self):
        self.dWq = np.zeros((self.C, self.hs))
        self.dWk = np.zeros((self.C, self.hs))
        self.dWv = np.zeros((self.C, self.hs))

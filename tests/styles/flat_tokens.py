"""Style: all tokens in one (B T, C) matrix; only the attention itself sees the batch."""
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
        B, T, C = X.shape
        flat = X.reshape(B * T, C)
        Q = np.dot(flat, self.Wq).reshape(B, T, self.hs)
        K = np.dot(flat, self.Wk).reshape(B, T, self.hs)
        V = np.dot(flat, self.Wv).reshape(B, T, self.hs)
        S = np.matmul(Q, np.moveaxis(K, 1, 2)).reshape(B * T, T) / np.sqrt(self.hs)
        S = (S.T - S.max(axis=1)).T
        E = np.exp(S)
        A = (E.T / E.sum(axis=1)).T.reshape(B, T, T)
        self.cache = (X, Q, K, V, A)
        return np.matmul(A, V)

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        B, T, C = X.shape
        flat = X.reshape(B * T, C)
        dA = np.matmul(dout, np.moveaxis(V, 1, 2)).reshape(B * T, T)
        rows = A.reshape(B * T, T)
        dS = (rows.T * (dA.T - np.einsum("ij,ij->i", dA, rows))).T.reshape(B, T, T) / np.sqrt(self.hs)
        dQ = np.matmul(dS, K).reshape(B * T, self.hs)
        dK = np.matmul(np.moveaxis(dS, 1, 2), Q).reshape(B * T, self.hs)
        dV = np.matmul(np.moveaxis(A, 1, 2), dout).reshape(B * T, self.hs)
        self.dWq = np.dot(flat.T, dQ)
        self.dWk = np.dot(flat.T, dK)
        self.dWv = np.dot(flat.T, dV)
        dX = np.dot(dQ, self.Wq.T) + np.dot(dK, self.Wk.T) + np.dot(dV, self.Wv.T)
        return dX.reshape(B, T, C)

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

"""Style: the softmax Jacobian diag(a) - a a^T written out for every row."""
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


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
        A = softmax(np.matmul(Q, K.transpose(0, 2, 1)) / self.hs**0.5)
        self.cache = (X, Q, K, V, A)
        return np.matmul(A, V)

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        B, T, _ = X.shape
        dA = np.matmul(dout, V.transpose(0, 2, 1))
        dS = np.empty_like(A)
        for b in range(B):
            for i in range(T):
                a = A[b, i]
                jacobian = np.diag(a) - np.outer(a, a)  # (T, T)
                dS[b, i] = jacobian @ dA[b, i]
        dS = dS / self.hs**0.5
        dQ = np.matmul(dS, K)
        dK = np.matmul(dS.transpose(0, 2, 1), Q)
        dV = np.matmul(A.transpose(0, 2, 1), dout)
        flat = X.reshape(B * T, -1)
        self.dWq = flat.T @ dQ.reshape(B * T, -1)
        self.dWk = flat.T @ dK.reshape(B * T, -1)
        self.dWv = flat.T @ dV.reshape(B * T, -1)
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

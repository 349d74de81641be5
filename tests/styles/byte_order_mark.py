"""Style: the file begins with a byte order mark, and words are not ASCII."""
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


class SelfAttention:
    """Eine Aufmerksamkeit, 一つの注意, größer als ½."""

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
        Q, K, V = X @ self.Wq, X @ self.Wk, X @ self.Wv
        A = softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs))
        self.cache = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        dA = dout @ V.transpose(0, 2, 1)
        dS = A * (dA - np.sum(dA * A, axis=-1, keepdims=True)) / np.sqrt(self.hs)
        dQ, dK, dV = dS @ K, dS.transpose(0, 2, 1) @ Q, A.transpose(0, 2, 1) @ dout
        self.dWq = np.sum(X.transpose(0, 2, 1) @ dQ, axis=0)
        self.dWk = np.sum(X.transpose(0, 2, 1) @ dK, axis=0)
        self.dWv = np.sum(X.transpose(0, 2, 1) @ dV, axis=0)
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

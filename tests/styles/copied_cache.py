"""Style: copies of everything that comes in or goes out, warnings raised as errors inside."""
from copy import deepcopy

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
        X = np.array(X, dtype=np.float64, copy=True)
        Q = X @ self.Wq
        K = X @ self.Wk
        V = X @ self.Wv
        S = Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs)
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            A = np.exp(S - S.max(axis=-1, keepdims=True))
            A = A / A.sum(axis=-1, keepdims=True)
        out = A @ V
        self.cache = deepcopy((X, Q, K, V, A))
        return out.copy()

    def backward(self, dout):
        if self.cache is None:
            raise RuntimeError("backward needs a forward before it")
        X, Q, K, V, A = deepcopy(self.cache)
        dout = np.array(dout, dtype=np.float64, copy=True)
        dA = dout @ V.transpose(0, 2, 1)
        dV = A.transpose(0, 2, 1) @ dout
        dA -= np.sum(dA * A, axis=-1, keepdims=True)  # its own copy: in place is fine
        A *= dA
        A /= np.sqrt(self.hs)
        dQ = A @ K
        dK = A.transpose(0, 2, 1) @ Q
        self.dWq = np.sum(X.transpose(0, 2, 1) @ dQ, axis=0).copy()
        self.dWk = np.sum(X.transpose(0, 2, 1) @ dK, axis=0).copy()
        self.dWv = np.sum(X.transpose(0, 2, 1) @ dV, axis=0).copy()
        dX = dQ @ self.Wq.T
        dX += dK @ self.Wk.T
        dX += dV @ self.Wv.T
        return dX.copy()

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

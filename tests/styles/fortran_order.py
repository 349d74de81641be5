"""Style: whatever is returned, stored or cached is in Fortran order, as from MATLAB habits."""
import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C = C
        self.hs = hs
        self.Wq = np.asfortranarray(rng.standard_normal((C, hs)) * 0.02)
        self.Wk = np.asfortranarray(rng.standard_normal((C, hs)) * 0.02)
        self.Wv = np.asfortranarray(rng.standard_normal((C, hs)) * 0.02)
        self.cache = None
        self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        X = np.asfortranarray(X)
        Q = np.asfortranarray(X @ self.Wq)
        K = np.asfortranarray(X @ self.Wk)
        V = np.asfortranarray(X @ self.Wv)
        S = np.matmul(Q, K.transpose(0, 2, 1)) / np.sqrt(self.hs)
        S = S - np.max(S, axis=2).reshape(S.shape[0], S.shape[1], 1)
        A = np.exp(S)
        A = np.asfortranarray(A / np.sum(A, axis=2).reshape(S.shape[0], S.shape[1], 1))
        self.cache = (X, Q, K, V, A)
        return np.asfortranarray(A @ V)

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        dA = dout @ V.transpose(0, 2, 1)
        D = np.sum(dA * A, axis=2).reshape(A.shape[0], A.shape[1], 1)
        dS = A * (dA - D) / np.sqrt(self.hs)
        dQ = dS @ K
        dK = dS.transpose(0, 2, 1) @ Q
        dV = A.transpose(0, 2, 1) @ dout
        # The gradients are transposes of (hs, C) arrays: views in the other order.
        self.dWq = sum(dq.T @ x for dq, x in zip(dQ, X)).T
        self.dWk = sum(dk.T @ x for dk, x in zip(dK, X)).T
        self.dWv = sum(dv.T @ x for dv, x in zip(dV, X)).T
        return np.asfortranarray(dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T)

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

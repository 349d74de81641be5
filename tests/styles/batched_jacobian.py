"""Style: one (B, T, T, T) array with the softmax Jacobian of every row, contracted at once."""
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
        S = np.einsum("bid,bjd->bij", Q, K, optimize=True) / np.sqrt(self.hs)
        # 1 over the sum of exponentials of differences: no maximum has to be found.
        with np.errstate(over="ignore"):
            A = 1.0 / np.exp(S[:, :, None, :] - S[:, :, :, None]).sum(axis=-1)
        self.cache = (X, Q, K, V, A)
        return np.einsum("bij,bjd->bid", A, V, optimize=True)

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        T = X.shape[1]
        dA = np.einsum("bid,bjd->bij", dout, V)
        J = A[..., None] * np.eye(T) - A[..., :, None] * A[..., None, :]
        dS = np.einsum("bij,bijk->bik", dA, J) / np.sqrt(self.hs)
        dQ = np.einsum("bij,bjd->bid", dS, K)
        dK = np.einsum("bij,bid->bjd", dS, Q)
        dV = np.einsum("bij,bid->bjd", A, dout)
        self.dWq, self.dWk, self.dWv = np.einsum("btc,nbtd->ncd", X, np.array([dQ, dK, dV]))
        return np.einsum("nbtd,ncd->btc", np.array([dQ, dK, dV]), np.array([self.Wq, self.Wk, self.Wv]))

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

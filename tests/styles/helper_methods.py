"""Style: each step and its gradient in a method of its own, some of them static."""
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

    @staticmethod
    def _T(x):
        return x.transpose(0, 2, 1)

    @staticmethod
    def _softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    @staticmethod
    def _softmax_backward(a, da):
        return a * (da - (a * da).sum(axis=-1, keepdims=True))

    def _scale(self, x):
        return x / np.sqrt(self.hs)

    def _scores(self, q, k):
        return self._scale(q @ self._T(k))

    def _scores_backward(self, ds, q, k):
        ds = self._scale(ds)
        return ds @ k, self._T(ds) @ q

    def _project_backward(self, x, d, w):
        return (self._T(x) @ d).sum(axis=0), d @ w.T

    def forward(self, X):
        q, k, v = X @ self.Wq, X @ self.Wk, X @ self.Wv
        a = self._softmax(self._scores(q, k))
        self.cache = (X, q, k, v, a)
        return a @ v

    def backward(self, dout):
        x, q, k, v, a = self.cache
        da, dv = dout @ self._T(v), self._T(a) @ dout
        dq, dk = self._scores_backward(self._softmax_backward(a, da), q, k)
        self.dWq, from_q = self._project_backward(x, dq, self.Wq)
        self.dWk, from_k = self._project_backward(x, dk, self.Wk)
        self.dWv, from_v = self._project_backward(x, dv, self.Wv)
        return from_q + from_k + from_v

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

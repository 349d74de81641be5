"""Style: a dataclass with a __post_init__; the cache is a named tuple."""
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class Cache(NamedTuple):
    X: np.ndarray
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    A: np.ndarray


@dataclass
class SelfAttention:
    C: int
    hs: int
    seed: int = 42
    Wq: np.ndarray = field(init=False, repr=False)
    Wk: np.ndarray = field(init=False, repr=False)
    Wv: np.ndarray = field(init=False, repr=False)
    cache: Cache | None = field(init=False, default=None, repr=False)
    dWq: np.ndarray | None = field(init=False, default=None, repr=False)
    dWk: np.ndarray | None = field(init=False, default=None, repr=False)
    dWv: np.ndarray | None = field(init=False, default=None, repr=False)

    def __post_init__(self):
        rng = np.random.default_rng(self.seed)
        self.Wq = rng.standard_normal((self.C, self.hs)) * 0.02
        self.Wk = rng.standard_normal((self.C, self.hs)) * 0.02
        self.Wv = rng.standard_normal((self.C, self.hs)) * 0.02

    def forward(self, X):
        Q, K, V = X @ self.Wq, X @ self.Wk, X @ self.Wv
        S = Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs)
        E = np.exp(S - S.max(axis=-1, keepdims=True))
        self.cache = Cache(X=X, Q=Q, K=K, V=V, A=E / E.sum(axis=-1, keepdims=True))
        return self.cache.A @ V

    def backward(self, dout):
        c = self.cache
        dA = dout @ c.V.transpose(0, 2, 1)
        dS = c.A * (dA - np.sum(dA * c.A, axis=-1, keepdims=True)) / np.sqrt(self.hs)
        dQ, dK, dV = dS @ c.K, dS.transpose(0, 2, 1) @ c.Q, c.A.transpose(0, 2, 1) @ dout
        Xt = c.X.transpose(0, 2, 1)
        self.dWq, self.dWk, self.dWv = np.sum(Xt @ dQ, 0), np.sum(Xt @ dK, 0), np.sum(Xt @ dV, 0)
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

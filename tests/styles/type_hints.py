"""Style: type hints everywhere, final constants, asserts on shapes."""
from __future__ import annotations

from typing import Final, Optional, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
INITIAL_SCALE: Final[float] = 0.02


def softmax(x: Array, axis: int = -1) -> Array:
    exponentials: Array = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return exponentials / np.sum(exponentials, axis=axis, keepdims=True)


class SelfAttention:
    Wq: Array
    Wk: Array
    Wv: Array

    def __init__(self, C: int, hs: int, seed: int = 42) -> None:
        rng: np.random.Generator = np.random.default_rng(seed)
        self.C: int = C
        self.hs: int = hs
        self.Wq = rng.standard_normal((C, hs)) * INITIAL_SCALE
        self.Wk = rng.standard_normal((C, hs)) * INITIAL_SCALE
        self.Wv = rng.standard_normal((C, hs)) * INITIAL_SCALE
        self.cache: Optional[tuple[Array, Array, Array, Array, Array]] = None
        self.dWq: Optional[Array] = None
        self.dWk: Optional[Array] = None
        self.dWv: Optional[Array] = None

    def forward(self, X: Array) -> Array:
        B, T, C = X.shape
        assert C == self.C, f"expected {self.C} features, got {C}"
        Q: Array = X @ self.Wq
        K: Array = X @ self.Wk
        V: Array = X @ self.Wv
        scores: Array = Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs)
        A: Array = softmax(scores)
        assert A.shape == (B, T, T)
        self.cache = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout: Array) -> Array:
        assert self.cache is not None, "call forward first"
        X, Q, K, V, A = self.cache
        assert dout.shape == V.shape
        dA: Array = dout @ V.transpose(0, 2, 1)
        dV: Array = A.transpose(0, 2, 1) @ dout
        dS: Array = A * (dA - np.sum(dA * A, axis=-1, keepdims=True))
        dS = dS / np.sqrt(self.hs)
        dQ: Array = dS @ K
        dK: Array = dS.transpose(0, 2, 1) @ Q
        self.dWq = np.sum(X.transpose(0, 2, 1) @ dQ, axis=0)
        self.dWk = np.sum(X.transpose(0, 2, 1) @ dK, axis=0)
        self.dWv = np.sum(X.transpose(0, 2, 1) @ dV, axis=0)
        dX: Array = dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T
        assert dX.shape == X.shape
        return dX

    def zero_grad(self) -> None:
        self.dWq = self.dWk = self.dWv = None

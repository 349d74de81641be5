"""A single-head self-attention layer in NumPy.

Shapes: B is the batch, T the sequence length, C the input width, hs the head size.
The layer commits to C and hs only; one object serves any B and T.
"""

import numpy as np


def softmax(x, axis=-1):
    """Exponentials of `x` along `axis`, normalised to sum to 1; any shape in, same shape out.

    Subtracting the maximum changes nothing in the result and keeps `exp` from overflowing.
    """
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


class SelfAttention:
    """One attention head.

    Parameters Wq, Wk, Wv are (C, hs) float64. After `backward` their gradients are in
    dWq, dWk, dWv, each (C, hs).
    """

    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C = C
        self.hs = hs
        self.Wq = rng.standard_normal((C, hs)) * 0.02  # (C, hs)
        self.Wk = rng.standard_normal((C, hs)) * 0.02  # (C, hs)
        self.Wv = rng.standard_normal((C, hs)) * 0.02  # (C, hs)
        self.cache = None
        self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        """Attend over `X` (B, T, C) and return `out` (B, T, hs).

        Keeps `cache = (X, Q, K, V, A)`, exactly these five, for `backward`; every row of the
        weights A (B, T, T) sums to 1.
        """
        Q = X @ self.Wq  # (B, T, hs)
        K = X @ self.Wk  # (B, T, hs)
        V = X @ self.Wv  # (B, T, hs)
        scores = Q @ K.transpose(0, 2, 1)  # (B, T, T)
        scores = scores / np.sqrt(self.hs)  # (B, T, T)
        A = softmax(scores, axis=-1)  # (B, T, T)
        out = A @ V  # (B, T, hs)
        self.cache = (X, Q, K, V, A)
        return out

    def backward(self, dout):
        """Take the upstream gradient `dout` (B, T, hs) and return `dX` (B, T, C).

        Stores dWq, dWk, dWv (C, hs) of this call; reads what `forward` kept in `cache`.
        """
        X, Q, K, V, A = self.cache
        dA = dout @ V.transpose(0, 2, 1)  # (B, T, T)
        dV = A.transpose(0, 2, 1) @ dout  # (B, T, hs)
        dS = A * (dA - np.sum(dA * A, axis=-1, keepdims=True))  # (B, T, T)
        dscores = dS / np.sqrt(self.hs)  # (B, T, T)
        dQ = dscores @ K  # (B, T, hs)
        dK = dscores.transpose(0, 2, 1) @ Q  # (B, T, hs)
        self.dWq = np.sum(X.transpose(0, 2, 1) @ dQ, axis=0)  # (C, hs)
        self.dWk = np.sum(X.transpose(0, 2, 1) @ dK, axis=0)  # (C, hs)
        self.dWv = np.sum(X.transpose(0, 2, 1) @ dV, axis=0)  # (C, hs)
        dX = dQ @ self.Wq.T  # (B, T, C)
        dX = dX + dK @ self.Wk.T  # (B, T, C)
        return dX

    def zero_grad(self):
        """Forget the gradients: dWq, dWk, dWv become None (or zero arrays); nothing else changes."""
        self.dWq = None
        self.dWk = None
        self.dWv = None

"""Layer normalisation in NumPy: every token to mean 0 and variance 1, then a learned scale and shift."""

import numpy as np


class LayerNorm:
    """Parameters gamma and beta, each (C,); their gradients are in dgamma and dbeta after `backward`."""

    def __init__(self, C):
        self.gamma = np.ones(C)  # (C,)
        self.beta = np.zeros(C)  # (C,)
        self.cache = None
        self.dgamma = self.dbeta = None

    def forward(self, X):
        """`X` (B, T, C) to `out` (B, T, C); keeps `cache = (normal, inverse)`.

        normal (B, T, C) is X normalised over its last axis, inverse (B, T, 1) is 1 / sqrt(variance + 1e-5).
        """
        # BEGIN SOLUTION 2.1
        centred = X - np.mean(X, axis=-1, keepdims=True)  # (B, T, C)
        variance = np.mean(centred * centred, axis=-1, keepdims=True)  # (B, T, 1)
        inverse = 1.0 / np.sqrt(variance + 1e-5)  # (B, T, 1)
        normal = centred * inverse  # (B, T, C)
        self.cache = (normal, inverse)
        return self.gamma * normal + self.beta  # (B, T, C)
        # END SOLUTION 2.1

    def backward(self, dout):
        """`dout` (B, T, C) to `dX` (B, T, C); stores dgamma and dbeta, each (C,), of this call."""
        # BEGIN SOLUTION 2.2
        normal, inverse = self.cache
        self.dgamma = np.sum(dout * normal, axis=(0, 1))  # (C,)
        self.dbeta = np.sum(dout, axis=(0, 1))  # (C,)
        dnormal = dout * self.gamma  # (B, T, C)
        along = np.mean(dnormal * normal, axis=-1, keepdims=True)  # (B, T, 1)
        centred = dnormal - np.mean(dnormal, axis=-1, keepdims=True)  # (B, T, C)
        return inverse * (centred - normal * along)  # (B, T, C)
        # END SOLUTION 2.2

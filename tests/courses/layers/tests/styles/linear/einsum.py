"""Style: einsum throughout, zeros instead of None."""

import numpy as np


class Linear:
    def __init__(self, C, D, seed=42):
        self.W = np.random.default_rng(seed).standard_normal((C, D)) / np.sqrt(C)
        self.b = np.zeros((D,))
        self.zero_grad()

    def forward(self, X):
        self.cache = [X]
        return np.einsum("nc,cd->nd", X, self.W) + self.b

    def backward(self, dout):
        [X] = self.cache
        self.dW = np.einsum("nc,nd->cd", X, dout)
        self.db = np.einsum("nd->d", dout)
        return np.einsum("nd,cd->nc", dout, self.W)

    def zero_grad(self):
        self.dW = np.zeros_like(self.W)
        self.db = np.zeros_like(self.b)

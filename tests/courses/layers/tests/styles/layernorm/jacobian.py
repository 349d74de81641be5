"""Style: an explicit Jacobian for every token."""

import numpy as np


class LayerNorm:
    def __init__(self, C):
        self.gamma = np.ones(C)
        self.beta = np.zeros(C)

    def forward(self, X):
        d = X - X.mean(-1)[..., None]
        inverse = 1 / np.sqrt((d**2).mean(-1) + 1e-5)[..., None]
        self.cache = (d * inverse, inverse)
        return self.cache[0] * self.gamma + self.beta

    def backward(self, dout):
        normal, inverse = self.cache
        C = normal.shape[-1]
        J = np.eye(C) - 1 / C - normal[..., :, None] * normal[..., None, :] / C
        self.dgamma = np.einsum("btc,btc->c", dout, normal)
        self.dbeta = np.einsum("btc->c", dout)
        return inverse * np.einsum("btij,btj->bti", J, dout * self.gamma)

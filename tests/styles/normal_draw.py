"""Style: weights drawn with rng.normal(0, 0.02), the same bits; the layer can be called like a function."""
import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C = C
        self.hs = hs
        self.Wq = rng.normal(0, 0.02, size=(C, hs))
        self.Wk = rng.normal(0, 0.02, size=(C, hs))
        self.Wv = rng.normal(0, 0.02, size=(C, hs))
        self.cache = None
        self.dWq = None
        self.dWk = None
        self.dWv = None

    def __call__(self, X):
        return self.forward(X)

    def __repr__(self):
        return f"SelfAttention({self.C}, {self.hs})"

    def forward(self, X):
        Q = X.dot(self.Wq)
        K = X.dot(self.Wk)
        V = X.dot(self.Wv)
        scores = np.matmul(Q, K.transpose((0, 2, 1))) / np.sqrt(self.hs)
        scores -= scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores)
        weights /= weights.sum(axis=-1, keepdims=True)
        self.cache = (X, Q, K, V, weights)
        return np.matmul(weights, V)

    def backward(self, dout):
        X, Q, K, V, weights = self.cache
        dweights = np.matmul(dout, V.transpose((0, 2, 1)))
        dscores = weights * dweights
        dscores -= weights * dscores.sum(axis=-1, keepdims=True)
        dscores /= np.sqrt(self.hs)
        dQ = np.matmul(dscores, K)
        dK = np.matmul(dscores.transpose((0, 2, 1)), Q)
        dV = np.matmul(weights.transpose((0, 2, 1)), dout)
        self.dWq = np.matmul(X.transpose((0, 2, 1)), dQ).sum(axis=0)
        self.dWk = np.matmul(X.transpose((0, 2, 1)), dK).sum(axis=0)
        self.dWv = np.matmul(X.transpose((0, 2, 1)), dV).sum(axis=0)
        return dQ.dot(self.Wq.T) + dK.dot(self.Wk.T) + dV.dot(self.Wv.T)

    def zero_grad(self):
        self.dWq = None
        self.dWk = None
        self.dWv = None

"""Style: the weights as exp(s - logsumexp(s)), the gradient through the logarithm of the weights."""
import numpy as np


def logsumexp(x):
    m = np.max(x, axis=-1, keepdims=True)
    return m + np.log(np.sum(np.exp(x - m), axis=-1, keepdims=True))


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
        Q, K, V = X @ self.Wq, X @ self.Wk, X @ self.Wv
        scores = Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs)
        log_weights = scores - logsumexp(scores)
        A = np.exp(log_weights)
        self.cache = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        dlog = A * (dout @ V.transpose(0, 2, 1))  # with respect to the logarithm of A
        dscores = dlog - A * dlog.sum(axis=-1, keepdims=True)
        dscores = dscores / np.sqrt(self.hs)
        dQ = dscores @ K
        dK = dscores.transpose(0, 2, 1) @ Q
        dV = A.transpose(0, 2, 1) @ dout
        self.dWq = (X.transpose(0, 2, 1) @ dQ).sum(0)
        self.dWk = (X.transpose(0, 2, 1) @ dK).sum(0)
        self.dWv = (X.transpose(0, 2, 1) @ dV).sum(0)
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

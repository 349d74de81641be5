"""Style: from numpy import *, names without a prefix."""
from numpy import *
from numpy.random import default_rng


def softmax(x):
    e = exp(x - max(x, axis=-1, keepdims=True))
    return e / sum(e, axis=-1, keepdims=True)


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = default_rng(seed)
        self.C = C
        self.hs = hs
        self.Wq = rng.standard_normal((C, hs)) * 0.02
        self.Wk = rng.standard_normal((C, hs)) * 0.02
        self.Wv = rng.standard_normal((C, hs)) * 0.02
        self.cache = None
        self.dWq = None
        self.dWk = None
        self.dWv = None

    def forward(self, X):
        Q = dot(X, self.Wq)
        K = dot(X, self.Wk)
        V = dot(X, self.Wv)
        A = softmax(matmul(Q, transpose(K, (0, 2, 1))) / sqrt(self.hs))
        self.cache = (X, Q, K, V, A)
        return matmul(A, V)

    def backward(self, dout):
        (X, Q, K, V, A) = self.cache
        dA = matmul(dout, transpose(V, (0, 2, 1)))
        dV = matmul(transpose(A, (0, 2, 1)), dout)
        dS = multiply(A, dA - sum(multiply(dA, A), axis=-1, keepdims=True)) / sqrt(self.hs)
        dQ = matmul(dS, K)
        dK = matmul(transpose(dS, (0, 2, 1)), Q)
        self.dWq = sum(matmul(transpose(X, (0, 2, 1)), dQ), axis=0)
        self.dWk = sum(matmul(transpose(X, (0, 2, 1)), dK), axis=0)
        self.dWv = sum(matmul(transpose(X, (0, 2, 1)), dV), axis=0)
        return dot(dQ, self.Wq.T) + dot(dK, self.Wk.T) + dot(dV, self.Wv.T)

    def zero_grad(self):
        self.dWq = None
        self.dWk = None
        self.dWv = None

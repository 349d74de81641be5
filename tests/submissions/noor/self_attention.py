import numpy as np


def softmax(x):
    z = np.exp(x - x.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C, self.hs = C, hs
        self.Wq, self.Wk, self.Wv = (rng.standard_normal((C, hs)) * 0.02 for _ in range(3))
        self.scale = hs**-0.5
        self.cache = None
        self.zero_grad()

    def forward(self, X):
        Q, K, V = (np.einsum("btc,ch->bth", X, W) for W in (self.Wq, self.Wk, self.Wv))
        A = softmax(np.einsum("bqh,bkh->bqk", Q, K) * self.scale)
        self.cache = X, Q, K, V, A
        return np.einsum("bqk,bkh->bqh", A, V)

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        dA = np.einsum("bqh,bkh->bqk", dout, V)
        dV = np.einsum("bqk,bqh->bkh", A, dout)
        dS = A * (dA - np.einsum("bqk,bqk->bq", A, dA)[..., None]) * self.scale
        dQ = np.einsum("bqk,bkh->bqh", dS, K)
        dK = np.einsum("bqk,bqh->bkh", dS, Q)
        self.dWq, self.dWk, self.dWv = (np.einsum("btc,bth->ch", X, d) for d in (dQ, dK, dV))
        pairs = ((dQ, self.Wq), (dK, self.Wk), (dV, self.Wv))
        return sum(np.einsum("bth,ch->btc", d, W) for d, W in pairs)

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

"""Style: loose functions that know nothing of the class; the class only keeps what they return."""
import numpy as np


def project(X, Wq, Wk, Wv):
    return X @ Wq, X @ Wk, X @ Wv


def attention(Q, K, V):
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def attention_backward(dout, Q, K, V, weights):
    dweights = dout @ V.transpose(0, 2, 1)
    dscores = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))
    dscores = dscores / np.sqrt(Q.shape[-1])
    return dscores @ K, dscores.transpose(0, 2, 1) @ Q, weights.transpose(0, 2, 1) @ dout


def project_backward(dQ, dK, dV, X, Wq, Wk, Wv):
    Xt = X.transpose(0, 2, 1)
    dX = dQ @ Wq.T + dK @ Wk.T + dV @ Wv.T
    return dX, (Xt @ dQ).sum(axis=0), (Xt @ dK).sum(axis=0), (Xt @ dV).sum(axis=0)


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
        Q, K, V = project(X, self.Wq, self.Wk, self.Wv)
        out, A = attention(Q, K, V)
        self.cache = (X, Q, K, V, A)
        return out

    def backward(self, dout):
        X, *rest = self.cache
        dQ, dK, dV = attention_backward(dout, *rest)
        dX, self.dWq, self.dWk, self.dWv = project_backward(dQ, dK, dV, X, self.Wq, self.Wk, self.Wv)
        return dX

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None


if __name__ == "__main__":
    layer = SelfAttention(8, 4)
    out = layer.forward(np.random.randn(2, 5, 8))
    print("out", out.shape, "dX", layer.backward(np.ones_like(out)).shape)

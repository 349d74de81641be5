"""Style: everything in longdouble inside, float64 again for whatever is kept or handed out."""
import numpy as np


def wide(*arrays):
    return [np.asarray(a, dtype=np.longdouble) for a in arrays]


def narrow(*arrays):
    return tuple(np.asarray(a, dtype=np.float64) for a in arrays)


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
        x, wq, wk, wv = wide(X, self.Wq, self.Wk, self.Wv)
        q, k, v = x @ wq, x @ wk, x @ wv
        s = q @ k.transpose(0, 2, 1) / np.sqrt(np.longdouble(self.hs))
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        a = e / e.sum(axis=-1, keepdims=True)
        self.cache = narrow(x, q, k, v, a)
        return narrow(a @ v)[0]

    def backward(self, dout):
        x, q, k, v, a = wide(*self.cache)
        g, wq, wk, wv = wide(dout, self.Wq, self.Wk, self.Wv)
        da = g @ v.transpose(0, 2, 1)
        ds = a * (da - (da * a).sum(axis=-1, keepdims=True)) / np.sqrt(np.longdouble(self.hs))
        dq, dk, dv = ds @ k, ds.transpose(0, 2, 1) @ q, a.transpose(0, 2, 1) @ g
        xt = x.transpose(0, 2, 1)
        self.dWq, self.dWk, self.dWv = narrow(*((xt @ d).sum(axis=0) for d in (dq, dk, dv)))
        return narrow(dq @ wq.T + dk @ wk.T + dv @ wv.T)[0]

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

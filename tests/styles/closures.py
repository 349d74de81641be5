"""Style: every operation gives its result and a function that takes its gradient back, like a tape."""
import numpy as np


def matmul(a, b):
    def back(g):
        da = g @ b.swapaxes(-1, -2)
        db = a.swapaxes(-1, -2) @ g
        return da, db.sum(axis=0) if b.ndim < db.ndim else db

    return a @ b, back


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    return a, lambda g: a * (g - (g * a).sum(axis=-1, keepdims=True))


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
        self._back = None

    def forward(self, X):
        q, q_back = matmul(X, self.Wq)
        k, k_back = matmul(X, self.Wk)
        v, v_back = matmul(X, self.Wv)
        scale = 1 / np.sqrt(self.hs)
        s, s_back = matmul(q, k.swapaxes(-1, -2))
        a, a_back = softmax(s * scale)
        out, out_back = matmul(a, v)
        self.cache = (X, q, k, v, a)

        def back(dout):
            da, dv = out_back(dout)
            dq, dkt = s_back(a_back(da) * scale)
            xq, wq = q_back(dq)
            xk, wk = k_back(dkt.swapaxes(-1, -2))
            xv, wv = v_back(dv)
            return xq + xk + xv, wq, wk, wv

        self._back = back
        return out

    def backward(self, dout):
        dX, self.dWq, self.dWk, self.dWv = self._back(dout)
        return dX

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

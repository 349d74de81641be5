"""Style: buffers of its own, filled in place and kept between calls; what is handed out is a copy."""
import numpy as np


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
        self.buffers = {}

    def buffer(self, name, *shape):
        found = self.buffers.get(name)
        if found is None or found.shape != shape:
            found = self.buffers[name] = np.empty(shape)
        return found

    def forward(self, X):
        B, T, _ = X.shape
        Q = np.matmul(X, self.Wq, out=self.buffer("Q", B, T, self.hs))
        K = np.matmul(X, self.Wk, out=self.buffer("K", B, T, self.hs))
        V = np.matmul(X, self.Wv, out=self.buffer("V", B, T, self.hs))
        A = np.matmul(Q, K.transpose(0, 2, 1), out=self.buffer("A", B, T, T))
        A /= np.sqrt(self.hs)
        A -= A.max(axis=-1, keepdims=True)
        np.exp(A, out=A)
        A /= A.sum(axis=-1, keepdims=True)
        self.cache = (X, Q, K, V, A)
        return np.matmul(A, V, out=self.buffer("out", B, T, self.hs)).copy()

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        B, T, C = X.shape
        dS = np.matmul(dout, V.transpose(0, 2, 1), out=self.buffer("dS", B, T, T))
        rows = self.buffer("rows", B, T, T)
        np.multiply(dS, A, out=rows)
        dS -= rows.sum(axis=-1, keepdims=True)
        dS *= A
        dS *= 1 / np.sqrt(self.hs)
        dX = self.buffer("dX", B, T, C)
        dX.fill(0.0)
        for name, left, right in (("q", dS, K), ("k", dS.transpose(0, 2, 1), Q), ("v", A.transpose(0, 2, 1), dout)):
            d = np.matmul(left, right, out=self.buffer("d", B, T, self.hs))
            setattr(self, f"dW{name}", np.tensordot(X, d, axes=([0, 1], [0, 1])))
            dX += d @ getattr(self, f"W{name}").T
        return dX.copy()

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

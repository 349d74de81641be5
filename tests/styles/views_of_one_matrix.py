"""Style: Wq, Wk, Wv are views of one matrix W, and so are their gradients."""
import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C = C
        self.hs = hs
        self.W = np.empty((C, 3 * hs))
        self.Wq = self.W[:, :hs]
        self.Wk = self.W[:, hs : 2 * hs]
        self.Wv = self.W[:, 2 * hs :]
        for view in (self.Wq, self.Wk, self.Wv):
            view[...] = rng.standard_normal((C, hs)) * 0.02
        self.cache = None
        self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        hs = self.hs
        P = X @ self.W
        Q, K, V = P[..., :hs], P[..., hs : 2 * hs], P[..., 2 * hs :]
        S = Q @ K.swapaxes(1, 2)
        S /= np.sqrt(hs)
        S -= S.max(axis=2, keepdims=True)
        A = np.exp(S, out=S)
        A /= A.sum(axis=2, keepdims=True)
        self.cache = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        hs = self.hs
        dP = np.empty(X.shape[:2] + (3 * hs,))
        dS = dout @ V.swapaxes(1, 2)
        dS -= (dS * A).sum(axis=2, keepdims=True)
        dS *= A
        dS /= np.sqrt(hs)
        dP[..., :hs] = dS @ K
        dP[..., hs : 2 * hs] = dS.swapaxes(1, 2) @ Q
        dP[..., 2 * hs :] = A.swapaxes(1, 2) @ dout
        dW = np.zeros_like(self.W)
        for x, dp in zip(X, dP):
            dW += x.T @ dp
        self.dWq, self.dWk, self.dWv = dW[:, :hs], dW[:, hs : 2 * hs], dW[:, 2 * hs :]
        return dP @ self.W.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

"""Style: assignments inside expressions, as much as possible on one line."""
import numpy as np


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        draw = (rng := np.random.default_rng(seed)).standard_normal
        self.C, self.hs = C, hs
        self.Wq, self.Wk, self.Wv = draw((C, hs)) * 0.02, draw((C, hs)) * 0.02, draw((C, hs)) * 0.02
        self.cache = self.dWq = self.dWk = self.dWv = None

    def forward(self, X):
        S = (Q := X @ self.Wq) @ (K := X @ self.Wk).transpose(0, 2, 1) / (self.hs ** 0.5)
        A = (E := np.exp(S - S.max(-1, keepdims=True))) / E.sum(-1, keepdims=True)
        self.cache = (X, Q, K, (V := X @ self.Wv), A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        dS = A * ((dA := dout @ V.transpose(0, 2, 1)) - (A * dA).sum(-1, keepdims=True)) / (self.hs ** 0.5)
        XT = X.transpose(0, 2, 1)
        self.dWq = (XT @ (dQ := dS @ K)).sum(0)
        self.dWk = (XT @ (dK := dS.transpose(0, 2, 1) @ Q)).sum(0)
        self.dWv = (XT @ (dV := A.transpose(0, 2, 1) @ dout)).sum(0)
        return (dX := dQ @ self.Wq.T) + dK @ self.Wk.T + dV @ self.Wv.T

    def zero_grad(self):
        self.dWq = self.dWk = self.dWv = None

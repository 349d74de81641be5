"""Style: parameters and gradients live in dictionaries, behind properties with setters."""
import numpy as np


def parameter(name):
    def get(self):
        return self.parameters[name]

    def set(self, value):
        self.parameters[name] = np.asarray(value, dtype=np.float64)

    return property(get, set)


def gradient(name):
    return property(lambda self: self.gradients.get(name), lambda self, value: self.gradients.update({name: value}))


class SelfAttention:
    Wq, Wk, Wv = parameter("q"), parameter("k"), parameter("v")
    dWq, dWk, dWv = gradient("q"), gradient("k"), gradient("v")

    def __init__(self, C, hs, seed=42):
        rng = np.random.default_rng(seed)
        self.C, self.hs = C, hs
        self.parameters = {name: rng.standard_normal((C, hs)) * 0.02 for name in "qkv"}
        self.gradients = {}
        self._kept = None

    @property
    def cache(self):
        return self._kept

    @property
    def scale(self):
        return 1.0 / np.sqrt(self.hs)

    def forward(self, X):
        Q, K, V = (X @ W for W in self.parameters.values())
        S = Q @ K.transpose(0, 2, 1) * self.scale
        E = np.exp(S - S.max(axis=-1, keepdims=True))
        A = E / E.sum(axis=-1, keepdims=True)
        self._kept = (X, Q, K, V, A)
        return A @ V

    def backward(self, dout):
        X, Q, K, V, A = self.cache
        dA = dout @ V.transpose(0, 2, 1)
        dS = A * (dA - np.sum(dA * A, axis=-1, keepdims=True)) * self.scale
        d = {"q": dS @ K, "k": dS.transpose(0, 2, 1) @ Q, "v": A.transpose(0, 2, 1) @ dout}
        self.gradients = {name: np.sum(X.transpose(0, 2, 1) @ d[name], axis=0) for name in d}
        return sum(d[name] @ self.parameters[name].T for name in d)

    def zero_grad(self):
        self.gradients = {}

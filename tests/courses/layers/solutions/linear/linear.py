"""A linear layer with a bias, in NumPy. N rows of C numbers come in, N rows of D go out."""

import numpy as np


class Linear:
    """out = X W + b. Parameters W (C, D) and b (D,); their gradients are in dW and db after `backward`."""

    def __init__(self, C, D, seed=42):
        rng = np.random.default_rng(seed)
        self.W = rng.standard_normal((C, D)) / np.sqrt(C)  # (C, D)
        self.b = np.zeros(D)  # (D,)
        self.cache = None
        self.dW = self.db = None

    def forward(self, X):
        """`X` (N, C) to `out` (N, D); keeps `cache = (X,)`."""
        # BEGIN SOLUTION 1.1
        self.cache = (X,)
        return X @ self.W + self.b  # (N, D)
        # END SOLUTION 1.1

    def backward(self, dout):
        """`dout` (N, D) to `dX` (N, C); stores dW (C, D) and db (D,) of this call."""
        # BEGIN SOLUTION 1.2
        X = self.cache[0]
        self.dW = X.T @ dout  # (C, D)
        self.db = np.sum(dout, axis=0)  # (D,)
        return dout @ self.W.T  # (N, C)
        # END SOLUTION 1.2

    def zero_grad(self):
        """Forget dW and db."""
        # BEGIN SOLUTION 1.3
        self.dW = None
        self.db = None
        # END SOLUTION 1.3

"""Style: every call broken over many lines, backslashes and brackets."""
import numpy as np


class SelfAttention:
    def __init__(
        self,
        C,
        hs,
        seed=42,
    ):
        rng = np.random.default_rng(
            seed
        )
        self.C = C
        self.hs = hs
        for name in (
            "Wq",
            "Wk",
            "Wv",
        ):
            setattr(
                self,
                name,
                rng.standard_normal(
                    (C, hs)
                )
                * 0.02,
            )
        self.cache = None
        self.dWq = \
            self.dWk = \
            self.dWv = None

    def forward(
        self,
        X,
    ):
        Q = X \
            @ self.Wq
        K = X \
            @ self.Wk
        V = X \
            @ self.Wv
        S = (
            Q
            @ K.transpose(
                0,
                2,
                1,
            )
        ) / np.sqrt(
            self.hs
        )
        E = np.exp(
            S
            - np.max(
                S,
                axis=-1,
                keepdims=True,
            )
        )
        A = E / np.sum(
            E,
            axis=-1,
            keepdims=True,
        )
        self.cache = (
            X,
            Q,
            K,
            V,
            A,
        )
        return (
            A
            @ V
        )

    def backward(
        self,
        dout,
    ):
        (
            X,
            Q,
            K,
            V,
            A,
        ) = self.cache
        dA = (
            dout
            @ V.transpose(
                0,
                2,
                1,
            )
        )
        dS = (
            A
            * (
                dA
                - np.sum(
                    dA
                    * A,
                    axis=-1,
                    keepdims=True,
                )
            )
            / np.sqrt(
                self.hs
            )
        )
        dQ = dS \
            @ K
        dK = dS.transpose(0, 2, 1) \
            @ Q
        dV = A.transpose(0, 2, 1) \
            @ dout
        (
            self.dWq,
            self.dWk,
            self.dWv,
        ) = (
            np.sum(
                X.transpose(0, 2, 1)
                @ d,
                axis=0,
            )
            for d in (
                dQ,
                dK,
                dV,
            )
        )
        return (
            dQ
            @ self.Wq.T
            + dK
            @ self.Wk.T
            + dV
            @ self.Wv.T
        )

    def zero_grad(
        self,
    ):
        self.dWq = None
        self.dWk = None
        self.dWv = None

"""What peers are given to grade with: the checks that a course would write first. Text for their files."""

NAMES = ("forward", "gradients", "loss", "zero_grad")

SOURCE = """
import numpy as np


def made(cls):
    np.random.seed(42)
    return cls(8, 4), np.random.randn(2, 5, 8), np.random.randn(2, 5, 4)


def forward(cls):
    layer, X, _ = made(cls)
    assert layer.forward(X).shape == (2, 5, 4)


def gradients(cls):
    layer, X, dout = made(cls)
    layer.forward(X)
    dX = layer.backward(dout)
    for value, gradient in ((layer.Wq, layer.dWq), (layer.Wk, layer.dWk), (layer.Wv, layer.dWv), (X, dX)):
        numeric = np.zeros_like(value)
        for at in np.ndindex(value.shape):
            kept = value[at]
            value[at] = kept + 1e-5
            above = np.sum(layer.forward(X) * dout)
            value[at] = kept - 1e-5
            below = np.sum(layer.forward(X) * dout)
            value[at] = kept
            numeric[at] = (above - below) / 2e-5
        scale = np.maximum(np.abs(numeric) + np.abs(gradient), 1e-8)
        assert np.max(np.abs(numeric - gradient) / scale) < 1e-5


def loss(cls):
    layer, X, Y = made(cls)
    losses = []
    for _ in range(10):
        out = layer.forward(X)
        losses.append(0.5 * np.mean((out - Y) ** 2))
        layer.backward((out - Y) / out.size)
        for name in ("Wq", "Wk", "Wv"):
            setattr(layer, name, getattr(layer, name) - 0.5 * getattr(layer, "d" + name))
        layer.zero_grad()
    assert losses == sorted(losses, reverse=True)


def zero_grad(cls):
    layer, X, dout = made(cls)
    layer.forward(X)
    layer.backward(dout)
    layer.zero_grad()
    for name in ("dWq", "dWk", "dWv"):
        assert getattr(layer, name) is None or not np.any(getattr(layer, name))
"""

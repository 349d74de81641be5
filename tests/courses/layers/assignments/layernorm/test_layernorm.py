"""The public checks of layer normalisation: run `python check.py` or `pytest` in this folder."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gradcheck  # noqa: E402

SIZES = {"C": 6}
INPUT = OUTPUT = (2, 3, 6)  # (B, T, C)
GRADIENTS = {"gamma": "dgamma", "beta": "dbeta"}
THRESHOLD = 1e-5


def case():
    """A fresh layer, an input and an upstream gradient."""
    rng = np.random.default_rng(1)
    layer = importlib.import_module("layernorm").LayerNorm(**SIZES)
    return layer, rng.standard_normal(INPUT), rng.standard_normal(OUTPUT)


def test_forward_gives_the_right_shape():
    layer, X, G = case()
    out = layer.forward(X)
    if np.shape(out) != G.shape:
        pytest.fail(f"task 2.1 (forward): out has shape {np.shape(out)}; expected {G.shape}", pytrace=False)


@pytest.mark.parametrize("tensor", [*GRADIENTS, "X"])
def test_gradient_check(tensor):
    layer, X, G = case()
    layer.forward(X)
    returned = layer.backward(G)
    x, yours = (X, returned) if tensor == "X" else (getattr(layer, tensor), getattr(layer, GRADIENTS[tensor]))
    if np.shape(yours) != x.shape:
        pytest.fail(f"task 2.2 (backward): the gradient of {tensor} is not an array {x.shape}", pytrace=False)
    error = gradcheck.floored_error(yours, gradcheck.numerical_gradient(lambda: layer.forward(X), x, G))
    if not error < THRESHOLD:
        text = f"task 2.2 (backward): the gradient of {tensor} has a relative error of {error:.1e}"
        pytest.fail(text, pytrace=False)


test_forward_gives_the_right_shape.task = "2.1"
test_gradient_check.task = "2.2"

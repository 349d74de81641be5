"""The reference's gradients against an independent oracle: HIPS autograd on a forward of its own."""

from pathlib import Path

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad

from autograder.course import load_course
from autograder.sandbox.interpreter import load

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
REFERENCE = COURSE.solution_path(NAME).read_bytes()
SelfAttention, _, _ = load([REFERENCE], COURSE.assignments[NAME].class_name, False)


def loss(X, Wq, Wk, Wv, G):
    """sum(attention(X) * G), written with einsum and log-sum-exp, unlike the reference."""
    Q, K, V = (anp.einsum("btc,ch->bth", X, W) for W in (Wq, Wk, Wv))
    logits = anp.einsum("bth,bsh->bts", Q, K) * Wq.shape[1] ** -0.5
    shifted = logits - anp.max(logits, axis=-1, keepdims=True)
    A = anp.exp(shifted - anp.log(anp.sum(anp.exp(shifted), axis=-1, keepdims=True)))
    return anp.sum(anp.einsum("bts,bsh->bth", A, V) * G)


def gradients(B, T, C, hs, seed, scale):
    """[(reference's, oracle's)] for X, Wq, Wk, Wv; weights N(0, scale^2 / C)."""
    rng = np.random.default_rng(seed)
    X, G = rng.standard_normal((B, T, C)), rng.standard_normal((B, T, hs))
    weights = [rng.standard_normal((C, hs)) * scale / np.sqrt(C) for _ in range(3)]
    layer = SelfAttention(C, hs)
    layer.Wq[...], layer.Wk[...], layer.Wv[...] = weights
    layer.forward(X)
    yours = [layer.backward(G), layer.dWq, layer.dWk, layer.dWv]
    oracle = [grad(loss, n)(X, *weights, G) for n in range(4)]
    return list(zip(yours, oracle, strict=True))


def agree(pairs):
    """Every pair equal to 1e-12 of the largest entry of all tensors: a gradient may be zero exactly."""
    scale = max(np.abs(oracle).max() for _, oracle in pairs)
    for yours, oracle in pairs:
        assert yours.shape == oracle.shape
        assert np.abs(yours - oracle).max() <= 1e-12 * scale


@pytest.mark.parametrize("seed", range(50))
def test_random_shapes(seed):
    B, T, C, hs = (int(n) for n in np.random.default_rng(1000 + seed).integers(1, 10, 4))
    agree(gradients(B, T, C, hs, seed, 1.0))


@pytest.mark.parametrize("scale", [5.0, 20.0, 60.0])
@pytest.mark.parametrize("seed", range(5))
def test_large_logits(seed, scale):
    agree(gradients(2, 5, 8, 4, seed, scale))


@pytest.mark.parametrize("seed", range(5))
def test_one_token_has_no_gradient_through_the_weights(seed):
    pairs = gradients(3, 1, 6, 5, seed, 1.0)
    agree(pairs)
    for yours, _ in pairs[1:3]:  # dWq, dWk
        assert np.array_equal(yours, np.zeros((6, 5)))

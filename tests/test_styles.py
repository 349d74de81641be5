"""Correct layers, each written another way: they agree with the reference and lose no point."""

import ast
from typing import Any

import numpy as np
import pytest
from judging import ASSIGNMENT, REFERENCE, ROOT, lost

from autograder.layer import trusted_layer

STYLES = {path.stem: path for path in sorted((ROOT / "tests/styles").glob("*.py"))}
SHAPES = [(2, 5, 8, 4), (3, 7, 16, 8), (1, 1, 3, 2), (3, 1, 6, 5), (1, 6, 5, 3), (2, 4, 4, 4), (2, 3, 4, 9)]
PARAMETERS = ("Wq", "Wk", "Wv")
EPSILON = "epsilon_in_denominator"  # 1e-9 in the denominator moves gradients by up to 3e-7


def build(source: bytes, shape: tuple[int, ...], spread: float) -> tuple[Any, Any, Any]:
    """A layer with weights `spread` N(0, 1/C) set in place, an X (B, T, C) and a dout (B, T, hs)."""
    B, T, C, hs = shape
    rng = np.random.default_rng(sum(shape))
    layer = trusted_layer(source, ASSIGNMENT.class_name).cls(C, hs)
    for name in PARAMETERS:
        getattr(layer, name)[...] = spread * rng.standard_normal((C, hs)) / np.sqrt(C)
    return layer, rng.standard_normal((B, T, C)), rng.standard_normal((B, T, hs))


def answers(source: bytes, shape: tuple[int, ...], spread: float) -> dict[str, Any]:
    """Everything that a layer gives back, before and after its weights have moved with `-=`."""
    layer, X, dout = build(source, shape, spread)
    found = {"out": layer.forward(X), "dX": layer.backward(dout)}
    # Copies: a layer may keep its own buffers and fill them again.
    found |= {f"cache {n}": array.copy() for n, array in enumerate(layer.cache)}
    found |= {f"d{name}": getattr(layer, f"d{name}").copy() for name in PARAMETERS}
    layer.Wq -= 0.1 * layer.dWq
    layer.Wk -= 0.1 * layer.dWk
    layer.Wv -= 0.1 * layer.dWv
    return found | {"moved out": layer.forward(X), "moved dX": layer.backward(dout)}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", STYLES)
def test_a_style_agrees_with_the_reference(name: str, shape: tuple[int, ...]) -> None:
    tolerance = 1e-6 if name == EPSILON else 1e-9
    for spread in (0.02, 1.0):
        found = answers(STYLES[name].read_bytes(), shape, spread)
        expected = answers(REFERENCE.encode(), shape, spread)
        largest = max(np.abs(expected[key]).max() for key in expected if key.startswith("d"))
        assert len(found) == len(expected)  # a cache of five among them
        for key, array in expected.items():
            assert found[key].dtype == np.float64 and found[key].shape == array.shape
            # At T = 1 the gradients of Wq and Wk are zero: rounding is measured against the others.
            size = max(np.abs(array).max(), 1e-2 * largest if key.startswith("d") else 0.0)
            assert np.abs(found[key] - array).max() <= tolerance * size, (key, spread)


@pytest.mark.parametrize("name", STYLES)
def test_a_style_loses_no_point(name: str) -> None:
    assert lost(STYLES[name].read_bytes()) == {}


def test_there_are_many_and_each_says_what_it_is() -> None:
    assert len(STYLES) >= 26
    said = [ast.get_docstring(ast.parse(path.read_bytes())) or "" for path in STYLES.values()]
    assert all(text.startswith("Style: ") for text in said)
    assert len(set(said)) == len(said)


def test_the_bytes_are_as_they_should_be() -> None:
    """An editor or a checkout that tidies line ends would take the point out of these files."""
    read = {name: STYLES[name].read_bytes() for name in ("tabs", "crlf", "byte_order_mark", "latin_1")}
    assert b"\n\t\tself.Wq" in read["tabs"]
    assert read["crlf"].count(b"\r\n") == read["crlf"].count(b"\n")
    assert read["byte_order_mark"].startswith(b"\xef\xbb\xbf")
    with pytest.raises(UnicodeDecodeError):
        read["latin_1"].decode("utf-8")

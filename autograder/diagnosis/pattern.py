"""How a wrong array differs from the right one: a factor, a sign, a slice, another tensor's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .fingerprint import NOISE

Array = np.ndarray[Any, Any]

CLOSE = 1e-6  # of the largest expected entry
TINY = 1e-100  # of the largest expected entry: no factor is told, and its inverse may be no number


def pattern(
    yours: Array,
    expected: Array,
    axes: Sequence[str | int],
    sizes: Mapping[str, int],
    others: Mapping[str, Array],
) -> str:
    """What follows "dWq is": the simplest thing that is true everywhere, or "" if nothing simple is.

    Both arrays are finite and of one shape, with `axes` their symbols; `others` are right tensors by name.
    """
    scale = float(np.max(np.abs(expected), initial=0.0))
    if scale == 0.0 or not yours.size:
        return ""
    if not np.any(yours):
        return "zero everywhere"
    if float(np.max(np.abs(yours))) < TINY * scale:
        return "next to zero everywhere"
    apart = np.abs(yours - expected)
    if float(np.max(apart)) < NOISE * scale:
        return "off by no more than float32 or a difference quotient leaves"
    for name, other in others.items():
        if other.shape == yours.shape and _close(yours, other) and not _close(other, expected):
            return f"what {name} should be"
    factor = float(np.vdot(expected, yours) / np.vdot(expected, expected))
    if _close(yours, factor * expected):
        return _by_factor(factor, sizes)
    if _close(np.sort(yours, axis=None), np.sort(expected, axis=None)):
        return "made of the right numbers, in other places"
    return _in_slices(yours, expected, axes, scale)


def _close(one: Array, other: Array) -> bool:
    return float(np.max(np.abs(one - other))) <= CLOSE * max(float(np.max(np.abs(other))), 1e-300)


def _by_factor(factor: float, sizes: Mapping[str, int]) -> str:
    if abs(factor + 1.0) < CLOSE:
        return "of the wrong sign everywhere"
    large = abs(factor) > 1.0
    shown = abs(factor) if large else 1.0 / abs(factor)
    name = constant(shown, sizes)
    named = f"; {shown:.5g} = {name}" if name and name != f"{shown:.5g}" else ""
    sign = " and of the wrong sign" if factor < 0 else ""
    return f"{shown:.5g} times too {'large' if large else 'small'}{sign} everywhere{named}"


def constant(value: float, sizes: Mapping[str, int]) -> str:
    """`value` in terms of the sizes, the simplest first: "sqrt(hs)", "B", "B T"; "" if it is none of them."""
    named: list[tuple[str, float]] = [("2", 2.0), ("3", 3.0)]
    named += [(f"sqrt({s})", float(np.sqrt(n))) for s, n in sizes.items()]
    named += [(s, float(n)) for s, n in sizes.items()]
    named += [(f"{s} {t}", float(n * m)) for s, n in sizes.items() for t, m in sizes.items() if s < t]
    named += [(f"{s} sqrt({s})", float(n**1.5)) for s, n in sizes.items()]
    named += [
        (f"sqrt({s} / {t})", float(np.sqrt(n / m)))
        for s, n in sizes.items()
        for t, m in sizes.items()
        if s != t
    ]
    named += [("ln 2", float(np.log(2.0))), ("1 / ln 2", float(1.0 / np.log(2.0)))]
    return next((name for name, number in named if abs(value - number) <= CLOSE * number), "")


def _in_slices(yours: Array, expected: Array, axes: Sequence[str | int], scale: float) -> str:
    """Along one axis: some slices right and others not, or each off by a factor or amount of its own."""
    for axis, symbol in enumerate(axes):
        if yours.shape[axis] < 2 or not isinstance(symbol, str):
            continue
        rest = tuple(n for n in range(yours.ndim) if n != axis)
        wrong = np.flatnonzero(np.max(np.abs(yours - expected), axis=rest) > CLOSE * scale)
        right = sorted(set(range(yours.shape[axis])) - set(wrong.tolist()))
        if right and len(right) <= 2 < yours.shape[axis]:
            return f"right only at {symbol} index {' and '.join(map(str, right))}"
        if right and len(wrong) <= 2:
            return f"wrong only at {symbol} index {' and '.join(map(str, wrong.tolist()))}"
    if yours.ndim < 2:
        return ""
    for axis, symbol in enumerate(axes):
        rest = tuple(n for n in range(yours.ndim) if n != axis)
        factors = np.sum(yours * expected, axis=rest, keepdims=True) / np.maximum(
            np.sum(expected * expected, axis=rest, keepdims=True), 1e-300
        )
        if yours.shape[axis] > 1 and _close(yours, factors * expected):
            return f"off by one factor for each index of {symbol}"
    for axis, symbol in enumerate(axes):
        off = yours - expected
        if yours.shape[axis] > 1 and _close(off, np.mean(off, axis=axis, keepdims=True) + 0.0 * off):
            return f"off by an amount that is the same for every index of {symbol}"
    return ""

# A copy of autograder/gradcheck.py, made by `autograder build`: edit that file and build again.
"""Checking a gradient against differences of the function it belongs to.

NumPy only: students receive this file beside their stub. `f` is a function of no arguments that
returns an array and reads `x`; every function here changes `x` in place and puts it back.

The step and the stencil matter. With two points and a step of 1e-6, rounding in the loss divided
by 2e-6 swamps entries near zero and a correct layer fails now and then. Four points and a step of
1e-3 leave truncation and rounding both near 1e-10.
"""

import numpy as np

# f' = [8 (f(h) - f(-h)) - (f(2h) - f(-2h))] / 12h + O(h^4); Abramowitz and Stegun 25.3.6.
STENCIL = (1.0, -1.0, 2.0, -2.0)  # multiples of the step, in the order `combine` reads them


def relative_error(a, b):
    """The lesson's figure: max |a - b| / max(1e-12, |a| + |b|) over entries; any equal shapes."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.size == 0:
        return 0.0
    return float(np.max(np.abs(a - b) / np.maximum(1e-12, np.abs(a) + np.abs(b))))


def floored_error(a, b, scale=None):
    """Like `relative_error`, but a denominator is at least 1e-3 of the largest entry of `a` and `b`.

    Entries near zero are then judged against their tensor and not against their own rounding.
    `scale`, the largest entry of all tensors of the layer, floors it at 1e-6 of that as well.
    Not-a-number anywhere gives infinity.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.size == 0:
        return 0.0
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("inf")
    size = np.abs(a) + np.abs(b)
    floor = max(1e-3 * float(size.max()), 1e-6 * (scale or 0.0), 1e-12)
    return float(np.max(np.abs(a - b) / np.maximum(floor, size)))


def combine(values, step):
    """Derivative from `values` (..., 4, *out) taken at `STENCIL` times `step`: (..., *out).

    `values` has its stencil axis first: (4, *out). Differences are taken in pairs, which is
    exactly zero where f does not depend on x.
    """
    plus, minus, plus2, minus2 = values
    return (8.0 * (plus - minus) - (plus2 - minus2)) / (12.0 * step)


def derivative(f, x, direction, step=1e-3):
    """Derivative of `f` along `direction` (shape of x), shape of f's result."""
    base = x.copy()
    values = []
    for point in STENCIL:
        x[...] = base + (point * step) * direction
        values.append(np.array(f(), dtype=float))
    x[...] = base
    return combine(values, step)


def numerical_gradient(f, x, upstream, step=1e-3):
    """Gradient of sum(f() * upstream) with respect to every entry of `x`; shape of x."""
    gradient = np.zeros(x.shape)
    direction = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        direction[index] = 1.0
        gradient[index] = np.sum(derivative(f, x, direction, step) * upstream)
        direction[index] = 0.0
    return gradient


def naive_gradient(f, x, upstream, step=1e-6):
    """The lesson's own gradient: two points, differences of the loss itself; shape of x."""
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        kept = x[index]
        x[index] = kept + step
        plus = np.sum(f() * upstream)
        x[index] = kept - step
        minus = np.sum(f() * upstream)
        x[index] = kept
        gradient[index] = (plus - minus) / (2.0 * step)
    return gradient

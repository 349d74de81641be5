"""A layer's true gradient in every entry, by differences, to explain one that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..layer import Layer, Script
from .outcome import difference
from .problem import Array, Problem

STEP = 1e-4  # of two points: truncation and rounding are both below 1e-7, and six digits are shown at most


def true_gradients(
    problem: Problem,
    layer: Layer,
    shape: str,
    values: Mapping[str, Array],
    names: Sequence[str],
    upstream: Array,
    seconds: float | None = None,
) -> dict[str, Array | None]:
    """The gradient of sum(out * upstream) in each tensor of `names`, (*s) as the tensor.

    `values` are all parameters and the input. None where there is none to be had. Raises Stopped.
    """
    script, given = Script(), problem.assignment.input.name
    sweeps = {}
    for name in names:
        script.group()
        made = problem.new(script, shape)
        script.set_all(made, {parameter: values[parameter] for parameter in problem.parameters})
        basis = np.eye(values[name].size).reshape(-1, *values[name].shape)
        moved = "" if name == given else name
        sweeps[name] = script.sweep(made, moved, values[name], basis, (STEP, -STEP), values[given])
    results = layer.run(script, seconds)
    return {name: _slopes(results[ref], values[name], upstream) for name, ref in sweeps.items()}


def _slopes(outputs: Any, value: Array, upstream: Array) -> Array | None:
    if type(outputs) is not np.ndarray or outputs.shape != (value.size, 2, *upstream.shape):
        return None
    slopes = (outputs[:, 0] - outputs[:, 1]) / (2.0 * STEP)
    gradient: Array = np.sum(slopes * upstream, axis=tuple(range(1, slopes.ndim))).reshape(value.shape)
    return gradient if np.isfinite(gradient).all() else None


def worst_entry(yours: Array, true: Array, limit: float) -> dict[str, Any]:
    """Where the two differ most, with both values there; empty where that is not above `limit`."""
    found = difference(yours, true, "", limit)
    return {key: found[key] for key in ("at", "yours", "expected") if key in found}

"""The entry of a failed gradient that is furthest from the true one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..layer import Layer, Script
from .outcome import difference
from .problem import Array, Problem

STEP = 1e-4  # of two points, which give the four digits that are shown


def true_gradient(
    problem: Problem, layer: Layer, shape: str, values: Mapping[str, Array], name: str, upstream: Array
) -> Array | None:
    """The gradient of sum(out * upstream) in tensor `name`, (*s), by differences entry by entry.

    `values` are all parameters and the input. None where there are none to be had. Raises Stopped.
    """
    value, given = values[name], problem.assignment.input.name
    basis = np.eye(value.size).reshape(value.size, *value.shape)
    script = Script()
    made = problem.new(script, shape)
    script.set_all(made, {parameter: values[parameter] for parameter in problem.parameters})
    moved = "" if name == given else name
    swept = script.sweep(made, moved, value, basis, (STEP, -STEP), values[given])
    outputs = layer.run(script)[swept]
    if type(outputs) is not np.ndarray or outputs.shape != (value.size, 2, *upstream.shape):
        return None
    slopes = (outputs[:, 0] - outputs[:, 1]) / (2.0 * STEP)
    true: Array = np.sum(slopes * upstream, axis=tuple(range(1, slopes.ndim))).reshape(value.shape)
    return true


def worst_entry(yours: Array, true: Array, limit: float) -> dict[str, Any]:
    """Where the two differ most, with both values there; empty where that is not above `limit`."""
    found = difference(yours, true, "", limit)
    return {key: found[key] for key in ("at", "yours", "expected") if key in found}

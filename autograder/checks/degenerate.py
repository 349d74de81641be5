"""A layer that does nothing keeps every promise: what it keeps earns nothing until it is seen to work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..layer import Ref, Results
from .outcome import because, structure


def idle(
    results: Results, first: Mapping[str, Ref], second: Mapping[str, Ref], *, backward: bool = True
) -> dict[str, Any] | None:
    """A finding unless the layer works: right or wrong, its values are finite and follow what it is given.

    first, second: the answers of two passes with other inputs, by tensor, the output before its
    gradients. With `backward`, also one of the gradients must be other than zero and follow.
    """
    out, *gradients = first
    wrong = structure(results[first[out]], out, None)
    if wrong:
        return because(wrong, results, first[out])
    if not _follows(results[first[out]], results[second[out]]):
        return {"tensor": out, "measure": "degenerate", "value": "the same for every input"}
    if backward and not any(_follows(results[first[name]], results[second[name]]) for name in gradients):
        # What did not run says so in its own finding.
        wrong = structure(results[first[gradients[0]]], gradients[0], None)
        if wrong:
            return because(wrong, results, first[gradients[0]])
        return {"tensor": "gradients", "measure": "degenerate", "value": "zero, or the same for every dout"}
    return None


def _follows(value: Any, other: Any) -> bool:
    """Whether a finite array, not all zero, has another value where the input is another."""
    if structure(value, "", None) or structure(other, "", value.shape):
        return False
    return bool(np.any(value)) and not np.array_equal(value, other)

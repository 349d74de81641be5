"""What makes gradients noisy that are right as far as they go: differences, or single precision, inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..layer import Layer, Raised, Ref, Script, Stopped
from .outcome import largest, structure
from .problem import Problem

CALLS_FORWARD = "differences inside backward"
SINGLE = "single precision inside backward"
BEYOND = 2.0**140  # float32 ends at 2^128; in float64 a power of two changes no digit


class Inside:
    """Two questions to a backward: does it need forward, and does it stand an upstream gradient of 1e42?"""

    def __init__(self, problem: Problem, shape: str, seed: int):
        X, self.upstream = problem.lesson_arrays(shape, seed)
        weights = problem.weights(shape, seed)

        def backward(factor: float, forward: bool) -> tuple[Script, Ref]:
            s = Script()
            layer = problem.new(s, shape)
            s.set_all(layer, weights)
            s.call(layer, "forward", X)
            if not forward:
                s.setattr(layer, "forward", None)
            return s, s.call(layer, "backward", factor * self.upstream)

        self.alone, self.without_forward = backward(1.0, False)
        self.large, self.beyond = backward(BEYOND, True)

    def name(self, layer: Layer) -> str | None:
        """What is inside, where that can be shown. For a backward that works when it is asked as usual."""
        try:
            answer = layer.run(self.alone)[self.without_forward]
            if isinstance(answer, Raised) and answer.name == "TypeError":  # None cannot be called
                return CALLS_FORWARD
            if structure(layer.run(self.large)[self.beyond], "", None):
                return SINGLE
        except Stopped:
            pass
        return None


def noise(outputs: Any, base: Any) -> float:
    """How rough a forward is along a line: its fourth difference, relative to its largest output.

    outputs (k, 4, *out) at `gradcheck.STENCIL` times a step from where `base` (*out) was taken. Of a smooth
    function this is the fourth power of the step; what is left is rounding. 0 where it cannot be told.
    """
    if type(outputs) is not np.ndarray or structure(base, "", outputs.shape[2:]):
        return 0.0
    plus, minus, plus2, minus2 = np.moveaxis(outputs, 1, 0)
    fourth = (plus2 + minus2) - 4.0 * (plus + minus) + 6.0 * base
    size = largest(base)
    return largest(fourth) / size if size else 0.0

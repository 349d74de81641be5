"""Gradients at further shapes against the reference's own: where forward agrees with it, backward must."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..layer import Results, Script
from .outcome import finite, largest, structure
from .problem import Problem


class Further:
    """One shape at which gradients are held against the reference's, where forward agrees with it."""

    def __init__(self, problem: Problem, shape: str, seed: int):
        self.script = script = Script()
        X, G = problem.lesson_arrays(shape, seed)
        layer = problem.new(script, shape)
        script.set_all(layer, problem.weights(shape, seed))
        self.out = script.call(layer, "forward", X)
        self.refs = {problem.assignment.input.name: script.call(layer, "backward", G)}
        for parameter, gradient in problem.pairs:
            self.refs[parameter] = script.get(layer, gradient)
        self.expected = problem.reference.run(script)
        self.scale = max(largest(self.expected[ref]) for ref in self.refs.values())

    def wrong(self, results: Results, names: dict[str, str], limit: float) -> dict[str, dict[str, Any]]:
        """Findings by tensor; none where forward is wrong, for then the reference is no measure."""
        if not alike(results[self.out], self.expected[self.out]):
            return {}
        findings = {}
        for name, ref in self.refs.items():
            expected = self.expected[ref]
            found = structure(results[ref], names[name], expected.shape)
            if not found:
                apart = largest(results[ref] - expected)
                # At T = 1 the scores' gradients are exactly 0: their residue is judged against the others.
                error = apart / max(largest(expected), 1e-3 * self.scale, 1e-300)
                if error < limit:
                    continue
                found = {
                    "tensor": names[name], "measure": "relative error at a further shape",
                    "value": finite(error), "limit": limit,
                }  # fmt: skip
            findings[name] = found
        return findings


def alike(yours: Any, expected: Any, limit: float = 1e-6) -> bool:
    """Whether two arrays are the same to `limit` of the largest expected entry."""
    if structure(yours, "", np.shape(expected)):
        return False
    return largest(yours - expected) <= limit * max(largest(expected), 1e-300)

"""Gradients at further shapes against the reference's own: where forward agrees with it, backward must."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..layer import Ref, Results, Script
from .outcome import finite, largest, structure
from .problem import Problem


class Further:
    """Shapes at which gradients are held to the reference's where forward agrees with it."""

    def __init__(self, problem: Problem, shapes: Iterable[str], seed: int):
        self.script = Script()
        self.asked = [self._ask(problem, shape, seed) for shape in shapes]
        self.expected = problem.reference.run(self.script)

    def _ask(self, problem: Problem, shape: str, seed: int) -> tuple[Ref, dict[str, Ref]]:
        """Where the output is, and the gradient of each tensor."""
        script = self.script
        X, G = problem.lesson_arrays(shape, seed)
        script.group()
        layer = problem.new(script, shape)
        script.set_all(layer, problem.weights(shape, seed))
        out = script.call(layer, "forward", X)
        refs = {problem.assignment.input.name: script.call(layer, "backward", G)}
        for parameter, gradient in problem.pairs:
            refs[parameter] = script.get(layer, gradient)
        return out, refs

    def wrong(self, results: Results, names: dict[str, str], limit: float) -> dict[str, dict[str, Any]]:
        """Findings by tensor, each of the first shape that has one."""
        findings: dict[str, dict[str, Any]] = {}
        for out, refs in self.asked:
            if alike(results[out], self.expected[out]):  # else the reference is no measure
                findings = self._apart(results, refs, names, limit) | findings
        return findings

    def _apart(
        self, results: Results, refs: dict[str, Ref], names: dict[str, str], limit: float
    ) -> dict[str, dict[str, Any]]:
        findings = {}
        scale = max(largest(self.expected[ref]) for ref in refs.values())
        for name, ref in refs.items():
            expected = self.expected[ref]
            found = structure(results[ref], names[name], expected.shape)
            if not found:
                apart = largest(results[ref] - expected)
                # At T = 1 the scores' gradients are exactly 0: their residue is judged against the others.
                error = apart / max(largest(expected), 1e-3 * scale, 1e-300)
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

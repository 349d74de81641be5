"""`zero_grad`: gradients become None or zeros, nothing else changes, and training goes on as before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..course.specs import ZeroGradSpec
from ..layer import Layer, NotRun, Raised, Results, Script, Stopped
from .outcome import Outcome, Part, because, cause, difference, judged, stopped, structure
from .problem import Problem

METHOD = "zero_grad"


class ZeroGradCheck:
    id = "zero_grad"

    def __init__(self, problem: Problem, spec: ZeroGradSpec):
        self.problem, self.spec = problem, spec
        self.parts = tuple(Part(name, points) for name, points in spec.parts.items())
        self.X, self.Y = problem.lesson_arrays(spec.shape, spec.seed)
        weights = problem.weights(spec.shape, spec.seed)
        # A frame of its own: what zero_grad does alone counts also when backward never ends.
        s = self.alone = Script()
        layer = problem.new(s, spec.shape)
        for name, gradient in problem.pairs:
            s.setattr(layer, gradient, np.ones_like(weights[name]))
        self.called = s.call(layer, METHOD)
        self.cleared = problem.gradients(s, layer)

        s = self.script = Script()
        layer = problem.new(s, spec.shape)
        s.set_all(layer, weights)
        s.call(layer, "forward", self.X)
        self.first = s.call(layer, "backward", self.Y)
        before = {name: s.get(layer, name) for name in problem.parameters}
        s.call(layer, METHOD)
        after = {name: s.get(layer, name) for name in problem.parameters}
        self.second = s.call(layer, "backward", self.Y)
        self.kept = [(name, before[name], after[name]) for name in before]
        self.kept.append((problem.assignment.input_gradient or "dX", self.first, self.second))

        self.loops = []
        for zero_grad in ("", METHOD):
            s.group()
            layer = problem.new(s, spec.shape)
            s.set_all(layer, weights)
            self.loops.append(
                s.train(layer, self.X, self.Y, rate=0.5, steps=4, pairs=problem.pairs, zero_grad=zero_grad)
            )

    def run(self, layer: Layer) -> Outcome:
        outcome = Outcome()
        for script, judges in ((self.alone, ("clears",)), (self.script, ("keeps", "loop"))):
            parts = tuple(part for part in self.parts if part.id in judges)
            try:
                results = layer.run(script)
            except Stopped as error:
                outcome.evidence += stopped(parts, error)
                continue
            for part in parts:
                outcome.evidence.append(judged(part, getattr(self, f"_{part.id}")(results), {}))
        return outcome

    def _clears(self, results: Results) -> list[dict[str, Any]]:
        if isinstance(results[self.called], (Raised, NotRun)):
            return [cause(results, self.called) or {"measure": "call"}]
        findings = []
        for (name, _), (gradient, ref) in zip(self.problem.pairs, self.cleared.items(), strict=True):
            value = results[ref]
            if value is None:
                continue
            shape = self.problem.assignment.resolve(
                self.problem.assignment.parameters[name], self.problem.sizes(self.spec.shape)
            )
            wrong = structure(value, gradient, shape)
            if wrong:
                findings.append({**wrong, "limit": "None or zeros of the parameter's shape"})
            elif np.any(value):
                findings.append(
                    {"tensor": gradient, "measure": "largest entry left",
                     "value": float(np.max(np.abs(value))), "limit": 0.0}
                )  # fmt: skip
        return findings

    def _keeps(self, results: Results) -> list[dict[str, Any]]:
        return [
            {
                **wrong,
                "measure": wrong["measure"]
                if wrong["measure"] != "relative error"
                else "changed by zero_grad",
            }
            for tensor, before, after in self.kept
            if (wrong := same(results, before, after, tensor, 1e-12))
        ]

    def _loop(self, results: Results) -> list[dict[str, Any]]:
        wrong = same(results, self.loops[0], self.loops[1], "outputs along the loop", 1e-9)
        return [wrong] if wrong else []


def same(results: Results, expected: Any, yours: Any, tensor: str, limit: float) -> dict[str, Any] | None:
    """A finding unless two results of one script are equal arrays to `limit`."""
    for ref in (expected, yours):
        wrong = structure(results[ref], tensor, None)
        if wrong:
            return because(wrong, results, ref)
    a, b = results[yours], results[expected]
    if a.shape != b.shape:
        return structure(a, tensor, b.shape)
    found = difference(a, b, tensor, limit)
    return found if "at" in found else None

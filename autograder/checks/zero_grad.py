"""`zero_grad`: gradients become None or zeros, nothing else changes, and training goes on as before."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..course.specs import ZeroGradSpec
from ..layer import Layer, Ref, Results, Script, Stopped, ran
from .degenerate import idle
from .outcome import Outcome, Part, because, cause, difference, judged, largest, stopped, structure
from .problem import Array, Problem

METHOD = "zero_grad"


class ZeroGradCheck:
    id = "zero_grad"

    def __init__(self, problem: Problem, spec: ZeroGradSpec):
        self.problem, self.spec = problem, spec
        self.parts = tuple(Part(name, points) for name, points in spec.parts.items())
        self.X, self.Y = problem.lesson_arrays(spec.shape, spec.seed)
        weights = problem.weights(spec.shape, spec.seed)
        self.dinput = problem.assignment.input_gradient or f"d{problem.assignment.input.name}"
        # A frame of its own: what zero_grad does alone counts also when backward never ends.
        s = self.alone = Script()
        layer = problem.new(s, spec.shape)
        for name, gradient in problem.pairs:
            s.setattr(layer, gradient, np.ones_like(weights[name]))
        self.called = s.call(layer, METHOD)
        self.cleared = problem.gradients(s, layer)

        s = self.script = Script()
        X2, Y2 = problem.lesson_arrays(spec.shape, spec.seed + 1)
        self.other = self._pass(X2, Y2, weights)[1]
        layer, self.works = self._pass(self.X, self.Y, weights)
        before = {name: s.get(layer, name) for name in problem.parameters}
        self.called_later = s.call(layer, METHOD)
        self.cleared_later = self._gradients(layer)
        after = {name: s.get(layer, name) for name in problem.parameters}
        second = s.call(layer, "backward", self.Y)
        self.kept = [(name, before[name], after[name]) for name in before]
        self.kept.append((self.dinput, self.works[self.dinput], second))

        self.loops = []
        for zero_grad in ("", METHOD):
            s.group()
            layer = problem.new(s, spec.shape)
            s.set_all(layer, weights)
            self.loops.append(
                s.train(layer, self.X, self.Y, rate=0.5, steps=4, pairs=problem.pairs, zero_grad=zero_grad)
            )

    def _pass(self, X: Array, Y: Array, weights: dict[str, Array]) -> tuple[Ref, dict[str, Ref]]:
        """A new layer, and all that it answers to a forward and a backward."""
        s = self.script
        s.group()
        layer = self.problem.new(s, self.spec.shape)
        s.set_all(layer, weights)
        found = {self.problem.assignment.output.name: s.call(layer, "forward", X)}
        found[self.dinput] = s.call(layer, "backward", Y)
        return layer, found | self._gradients(layer)

    def _gradients(self, layer: Ref) -> dict[str, Ref]:
        """Each read in a group of its own: one that is missing keeps nothing after it from running."""
        found = {}
        for _, gradient in self.problem.pairs:
            self.script.group()
            found[gradient] = self.script.get(layer, gradient)
        return found

    def run(self, layer: Layer, passed: Collection[str] = ()) -> Outcome:
        alone, trained = _answers(layer, self.alone), _answers(layer, self.script)
        outcome = Outcome()
        for part in self.parts:
            results = alone if part.id == "clears" else trained
            if isinstance(results, Stopped):
                outcome.evidence += stopped((part,), results)
                continue
            if part.id == "clears":
                findings = self._clears(results, trained)
            else:
                nothing = self._does_nothing(alone, results) or idle(results, self.works, self.other)
                findings = [nothing] if nothing else getattr(self, f"_{part.id}")(results)
            outcome.evidence.append(judged(part, findings, {}))
        return outcome

    def _does_nothing(self, alone: Results | Stopped, trained: Results) -> dict[str, Any] | None:
        """A finding where zero_grad did not run or cleared none of the gradients: it keeps all trivially."""
        if not ran(trained[self.called_later]):
            return cause(trained, self.called_later)
        if isinstance(alone, Stopped) or any(
            type(alone[ref]) is not np.ndarray or not np.any(alone[ref]) for ref in self.cleared.values()
        ):
            return None
        return {"tensor": METHOD, "measure": "degenerate", "value": "clears nothing"}

    def _clears(self, alone: Results, trained: Results | Stopped) -> list[dict[str, Any]]:
        if not ran(alone[self.called]):
            return [cause(alone, self.called) or {"measure": "call"}]
        findings = self._left(alone, self.cleared)
        if not findings and isinstance(trained, Results) and ran(trained[self.called_later]):
            findings = self._left(trained, self.cleared_later)
        return findings

    def _left(self, results: Results, cleared: dict[str, Ref]) -> list[dict[str, Any]]:
        """Findings for gradients that are neither None nor zeros."""
        findings = []
        for (name, _), (gradient, ref) in zip(self.problem.pairs, cleared.items(), strict=True):
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
                     "value": largest(value), "limit": 0.0}
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


def _answers(layer: Layer, script: Script) -> Results | Stopped:
    try:
        return layer.run(script)
    except Stopped as error:
        return error


def same(results: Results, expected: Any, yours: Any, tensor: str, limit: float) -> dict[str, Any] | None:
    """A finding unless two results of one script are equal arrays to `limit`."""
    a, b = results[yours], results[expected]
    for value, ref in ((b, expected), (a, yours)):
        wrong = structure(value, tensor, None)
        if wrong:
            return because(wrong, results, ref)
        if type(a) is np.ndarray and (a.dtype, a.shape) == (b.dtype, b.shape) and a.tobytes() == b.tobytes():
            return None  # as in nearly every right layer
    if a.shape != b.shape:
        return structure(a, tensor, b.shape)
    found = difference(a, b, tensor, limit)
    return found if "at" in found else None

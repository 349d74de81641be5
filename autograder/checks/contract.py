"""`contract`: what callers rely on beside values. A layer is held against its own first answers here,
so that a wrong value costs its points once, in the check of values; one that does nothing earns nothing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..course.specs import ContractSpec
from ..layer import Layer, Ref, Results, Script
from .degenerate import idle
from .outcome import Outcome, Part, because, difference, judged, structure
from .problem import Array, Problem
from .zero_grad import same

Pair = tuple[str, Ref, Ref]  # tensor, expected, yours


class ContractCheck:
    id = "contract"

    def __init__(self, problem: Problem, spec: ContractSpec):
        self.problem, self.spec = problem, spec
        self.parts = tuple(Part(name, points) for name, points in spec.parts.items())
        self.script = s = Script()
        self.out = problem.assignment.output.name
        self.dinput = problem.assignment.input_gradient or f"d{problem.assignment.input.name}"
        self.weights = problem.weights(spec.shape, spec.hidden_seed)
        self.X, self.G = problem.lesson_arrays(spec.shape, spec.hidden_seed)
        self.X2, self.G2 = problem.lesson_arrays(spec.shape, spec.hidden_seed + 1)

        self.drawn: list[tuple[str, Ref, Array]] = []
        self.rng = []
        for seed in (None, 7) if problem.assignment.seed_argument else (None,):
            s.group()
            before = s.rng()
            layer = problem.new(s, spec.shape, seed)
            self.rng.append((before, s.rng()))
            for name, value in problem.initial(spec.shape, seed).items():
                self.drawn.append((name, s.get(layer, name), value))

        self.alone = self._pass(self.X, self.G)
        self.alone2 = self._pass(self.X2, self.G2)
        self.untouched = self._untouched()
        self.again = self._again()
        self.interleaved = self._interleaved()
        self.any_shape, self.shapes = self._any_shape()

    def _layer(self) -> Ref:
        self.script.group()
        layer = self.problem.new(self.script, self.spec.shape)
        self.script.set_all(layer, self.weights)
        return layer

    def _returned(self, layer: Ref, X: Any, G: Any) -> dict[str, Ref]:
        """Forward, backward, and what they return."""
        s = self.script
        return {self.out: s.call(layer, "forward", X), self.dinput: s.call(layer, "backward", G)}

    def _both(self, layer: Ref, X: Any, G: Any) -> dict[str, Ref]:
        """The same, and the gradients that backward leaves."""
        return self._returned(layer, X, G) | self.problem.gradients(self.script, layer)

    def _pass(self, X: Any, G: Any) -> dict[str, Ref]:
        return self._both(self._layer(), X, G)

    def _untouched(self) -> list[tuple[str, Array, Ref]]:
        s, layer = self.script, self._layer()
        X, G = s.array(self.X), s.array(self.G)
        out = s.call(layer, "forward", X)
        dinput = s.call(layer, "backward", G)
        kept: list[tuple[str, Any, Ref]] = [
            (self.problem.assignment.input.name, self.X, s.reread(X)),
            (f"d{self.out}", self.G, s.reread(G)),
        ]
        kept += [(name, value, s.get(layer, name)) for name, value in self.weights.items()]
        s.call(layer, "forward", self.X2)
        s.call(layer, "backward", self.G2)
        for name, ref in ((self.out, out), (self.dinput, dinput)):
            kept.append((f"{name} of an earlier call", self.alone[name], s.reread(ref)))
        return kept

    def _again(self) -> list[Pair]:
        s, layer = self.script, self._layer()
        first = self._both(layer, self.X, self.G)
        again = {self.dinput: s.call(layer, "backward", self.G)} | self.problem.gradients(s, layer)
        return [(name, first[name], again[name]) for name in again]

    def _interleaved(self) -> list[Pair]:
        s = self.script
        a = self._layer()
        b = self.problem.new(s, self.spec.shape)
        s.set_all(b, self.weights)
        s.call(a, "forward", self.X)
        s.call(b, "forward", self.X2)
        found = {self.dinput: s.call(a, "backward", self.G)}
        found2 = {self.dinput: s.call(b, "backward", self.G2)} | self.problem.gradients(s, b)
        found |= self.problem.gradients(s, a)
        pairs = [(name, self.alone[name], ref) for name, ref in found.items()]
        pairs += [(name, self.alone2[name], ref) for name, ref in found2.items()]
        # One object, used twice, forgets its first use.
        layer = self._layer()
        self._returned(layer, self.X, self.G)
        later = self._returned(layer, self.X2, self.G2)
        pairs += [(name, self.alone2[name], ref) for name, ref in later.items()]
        # Two gradients in one piece of memory: adding to one changes the other.
        layer = self._layer()
        s.call(layer, "forward", self.X)
        s.call(layer, "backward", self.G)
        gradients = list(self.problem.gradients(s, layer).items())
        for name, ref in gradients[:-1]:
            s.add(ref, 1.0)
            for other, later_ref in gradients[gradients.index((name, ref)) + 1 :]:
                pairs.append((other, self.alone[other], s.reread(later_ref)))
        return pairs

    def _any_shape(self) -> tuple[list[Pair], list[tuple[str, Ref, tuple[int, ...]]]]:
        """The same object at other leading sizes and memory layouts against a fresh one."""
        s, problem = self.script, self.problem
        free = [n for n in problem.assignment.input.shape if n not in problem.assignment.constructor]
        shared = self._layer()
        pairs, shapes = [], []
        for number, lengths in enumerate(((3, 4), (4, 9), (1, 1))):
            sizes = {**problem.sizes(self.spec.shape), **dict(zip(map(str, free), lengths, strict=False))}
            rng = np.random.default_rng(self.spec.hidden_seed + number)
            X = rng.standard_normal(problem.assignment.resolve(problem.assignment.input.shape, sizes))
            G = rng.standard_normal(problem.assignment.resolve(problem.assignment.output.shape, sizes))
            found = self._returned(
                shared, s.array(X, ("strided", "F", "C")[number], True), s.array(G, "C", True)
            )
            fresh = problem.new(s, self.spec.shape)
            s.set_all(fresh, self.weights)
            expected = self._returned(fresh, X, G)
            # What the layer returns: gradients that add up over calls are the part `again`.
            pairs += [(name, expected[name], found[name]) for name in (self.out, self.dinput)]
            shapes += [(self.out, found[self.out], G.shape), (self.dinput, found[self.dinput], X.shape)]
        return pairs, shapes

    def run(self, layer: Layer, passed: Collection[str] = ()) -> Outcome:
        results = layer.run(self.script)
        outcome = Outcome()
        for part in self.parts:
            nothing = idle(results, self.alone, self.alone2, backward=part.id != "initial")
            findings = [nothing] if nothing else getattr(self, f"_judge_{part.id}")(results)
            outcome.evidence.append(judged(part, findings, {}))
        return outcome

    def _judge_initial(self, results: Results) -> list[dict[str, Any]]:
        findings = []
        for name, ref, expected in self.drawn:
            value = results[ref]
            wrong = structure(value, name, expected.shape)
            if wrong:
                findings.append(wrong)
            elif value.dtype != expected.dtype or value.tobytes() != expected.tobytes():
                findings.append({**difference(value, expected, name, 0.0), "measure": "initial value"})
        for before, after in self.rng:
            states = [results[before], results[after]]
            if any(type(s) is not np.ndarray for s in states) or not np.array_equal(*states):
                findings.append({"tensor": "np.random", "measure": "global state", "value": "changed"})
        return findings

    def _judge_dtype(self, results: Results) -> list[dict[str, Any]]:
        findings = []
        for name, ref in self.alone.items():
            wrong = structure(results[ref], name, None)
            if wrong:
                wrong = because(wrong, results, ref)
            elif results[ref].dtype != np.float64:
                wrong = {
                    "tensor": name,
                    "measure": "dtype",
                    "value": results[ref].dtype.name,
                    "limit": "float64",
                }
            if wrong:
                findings.append(wrong)
        return findings

    def _judge_untouched(self, results: Results) -> list[dict[str, Any]]:
        findings = []
        for name, expected, ref in self.untouched:
            before = results[expected] if isinstance(expected, Ref) else expected
            wrong = structure(before, name, None)
            wrong = wrong or structure(results[ref], name, before.shape)
            if wrong:
                wrong = because(wrong, results, ref)
            elif not np.array_equal(results[ref], before):
                wrong = {
                    "tensor": name,
                    "measure": "changed by the layer",
                    "value": "changed",
                    "limit": "unchanged",
                }
            if wrong:
                findings.append(wrong)
        return findings

    def _judge_again(self, results: Results) -> list[dict[str, Any]]:
        return self._pairs(results, self.again)

    def _judge_interleaved(self, results: Results) -> list[dict[str, Any]]:
        return self._pairs(results, self.interleaved)

    def _judge_any_shape(self, results: Results) -> list[dict[str, Any]]:
        wrong = [structure(results[ref], tensor, shape) for tensor, ref, shape in self.shapes]
        return self._pairs(results, self.any_shape) + [w for w in wrong if w]

    def _pairs(self, results: Results, pairs: list[Pair]) -> list[dict[str, Any]]:
        return [
            wrong
            for tensor, expected, yours in pairs
            if (wrong := same(results, expected, yours, tensor, self.spec.tolerance))
        ]

"""`forward`: values against the reference at several shapes, large logits, the cache, its distributions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..course.specs import ForwardSpec
from ..layer import Layer, Ref, Script, ran
from .outcome import Outcome, Part, against, because, difference, judged, structure
from .problem import Problem


class ForwardCheck:
    id = "forward"

    def __init__(self, problem: Problem, spec: ForwardSpec):
        self.problem, self.spec = problem, spec
        self.parts = tuple(Part(name, points) for name, points in spec.parts.items())
        self.script = Script()
        out_name = problem.assignment.output.name
        self.probes: dict[str, list[tuple[str, Ref]]] = {name: [] for name in spec.parts}
        X, _ = problem.lesson_arrays(spec.shape, spec.seed)
        layer = self._begin(spec.shape, problem.initial(spec.shape))
        self._probe("values", out_name, self.script.call(layer, "forward", X))
        # Small weights hide what attention does: the same shape again with weights that matter.
        second = self._begin(spec.shape, problem.weights(spec.shape, spec.hidden_seed))
        self._probe("values", out_name, self.script.call(second, "forward", X))
        self.cache = self.script.get(second, "cache") if problem.assignment.cache else None
        for number, shape in enumerate(spec.shapes):
            seed = spec.hidden_seed + 1 + number
            layer = self._begin(shape, problem.weights(shape, seed))
            X = problem.lesson_arrays(shape, seed)[0]
            self._probe("shapes", f"{out_name} at {shape}", self.script.call(layer, "forward", X))
        # Also at the further shapes: a row of one large negative logit is 0 / 0 without its own maximum.
        for number, shape in enumerate(
            (spec.shape, *spec.shapes) * 2 if "large_logits" in spec.parts else ()
        ):
            seed = spec.hidden_seed + 100 + number
            layer = self._begin(shape, problem.weights(shape, seed, spec.logit_scale))
            X = problem.lesson_arrays(shape, seed)[0]
            self._probe("large_logits", f"{out_name} at {shape}", self.script.call(layer, "forward", X))
        self.expected = problem.reference.run(self.script)

    def _begin(self, shape: str, weights: dict[str, Any]) -> Ref:
        self.script.group()
        layer = self.problem.new(self.script, shape)
        self.script.set_all(layer, weights)
        return layer

    def _probe(self, part: str, tensor: str, ref: Ref) -> None:
        if part in self.probes:
            self.probes[part].append((tensor, ref))

    def run(self, layer: Layer, passed: Collection[str] = ()) -> Outcome:
        results = layer.run(self.script)
        outcome = Outcome()
        for part in self.parts:
            findings: list[dict[str, Any]] = []
            measured: dict[str, Any] = {}
            if part.id == "cache":
                self._cache(results[self.cache], findings) if self.cache else None
            elif part.id == "rows":
                measured = self._rows(results[self.cache], findings) if self.cache else {}
            for tensor, ref in self.probes[part.id]:
                wrong: dict[str, Any] | None
                wrong, seen = against(results[ref], self.expected[ref], tensor, self.spec.tolerance)
                if wrong:
                    findings.append(because(wrong, results, ref))
                measured = seen if not measured or _value(seen) > _value(measured) else measured
            outcome.evidence.append(judged(part, findings, measured))
        return outcome

    def _cache(self, yours: Any, findings: list[dict[str, Any]]) -> None:
        expected = self.expected[self.cache] if self.cache else ()
        if not isinstance(yours, (tuple, list)):
            wrong = structure(yours, "cache", None) or {
                "tensor": "cache",
                "measure": "type",
                "value": "ndarray",
            }
            findings.append({**wrong, "limit": f"tuple of {len(expected)}"})
            return
        if len(yours) != len(expected):
            findings.append(
                {
                    "tensor": "cache",
                    "measure": "entries",
                    "value": float(len(yours)),
                    "limit": float(len(expected)),
                }
            )
            return
        for name, mine, theirs in zip(self.problem.assignment.cache, yours, expected, strict=True):
            entry_wrong, _ = against(mine, theirs, name, self.spec.tolerance)
            if entry_wrong:
                findings.append(entry_wrong)

    def _rows(self, yours: Any, findings: list[dict[str, Any]]) -> dict[str, Any]:
        names = list(self.problem.assignment.cache)
        measured: dict[str, Any] = {}
        for name in self.problem.assignment.distributions:
            at = names.index(name)
            entry: Any = yours[at] if isinstance(yours, (tuple, list)) and len(yours) > at else None
            wrong = structure(
                yours if not ran(yours) else entry,
                name,
                self.expected[self.cache][at].shape if self.cache else None,
            )
            if wrong:
                findings.append(wrong)
                continue
            sums = np.sum(entry, axis=-1)
            measured = difference(sums, np.ones_like(sums), name, self.spec.row_tolerance, "row sum off by")
            if "at" in measured or np.min(entry) < 0:
                findings.append(measured)
        return measured


def _value(measured: dict[str, Any]) -> float:
    value = measured.get("value")
    return value if isinstance(value, float) else float("inf")

"""`gradcheck`: what backward gives against differences of the student's own forward, in float64.

For each tensor the derivative along a few random directions is compared with the gradient's product
with them: two forwards a direction and pair of points, instead of two an entry. Entries are worked
out one by one only to explain a tensor that failed. Backward must also be linear in the upstream
gradient to rounding: differences inside it, or float32, leave noise that a threshold cannot see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..course.specs import GradcheckSpec
from ..gradcheck import STENCIL, combine, floored_error
from ..layer import Layer, Raised, Ref, Results, Script
from .outcome import Outcome, Part, difference, finite, judged, structure
from .problem import Array, Problem


@dataclass
class Probe:
    """The frame for one shape, and where its answers are."""

    shape: str
    script: Script
    upstream: Array
    values: dict[str, Array]  # tensor -> where its gradient is taken
    directions: dict[str, Array]
    sweeps: dict[str, Ref]
    gradients: list[dict[str, Ref]]  # for G, another, and a combination of both
    out: Ref


COMBINATION = (1.0, -2.0)
# A tensor is judged against at least this part of the layer's largest one. Where a gradient is exactly 0,
# as of the scores at T = 1, a correct layer with 1e-9 in a denominator leaves 1e-9 of the others.
FLOOR = 0.1


class GradientCheck:
    id = "gradcheck"

    def __init__(self, problem: Problem, spec: GradcheckSpec):
        self.problem, self.spec = problem, spec
        assignment = problem.assignment
        self.names: dict[str, str] = dict(assignment.gradients)
        self.names[assignment.input.name] = assignment.input_gradient or f"d{assignment.input.name}"
        self.parts = tuple(
            Part(f"{tensor} at {shape}", points / len(spec.shapes))
            for tensor, points in spec.parts.items()
            for shape in spec.shapes
        )
        self.probes = [self._probe(shape, spec.hidden_seed + n) for n, shape in enumerate(spec.shapes)]
        self.expected = [problem.reference.run(p.script) for p in self.probes]
        self.reference = [
            self._numeric(p, results) for p, results in zip(self.probes, self.expected, strict=True)
        ]
        large = (spec.large_shape,) if spec.large_shape else ()
        self.further = [Further(problem, shape, spec.hidden_seed) for shape in (*spec.further_shapes, *large)]

    def _probe(self, shape: str, seed: int) -> Probe:
        problem, spec, script = self.problem, self.spec, Script()
        X, G = problem.lesson_arrays(shape, spec.seed)
        rng = np.random.default_rng(seed)
        values = {**problem.weights(shape, seed), problem.assignment.input.name: X}
        # Of length 1, so that `step` is the distance moved and truncation stays small in many entries.
        directions = {n: _unit(rng.standard_normal((spec.directions, *values[n].shape))) for n in spec.parts}
        weights = {n: values[n] for n in problem.parameters}
        points = [spec.step * p for p in STENCIL]
        sweeps = {}
        for name in spec.parts:
            script.group()
            layer = problem.new(script, shape)
            script.set_all(layer, weights)
            moved = "" if name == problem.assignment.input.name else name
            sweeps[name] = script.sweep(layer, moved, values[name], directions[name], points, X)
        H = rng.standard_normal(G.shape)
        gradients = []
        outs = []
        for upstream in (G, H, COMBINATION[0] * G + COMBINATION[1] * H):
            script.group()
            layer = problem.new(script, shape)
            script.set_all(layer, weights)
            outs.append(script.call(layer, "forward", X))
            returned = script.call(layer, "backward", upstream)
            found = {problem.assignment.input.name: returned}
            for parameter, gradient in problem.pairs:
                script.group()  # one that is missing keeps no other from being read
                found[parameter] = script.get(layer, gradient)
            gradients.append(found)
        return Probe(shape, script, G, values, directions, sweeps, gradients, outs[0])

    def _numeric(self, probe: Probe, results: Results) -> dict[str, Array | Raised | None]:
        """Derivative of sum(out * G) along each direction, (directions,), for each tensor."""
        found: dict[str, Array | Raised | None] = {}
        for name, ref in probe.sweeps.items():
            outputs = results[ref]
            expected = (self.spec.directions, len(STENCIL), *probe.upstream.shape)
            if isinstance(outputs, Raised):
                found[name] = outputs
            elif type(outputs) is np.ndarray and outputs.shape == expected:
                slopes = combine(np.moveaxis(outputs, 1, 0), self.spec.step)
                found[name] = np.sum(slopes * probe.upstream, axis=tuple(range(1, slopes.ndim)))
            else:
                found[name] = None
        return found

    def run(self, layer: Layer) -> Outcome:
        outcome = Outcome()
        measured: dict[str, Any] = {}
        for probe, reference, expected in zip(self.probes, self.reference, self.expected, strict=True):
            results = layer.run(probe.script)
            right = alike(results[probe.out], expected[probe.out])
            numeric = self._numeric(probe, results)
            scale = max((_rms(v) for v in numeric.values() if isinstance(v, np.ndarray)), default=0.0)
            for name in self.spec.parts:
                wrong, seen = self._tensor(probe, results, name, numeric[name], reference[name], scale)
                if not wrong and right and not alike(numeric[name], reference[name], 1e-3):
                    # The right values when asked once, others when moved.
                    wrong = {
                        "tensor": self.names[name],
                        "measure": "forward differs from one call to the next",
                    }
                if wrong is seen and wrong and wrong["measure"] == "relative error":
                    wrong = {**wrong, **self._worst(layer, probe, results, name)}
                measured[f"{name} at {probe.shape}"] = (wrong, seen)
        passing = any(not wrong for wrong, _ in measured.values())
        elsewhere: dict[str, dict[str, Any]] = {}
        for further in self.further if passing else ():
            # At the large shape the deadline ends a backward that takes differences.
            for name, found in further.wrong(
                layer.run(further.script), self.names, self.spec.threshold
            ).items():
                elsewhere.setdefault(name, found)
        for part in self.parts:
            wrong, seen = measured[part.id]
            wrong = wrong or elsewhere.get(part.id.partition(" at ")[0])
            outcome.evidence.append(judged(part, [wrong] if wrong else [], seen))
        return outcome

    def _tensor(
        self, probe: Probe, results: Results, name: str, numeric: Any, reference: Any, scale: float
    ) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """(finding or None, measured) for one tensor at one shape."""
        tensor = self.names[name]
        found = [results[refs[name]] for refs in probe.gradients]
        if isinstance(numeric, Raised):
            raised = structure(numeric, tensor, None) or {}
            return raised, raised
        for value in found:
            if wrong := self._structure(value, results, tensor, probe.values[name].shape):
                return wrong, wrong
        if numeric is None or not np.isfinite(numeric).all():
            wrong = {"tensor": tensor, "measure": "differences", "value": "not to be had from this forward"}
            return wrong, wrong
        # A forward that does not read the tensor has no gradient to check: zero would always fit.
        if _rms(numeric) < 1e-6 * _rms(reference) or (scale == 0.0 and _rms(reference) > 0.0):
            wrong = {
                "tensor": tensor,
                "measure": "forward does not depend on it",
                "value": finite(_rms(numeric)),
            }
            return wrong, wrong
        axes = tuple(range(1, found[0].ndim + 1))
        analytic = np.sum(probe.directions[name] * found[0], axis=axes)  # (directions,)
        floor = max(_rms(analytic), _rms(numeric), FLOOR * scale)
        error = float(np.max(np.abs(analytic - numeric))) / floor if floor else 0.0
        if not (np.isfinite(floor) and np.isfinite(error)):
            error = float("inf")
        seen = {
            "tensor": tensor, "measure": "relative error", "value": finite(error),
            "limit": self.spec.threshold, "shape": found[0].shape,
        }  # fmt: skip
        if not error < self.spec.threshold:
            return seen, seen
        together = COMBINATION[0] * found[0] + COMBINATION[1] * found[1]
        # Rounding alone is to be left, so less of a floor will do: 1e-3 of the largest entry of all.
        bend = floored_error(together, found[2], 1e3 * self._largest(probe, results))
        if not bend < self.spec.linear_tolerance:
            wrong = {
                "tensor": tensor, "measure": "not linear in the upstream gradient", "value": finite(bend),
                "limit": self.spec.linear_tolerance, "shape": found[0].shape,
            }  # fmt: skip
            return wrong, seen
        return None, seen

    def _largest(self, probe: Probe, results: Results) -> float:
        """The largest entry of all gradients that are there."""
        found = [results[ref] for ref in probe.gradients[0].values()]
        largest = (
            float(np.max(np.abs(a), initial=0.0))
            for a in found
            if type(a) is np.ndarray and a.dtype.kind == "f"
        )
        return max((value for value in largest if np.isfinite(value)), default=0.0)

    def _structure(self, value: Any, results: Results, tensor: str, shape: Any) -> dict[str, Any] | None:
        wrong = structure(value, tensor, shape)
        if wrong and wrong.get("verdict") == "skipped":
            cause = results.first_raised()
            return structure(cause, tensor, None) if cause else wrong
        if wrong and wrong["measure"] == "type" and wrong["value"] == "None":
            cause = results.first_raised()
            return structure(cause, tensor, None) if cause and cause.kind == "raised" else wrong
        return wrong

    def _worst(self, layer: Layer, probe: Probe, results: Results, name: str) -> dict[str, Any]:
        """Where a failed tensor is furthest from the differences, entry by entry."""
        value = probe.values[name]
        basis = np.eye(value.size).reshape(value.size, *value.shape)
        script = Script()
        made = self.problem.new(script, probe.shape)
        script.set_all(made, {n: probe.values[n] for n in self.problem.parameters})
        moved = "" if name == self.problem.assignment.input.name else name
        points = [self.spec.step * p for p in STENCIL]
        X = probe.values[self.problem.assignment.input.name]
        ref = script.sweep(made, moved, value, basis, points, X)
        outputs = layer.run(script)[ref]
        if type(outputs) is not np.ndarray or outputs.shape != (value.size, 4, *probe.upstream.shape):
            return {}
        slopes = combine(np.moveaxis(outputs, 1, 0), self.spec.step)
        expected = np.sum(slopes * probe.upstream, axis=tuple(range(1, slopes.ndim))).reshape(value.shape)
        yours = results[probe.gradients[0][name]]
        found = difference(yours, expected, self.names[name], self.spec.threshold)
        return {key: found[key] for key in ("at", "yours", "expected") if key in found}


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
        self.scale = max(float(np.max(np.abs(self.expected[ref]))) for ref in self.refs.values())

    def wrong(self, results: Results, names: dict[str, str], limit: float) -> dict[str, dict[str, Any]]:
        """Findings by tensor; none where forward is wrong, for then the reference is no measure."""
        if not alike(results[self.out], self.expected[self.out]):
            return {}
        findings = {}
        for name, ref in self.refs.items():
            expected = self.expected[ref]
            found = structure(results[ref], names[name], expected.shape)
            if not found:
                apart = float(np.max(np.abs(results[ref] - expected)))
                # At T = 1 the scores' gradients are exactly 0: their residue is judged against the others.
                error = apart / max(float(np.max(np.abs(expected))), 1e-3 * self.scale, 1e-300)
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
    return bool(np.max(np.abs(yours - expected)) <= limit * max(float(np.max(np.abs(expected))), 1e-300))


def _unit(directions: Array) -> Array:
    """Each of (k, *s) scaled to length 1."""
    flat = directions.reshape(len(directions), -1)
    scaled: Array = (flat / np.linalg.norm(flat, axis=1, keepdims=True)).reshape(directions.shape)
    return scaled


def _rms(values: Any) -> float:
    """Root mean square, without overflow: a huge gradient must not make its own error small."""
    largest = float(np.max(np.abs(values)))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.mean(np.square(values / largest))))

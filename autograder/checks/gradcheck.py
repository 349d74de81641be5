"""`gradcheck`: what backward gives against differences of the student's own forward, in float64.

For each tensor the derivative along a few random directions is compared with the gradient's product
with them: two forwards a direction and pair of points, instead of two an entry. Entries are worked
out one by one only to explain a tensor that failed, at the first shape where it did.

Backward must also be linear in the upstream gradient to rounding: differences inside it, or float32,
leave noise that a threshold cannot see.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..course.specs import GradcheckSpec
from ..gradcheck import STENCIL, combine, floored_error
from ..layer import Joined, Layer, Raised, Ref, Results, Script, Stopped
from .anew import Anew
from .entries import true_gradients, worst_entry
from .further import Further, alike
from .inside import CALLS_FORWARD, Inside, noise
from .outcome import Outcome, Part, finite, judged, largest, stopped, structure
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


@dataclass
class Answers:
    """What a layer answered to a probe, and what follows from that for all of its tensors."""

    results: Results
    numeric: dict[str, Array | Raised | None]  # tensor -> derivative along each direction
    gradients: list[Any]

    @cached_property
    def norms(self) -> dict[str, float]:
        """Root mean square of the derivatives of each tensor that has them."""
        return {name: _rms(v) for name, v in self.numeric.items() if isinstance(v, np.ndarray)}

    @cached_property
    def scale(self) -> float:
        return max(self.norms.values(), default=0.0)

    @cached_property
    def largest(self) -> float:
        """The largest entry of all gradients that are there."""
        sizes = [largest(a) for a in self.gradients if type(a) is np.ndarray and a.dtype.kind == "f"]
        return max((size for size in sizes if np.isfinite(size)), default=0.0)


COMBINATION = (1.0, -2.0)
# A tensor is judged against at least this part of the layer's largest one. Where a gradient is exactly 0,
# as of the scores at T = 1, a correct layer with 1e-9 in a denominator leaves 1e-9 of the others.
FLOOR = 0.3
ROUNDING = 1e-13  # as far as two right ways to compute the same output are ever apart
PRECISION = 1e-9  # of gradients where the output is right to rounding; float32 inside leaves 1e-8 to 1e-6
NOISE = 1e-10  # of forward along a line; float64 leaves 1e-12, float32 1e-8
NOT_LINEAR, PRECISION_ONLY = "not linear in the upstream gradient", "precision"
UNEXPLAINED = (NOT_LINEAR, PRECISION_ONLY)  # what differences and float32 inside backward look like


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
        self.reference = [self._answers(p, problem.reference.run(p.script)) for p in self.probes]
        self.further = Further(problem, spec.further_shapes, spec.hidden_seed)
        self.frame = Joined([*(p.script for p in self.probes), self.further.script])
        self.large = Further(problem, [spec.large_shape] if spec.large_shape else [], spec.hidden_seed)
        self.asked = int(np.random.default_rng(spec.hidden_seed).integers(spec.directions))
        self.inside = Inside(problem, spec.shapes[0], spec.hidden_seed)

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

    def _answers(self, probe: Probe, results: Results) -> Answers:
        """With the derivative of sum(out * G) along each direction, (directions,), for each tensor."""
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
        return Answers(results, found, [results[ref] for ref in probe.gradients[0].values()])

    def run(self, layer: Layer, passed: Collection[str] = ()) -> Outcome:
        outcome = Outcome()
        measured: dict[str, tuple[dict[str, Any] | None, dict[str, Any]]] = {}
        swept = []
        shown: set[str] = set()
        *probed, further = self.frame.split(layer.run(self.frame))
        for probe, reference, results in zip(self.probes, self.reference, probed, strict=True):
            at = self._at(probe, reference, self._answers(probe, results), layer, shown)
            measured |= {f"{name} at {probe.shape}": found for name, found in at.items()}
            if not alike(results[probe.out], reference.results[probe.out]):
                # Nothing of the reference's tells whether it answered the sweeps as it answers.
                swept += [(probe, results, name) for name, (wrong, _) in at.items() if not wrong]
        for key, unlike in self._unlike(layer, swept).items():
            measured[key] = (unlike, measured[key][1])
        elsewhere = self.further.wrong(further, self.names, self.spec.threshold)
        if self.spec.large_shape and any(not wrong for wrong, _ in measured.values()):
            try:
                results = layer.run(self.large.script, self.spec.large_seconds)
            except Stopped as error:  # the deadline ends a backward that takes differences
                if self.inside.name(layer) != CALLS_FORWARD:
                    raise
                named = {"measure": CALLS_FORWARD}
                outcome.evidence = [e.model_copy(update=named) for e in stopped(self.parts, error)]
                return outcome
            elsewhere = self.large.wrong(results, self.names, self.spec.threshold) | elsewhere
        unexplained = any(wrong and wrong["measure"] in UNEXPLAINED for wrong, _ in measured.values())
        cause = self.inside.name(layer) if unexplained else None
        for part in self.parts:
            wrong, seen = measured[part.id]
            if wrong and cause and wrong["measure"] in UNEXPLAINED:
                wrong = {**wrong, "measure": cause}
            wrong = wrong or elsewhere.get(part.id.partition(" at ")[0])
            outcome.evidence.append(judged(part, [wrong] if wrong else [], seen))
        return outcome

    def _at(
        self, probe: Probe, reference: Answers, yours: Answers, layer: Layer, shown: set[str]
    ) -> dict[str, tuple[dict[str, Any] | None, dict[str, Any]]]:
        """(finding or None, measured) for each tensor at one shape; `shown` have an entry at another."""
        results, expected = yours.results, reference.results
        right = alike(results[probe.out], expected[probe.out])
        same = right and alike(results[probe.out], expected[probe.out], ROUNDING)
        measured = {}
        for name in self.spec.parts:
            wrong, seen = self._tensor(probe, yours, name, reference)
            if not wrong and right and not alike(yours.numeric[name], reference.numeric[name], 1e-3):
                # The right values when asked once, others when moved.
                wrong = {"tensor": self.names[name], "measure": "forward differs from one call to the next"}
            if not wrong and same:
                wrong = self._precise(probe, yours, reference, name)
            if not wrong and not right:
                seen = {**seen, "measure": "relative error to its own forward"}
            if wrong is seen and wrong and wrong["measure"] == "relative error":
                rough = noise(results[probe.sweeps[name]], results[probe.out])
                # More than a hundredth, or no number at all, is no rounding.
                if rough > NOISE and isinstance(wrong["value"], float) and wrong["value"] < 1e-2:
                    wrong = {**wrong, "measure": "noise in forward", "value": finite(rough), "limit": NOISE}
                else:
                    true = None
                    if right:  # then the reference's gradients are the true ones, which cost nothing
                        true = expected[probe.gradients[0][name]]
                    elif name not in shown:
                        shown.add(name)
                        true = true_gradients(
                            self.problem, layer, probe.shape, probe.values, [name], probe.upstream
                        )[name]
                    if true is not None:
                        gradient = results[probe.gradients[0][name]]
                        wrong = {**wrong, **worst_entry(gradient, true, self.spec.threshold)}
            measured[name] = (wrong, seen)
        return measured

    def _precise(self, probe: Probe, yours: Answers, reference: Answers, name: str) -> dict[str, Any] | None:
        """A finding unless a gradient is the reference's to more than single precision."""
        ref = probe.gradients[0][name]
        expected = reference.results[ref]
        apart = largest(yours.results[ref] - expected)
        error = apart / max(largest(expected), FLOOR * reference.largest, 1e-300)
        if error < PRECISION:
            return None
        return {
            "tensor": self.names[name], "measure": PRECISION_ONLY, "value": finite(error), "limit": PRECISION,
            "shape": expected.shape,
        }  # fmt: skip

    def _unlike(self, layer: Layer, swept: list[tuple[Probe, Results, str]]) -> dict[str, dict[str, Any]]:
        """Findings by part for tensors along which forward, asked anew, has other outputs than when swept.

        One direction, that nobody knows: to fit a wrong gradient, all of them must be answered wrongly.
        """
        anew, given = Anew(self.problem), self.problem.assignment.input.name
        for probe, results, name in swept:
            direction, outputs = probe.directions[name][self.asked], results[probe.sweeps[name]][self.asked]
            for point, out in zip(STENCIL, outputs, strict=True):
                moved = {**probe.values, name: probe.values[name] + point * self.spec.step * direction}
                X = moved.pop(given)
                anew.forward(f"{name} at {probe.shape}", probe.shape, moved, X, out)
        return anew.unlike(layer)

    def _tensor(
        self, probe: Probe, yours: Answers, name: str, reference: Answers
    ) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """(finding or None, measured) for one tensor at one shape."""
        tensor, results, numeric = self.names[name], yours.results, yours.numeric[name]
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
        norm, true = yours.norms[name], reference.norms[name]
        if norm < 1e-6 * true or (yours.scale == 0.0 and true > 0.0):
            wrong = {"tensor": tensor, "measure": "forward does not depend on it", "value": finite(norm)}
            return wrong, wrong
        axes = tuple(range(1, found[0].ndim + 1))
        analytic = np.sum(probe.directions[name] * found[0], axis=axes)  # (directions,)
        floor = max(_rms(analytic), norm, FLOOR * yours.scale)
        error = largest(analytic - numeric) / floor if floor else 0.0
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
        bend = floored_error(together, found[2], 1e3 * yours.largest)
        if not bend < self.spec.linear_tolerance:
            wrong = {
                "tensor": tensor, "measure": NOT_LINEAR, "value": finite(bend),
                "limit": self.spec.linear_tolerance, "shape": found[0].shape,
            }  # fmt: skip
            return wrong, seen
        return None, seen

    def _structure(self, value: Any, results: Results, tensor: str, shape: Any) -> dict[str, Any] | None:
        wrong = structure(value, tensor, shape)
        if wrong and wrong.get("verdict") == "skipped":
            cause = results.first_raised()
            return structure(cause, tensor, None) if cause else wrong
        if wrong and wrong["measure"] == "type" and wrong["value"] == "None":
            cause = results.first_raised()
            return structure(cause, tensor, None) if cause and cause.kind == "raised" else wrong
        return wrong


def _unit(directions: Array) -> Array:
    """Each of (k, *s) scaled to length 1."""
    flat = directions.reshape(len(directions), -1)
    scaled: Array = (flat / np.linalg.norm(flat, axis=1, keepdims=True)).reshape(directions.shape)
    return scaled


def _rms(values: Any) -> float:
    """Root mean square, without overflow: a huge gradient must not make its own error small."""
    size = largest(values)
    if size == 0.0 or not np.isfinite(size):
        return size
    return size * float(np.sqrt(np.square(values / size).mean()))

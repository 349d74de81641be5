"""What a failing submission's pictures are drawn from: attention, gradients, losses, at the public inputs.

Nothing here gives or takes a point. Inputs are those that students know, so a picture tells no hidden one.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..checks.entries import true_gradients
from ..checks.further import alike
from ..checks.monotone_loss import losses
from ..checks.outcome import structure
from ..checks.problem import Array, Problem
from ..layer import Layer, Ref, Results, Script, Stopped
from .model import Curve, Figures, Picture

SAME = 1e-7  # of the largest entry: nearer than this is shown as equal, not as rounding's last digits
SECONDS = 2.0  # a picture is not worth waiting for


class Artist:
    """Draws for one assignment; what the reference answers is worked out once."""

    def __init__(self, problem: Problem):
        self.problem, assignment = problem, problem.assignment
        shape, seed = assignment.public_case()
        self.shape = shape
        self.X, self.upstream = problem.lesson_arrays(shape, seed)
        self.script = script = Script()
        layer = problem.new(script, shape)
        self.out = script.call(layer, "forward", self.X)
        script.group()
        self.cache = script.get(layer, "cache")
        script.group()
        returned = script.call(layer, "backward", self.upstream)
        self.gradients: dict[str, Ref] = {}  # by name of the gradient
        self.weights: dict[str, Ref] = {}
        self.tensors: dict[str, str] = {}  # the parameter it belongs to, or the input
        for parameter, gradient in problem.pairs:
            script.group()
            self.gradients[gradient], self.tensors[gradient] = script.get(layer, gradient), parameter
            script.group()
            self.weights[parameter] = script.get(layer, parameter)
        if assignment.input_gradient:
            self.gradients[assignment.input_gradient] = returned
            self.tensors[assignment.input_gradient] = assignment.input.name
        self.training, self.Y = self._train()
        self.expected = problem.reference.run(script)

    def _train(self) -> tuple[Ref | None, Array]:
        spec = self.problem.assignment.checks.monotone_loss
        if spec is None:
            return None, np.zeros(0)
        self.script.group()
        X, Y = self.problem.lesson_arrays(spec.shape, spec.seed)
        layer = self.problem.new(self.script, spec.shape)
        training = self.script.train(
            layer, X, Y, rate=spec.learning_rate, steps=spec.steps - 1, pairs=self.problem.pairs
        )
        return training, Y

    def draw(self, layer: Layer) -> Figures | None:
        """The figures of a layer; None when it cannot be asked."""
        try:
            results = layer.run(self.script, SECONDS)
            expected = self._gradients(layer, results)
        except Stopped:
            return None
        pictures = [
            _picture(name, "distribution", self._cached(results, name), self._cached(self.expected, name))
            for name in self.problem.assignment.distributions
        ]
        pictures += [
            _picture(name, "gradient", results[ref], expected[name])
            for name, ref in self.gradients.items()
            if expected[name] is not None
        ]
        figures = Figures(pictures=tuple(pictures), losses=self._losses(results))
        return figures if any(p.yours for p in pictures) else None

    def _cached(self, results: Results, name: str) -> Any:
        """One entry of a layer's cache, or None."""
        cache, names = results[self.cache], list(self.problem.assignment.cache)
        return (
            cache[names.index(name)] if isinstance(cache, tuple | list) and len(cache) == len(names) else None
        )

    def _gradients(self, layer: Layer, results: Results) -> dict[str, Any]:
        """What the gradients should be, by name: the reference's where forward is right, else differences.

        A gradient belongs to the student's own forward, right or wrong.
        """
        if alike(results[self.out], self.expected[self.out]):
            return {name: self.expected[ref] for name, ref in self.gradients.items()}
        values = {self.problem.assignment.input.name: self.X}
        for name, ref in self.weights.items():
            right = self.expected[ref]
            values[name] = right if structure(results[ref], name, right.shape) else results[ref]
        tensors = list(self.tensors.values())
        found = true_gradients(self.problem, layer, self.shape, values, tensors, self.upstream, SECONDS)
        return {name: found[tensor] for name, tensor in self.tensors.items()}

    def _losses(self, results: Results) -> Curve | None:
        if self.training is None:
            return None
        expected, outputs = self.expected[self.training], results[self.training]
        fits = type(outputs) is np.ndarray and outputs.shape == expected.shape
        return Curve(
            yours=_numbers(losses(outputs, self.Y)) if fits else None,
            expected=tuple(_short(v) for v in losses(expected, self.Y)),
        )


def _picture(name: str, kind: Literal["distribution", "gradient"], yours: Any, expected: Array) -> Picture:
    fits = type(yours) is np.ndarray and yours.shape == expected.shape and yours.dtype.kind == "f"
    if fits:  # rounding must not make a difference where there is none
        same = np.abs(yours - expected) <= SAME * np.max(np.abs(expected), initial=0.0)
        yours = np.where(same, expected, yours)
    return Picture(
        name=name,
        kind=kind,
        shape=expected.shape,
        yours=_numbers(yours) if fits else None,
        expected=tuple(_short(value) for value in expected.ravel()),
    )


def _short(value: Any) -> float:
    """Six digits: a difference of a thousandth still has three."""
    return float(f"{float(value):.6g}")


def _numbers(array: Array) -> tuple[float | None, ...]:
    return tuple(_short(value) if np.isfinite(value) else None for value in array.ravel())

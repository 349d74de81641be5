"""What a failing submission's pictures are drawn from: attention, gradients, losses, at the public inputs.

Nothing here gives or takes a point. Inputs are those that students know, so a picture tells no hidden one.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..checks.further import alike
from ..checks.monotone_loss import losses
from ..checks.problem import Array, Problem
from ..gradcheck import STENCIL, combine
from ..layer import Layer, Ref, Results, Script, Stopped
from .model import Curve, Figures, Picture

STEP = 1e-3  # of the four-point differences
SAME = 1e-8  # of the largest entry: nearer than this is shown as equal, not as rounding's last digits
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
        self.moved: dict[str, str] = {}  # the parameter it belongs to; "" is the input
        for parameter, gradient in problem.pairs:
            script.group()
            self.gradients[gradient], self.moved[gradient] = script.get(layer, gradient), parameter
        if assignment.input_gradient:
            self.gradients[assignment.input_gradient] = returned
            self.moved[assignment.input_gradient] = ""
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
        script, sweeps = Script(), {}
        initial = self.problem.initial(self.shape)
        for name, parameter in self.moved.items():
            script.group()
            made = self.problem.new(script, self.shape)
            base = initial[parameter] if parameter else self.X
            basis = np.eye(base.size).reshape(base.size, *base.shape)
            points = [STEP * point for point in STENCIL]
            sweeps[name] = (base, script.sweep(made, parameter, base, basis, points, self.X))
        moved = layer.run(script, SECONDS)
        return {name: self._slope(moved[ref], base) for name, (base, ref) in sweeps.items()}

    def _slope(self, outputs: Any, base: Array) -> Array | None:
        """The derivative of sum(out * upstream) in every entry of `base`, its shape; None without outputs."""
        if type(outputs) is not np.ndarray or outputs.shape != (
            base.size,
            len(STENCIL),
            *self.upstream.shape,
        ):
            return None
        slopes = combine(np.moveaxis(outputs, 1, 0), STEP)
        gradient: Array = np.sum(slopes * self.upstream, axis=tuple(range(1, slopes.ndim))).reshape(
            base.shape
        )
        return gradient if np.isfinite(gradient).all() else None

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

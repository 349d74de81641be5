"""Everything that a layer gives back over a life of calls, to the bit: evidence that two are the same."""

from __future__ import annotations

import hashlib
from functools import cached_property

import numpy as np

from ..checks.problem import Problem
from ..course import Assignment
from ..layer import InProcessLayer, Ref, Script, ran
from ..sandbox import wire

SEEDS = (1, 2, 3)
SCALES = (None, 1.0, 60.0)  # the layer's own weights; N(0, 1/first axis); large logits


class Behaviour:
    """The lives of an assignment's reference: every shape, seed and scale of weights."""

    def __init__(self, assignment: Assignment, reference: bytes):
        self.source = reference
        self.problem = Problem(assignment, reference)
        self.scripts = [
            self._life(shape, seed, scale)
            for shape in assignment.shapes
            for seed in SEEDS
            for scale in SCALES
        ]

    def same(self, layer: InProcessLayer) -> bool:
        """Whether a layer gives the reference's bits in every life, and raises nowhere."""
        return all(_digest(layer, s) == d for s, d in zip(self.scripts, self._expected, strict=True))

    @cached_property
    def _expected(self) -> list[str | None]:
        return [_digest(self.problem.reference, script) for script in self.scripts]

    def _life(self, shape: str, seed: int, scale: float | None) -> Script:
        """Made, asked, asked again, given another input, cleared, trained on; its state read in between."""
        s, problem = Script(), self.problem
        X, G = problem.lesson_arrays(shape, seed)
        X2, G2 = problem.lesson_arrays(shape, seed + 1000)
        s.rng()
        layer = problem.new(s, shape, None if seed == 1 else seed)
        self._state(s, layer)
        if scale is not None:
            s.set_all(layer, problem.weights(shape, seed, scale))
        given, upstream = s.array(X), s.array(G)
        out = s.call(layer, "forward", given)
        self._state(s, layer)
        for _ in range(2):
            s.call(layer, "backward", upstream)
            self._state(s, layer)
        other = problem.new(s, shape)
        s.call(other, "forward", X2)
        s.call(layer, "backward", G2)
        s.call(layer, "forward", s.array(X2, "F", True))
        s.call(layer, "backward", s.array(G2, "strided", True))
        self._state(s, layer)
        for kept in (given, upstream, out):
            s.reread(kept)
        if problem.assignment.checks.zero_grad:
            s.call(layer, "zero_grad")
            self._state(s, layer)
            s.call(layer, "backward", G)
        s.train(layer, X, G, rate=0.1, steps=2, pairs=problem.pairs)
        self._state(s, layer)
        s.rng()
        return s

    def _state(self, s: Script, layer: Ref) -> None:
        """Reads everything that the policy names."""
        assignment = self.problem.assignment
        names = [*assignment.constructor, *assignment.parameters, *assignment.gradients.values()]
        for name in (*names, *(("cache",) if assignment.cache else ())):
            s.get(layer, name)


def _digest(layer: InProcessLayer, script: Script) -> str | None:
    """SHA-256 (hex) over every result of a script; None where something was not to be had."""
    np.random.seed(0)  # the state of the global generator is among the results
    results = layer.run(script)
    total = hashlib.sha256()
    for index in range(len(script.ops)):
        value = results[Ref(index)]
        if not ran(value):
            return None
        total.update(wire.encode(value))
    return total.hexdigest()

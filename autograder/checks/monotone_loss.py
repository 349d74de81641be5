"""`monotone_loss`: gradient descent on the lesson's loss falls at every step, to the lesson's losses.

The layer's side only trains; every loss is worked out here, from the outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..course.specs import MonotoneLossSpec
from ..layer import Layer, Ref, Script
from .outcome import Outcome, Part, finite, judged, structure
from .problem import Array, Problem


class MonotoneLossCheck:
    id = "monotone_loss"

    def __init__(self, problem: Problem, spec: MonotoneLossSpec):
        self.problem, self.spec = problem, spec
        self.parts = tuple(Part(name, points) for name, points in spec.parts.items())
        self.script = Script()
        self.X, self.Y = problem.lesson_arrays(spec.shape, spec.seed)
        self.all = self._train(problem.pairs)
        self.frozen = self._train([pair for pair in problem.pairs if pair[0] not in spec.frozen])
        expected = problem.reference.run(self.script)
        self.expected = losses(expected[self.all], self.Y)

    def _train(self, pairs: list[tuple[str, str]]) -> Ref:
        self.script.group()
        layer = self.problem.new(self.script, self.spec.shape)
        self.script.set_all(layer, self.problem.initial(self.spec.shape))
        return self.script.train(
            layer, self.X, self.Y, rate=self.spec.learning_rate, steps=self.spec.steps - 1, pairs=pairs
        )

    def run(self, layer: Layer) -> Outcome:
        results = layer.run(self.script)
        shape = (self.spec.steps, *self.Y.shape)
        outcome = Outcome()
        for part in self.parts:
            value = results[self.frozen if part.id == "frozen" else self.all]
            wrong = structure(value, "loss", shape)
            seen: dict[str, Any] = {}
            if not wrong:
                wrong, seen = getattr(self, f"_{part.id}")(losses(value, self.Y))
            outcome.evidence.append(judged(part, [wrong] if wrong else [], seen))
        return outcome

    def _falls(self, loss: Array) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        rises = np.diff(loss)
        worst = int(np.argmax(rises))
        seen = {
            "tensor": "loss",
            "measure": "largest change in a step",
            "value": finite(rises[worst]),
            "limit": 0.0,
        }
        return ({**seen, "at": (worst + 1,)} if not rises[worst] < 0 else None), seen

    def _losses(self, loss: Array) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        apart = np.abs(loss - self.expected)
        limit = 0.5 * 10.0**-self.spec.decimals
        worst = int(np.argmax(apart))
        seen = {
            "tensor": "loss",
            "measure": "largest difference",
            "value": finite(apart[worst]),
            "limit": limit,
        }
        at = {
            "at": (worst,),
            "yours": float(f"{loss[worst]:.4f}"),
            "expected": float(f"{self.expected[worst]:.4f}"),
        }
        return ({**seen, **at} if not apart[worst] < limit else None), seen

    def _frozen(self, loss: Array) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        wrong, seen = self._falls(loss)
        if wrong:
            return wrong, seen
        seen = {
            "tensor": "loss", "measure": "last loss", "value": float(f"{loss[-1]:.7f}"),
            "limit": self.spec.frozen_floor,
        }  # fmt: skip
        return (seen if not loss[-1] > self.spec.frozen_floor else None), seen


def losses(outputs: Array, Y: Array) -> Array:
    """0.5 * mean((out - Y)^2) for each step: (steps, *out) -> (steps,)."""
    apart = np.square(outputs - Y).reshape(len(outputs), -1)
    loss: Array = 0.5 * apart.mean(axis=1)
    return loss

"""`monotone_loss`: gradient descent on the lesson's loss falls at every step, to the lesson's losses.

The layer's side only trains; every loss is worked out here, from the outputs. What they earn is asked
for anew at the first step, the last and one that nobody knows between them: outputs and steps must come
from the weights alone, in a layer that has never trained, for one that knows the loop could answer
whatever falls. Where plain calls gave the right gradients before, and each output and step is the
reference's own, there is nothing left to ask.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..course.specs import MonotoneLossSpec
from ..layer import Layer, Ref, Results, Script
from .anew import REPEATED, Anew
from .further import alike
from .outcome import Outcome, Part, finite, judged, largest, structure
from .problem import Array, Problem

STEP = 1e-6  # of the largest weight: a step of float32 weights is rounded by 1e-7


@dataclass(frozen=True)
class Training:
    """Where the outputs of a training are, (steps, *out), and the weights behind each, (steps, *s)."""

    name: str
    outputs: Ref
    weights: dict[str, Ref]


class MonotoneLossCheck:
    id = "monotone_loss"

    def __init__(self, problem: Problem, spec: MonotoneLossSpec):
        self.problem, self.spec = problem, spec
        self.parts = tuple(Part(name, points) for name, points in spec.parts.items())
        self.script = Script()
        self.X, self.Y = problem.lesson_arrays(spec.shape, spec.seed)
        self.initial = problem.initial(spec.shape)
        self.all = self._train("all", problem.pairs)
        self.frozen = self._train("frozen", [p for p in problem.pairs if p[0] not in spec.frozen])
        rng, last = np.random.default_rng(problem.hidden_seeds), spec.steps - 1
        between = {training.name: int(rng.integers(1, max(last, 2))) for training in (self.all, self.frozen)}
        self.asked = {name: sorted({0, min(step, last), last}) for name, step in between.items()}
        self.right = problem.reference.run(self.script)
        self.expected = losses(self.right[self.all.outputs], self.Y)

    def _train(self, name: str, pairs: list[tuple[str, str]]) -> Training:
        self.script.group()
        layer = self.problem.new(self.script, self.spec.shape)
        self.script.set_all(layer, self.initial)
        outputs = self.script.train(
            layer, self.X, self.Y, rate=self.spec.learning_rate, steps=self.spec.steps - 1, pairs=pairs
        )
        return Training(name, outputs, {weight: self.script.trail(weight) for weight, _ in pairs})

    def run(self, layer: Layer, passed: Collection[str] = ()) -> Outcome:
        results = layer.run(self.script)
        shape = (self.spec.steps, *self.Y.shape)
        found = []
        for part in self.parts:
            training = self.frozen if part.id == "frozen" else self.all
            value = results[training.outputs]
            wrong = structure(value, "loss", shape)
            seen: dict[str, Any] = {}
            if not wrong:
                wrong, seen = getattr(self, f"_{part.id}")(losses(value, self.Y))
            found.append((part, training, wrong, seen))
        sure = "gradcheck" in passed
        earning = {
            training.name: training
            for _, training, wrong, _ in found
            if not wrong and not (sure and self._is_right(training, results))
        }
        unlike = self._unlike(layer, results, list(earning.values()))
        outcome = Outcome()
        for part, training, wrong, seen in found:
            wrong = wrong or unlike.get(training.name)
            outcome.evidence.append(judged(part, [wrong] if wrong else [], seen))
        return outcome

    def _is_right(self, training: Training, results: Results) -> bool:
        """Whether every output and all weights on the way are the reference's."""
        refs = (training.outputs, *training.weights.values())
        return all(alike(results[ref], self.right[ref], REPEATED) for ref in refs)

    def _unlike(self, layer: Layer, results: Results, trainings: list[Training]) -> dict[str, dict[str, Any]]:
        """Findings, by trainings, where weights alone do not give the outputs, or gradients not the steps."""
        anew, findings = Anew(self.problem), {}
        gradients, rate = dict(self.problem.pairs), self.spec.learning_rate
        for training in trainings:
            weights = {name: results[ref] for name, ref in training.weights.items()}
            for name, values in weights.items():
                if wrong := structure(values, name, (self.spec.steps, *self.initial[name].shape)):
                    findings[training.name] = wrong
            for step in self.asked[training.name] if training.name not in findings else ():
                out = results[training.outputs][step]
                now = {name: values[step] for name, values in weights.items()}
                made = anew.forward(training.name, self.spec.shape, {**self.initial, **now}, self.X, out)
                if step + 1 == self.spec.steps:
                    break
                anew.script.call(made, "backward", (out - self.Y) / out.size)
                for name, values in weights.items():
                    moved = (values[step] - values[step + 1]) / rate
                    room = STEP * largest(values) / rate
                    anew.gradient(training.name, made, gradients[name], moved, room)
        return findings | anew.unlike(layer)

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

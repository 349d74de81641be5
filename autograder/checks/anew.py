"""Asks a layer again, in a worker where only such plain questions are asked, for what it answered while it
was swept or trained: outputs and gradients must come from weights and input alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..layer import Layer, Ref, Script
from .outcome import difference, largest, structure
from .problem import Array, Problem

REPEATED = 1e-9  # of the largest entry: the same computation twice differs by rounding only


@dataclass(frozen=True)
class Asked:
    """One question again. `key` is the asker's own; answers may be `room` apart in any entry."""

    key: str
    tensor: str
    question: Ref
    answer: Array
    room: float


@dataclass
class Anew:
    problem: Problem
    script: Script = field(default_factory=Script)
    asked: list[Asked] = field(default_factory=list)

    def forward(self, key: str, shape: str, weights: dict[str, Array], X: Array, out: Array) -> Ref:
        """Ask a new layer of the sizes of `shape` with `weights` for its output; the layer."""
        self.script.group()
        layer = self.problem.new(self.script, shape)
        self.script.set_all(layer, weights)
        question = self.script.call(layer, "forward", X)
        room = REPEATED * largest(out)
        self.asked.append(Asked(key, self.problem.assignment.output.name, question, out, room))
        return layer

    def gradient(self, key: str, layer: Ref, name: str, value: Array, room: float) -> None:
        """Ask a layer after its backward for the gradient `name`."""
        self.asked.append(Asked(key, name, self.script.get(layer, name), value, room))

    def unlike(self, layer: Layer) -> dict[str, dict[str, Any]]:
        """A finding by key where an answer is another now. Raises Stopped."""
        findings: dict[str, dict[str, Any]] = {}
        if not self.asked:
            return findings
        answers = layer.apart().run(self.script)
        for again in self.asked:
            answer = answers[again.question]
            found = structure(answer, again.tensor, again.answer.shape)
            if not found and not largest(answer - again.answer) <= again.room:
                found = difference(again.answer, answer, again.tensor, REPEATED)
            if found:
                findings.setdefault(again.key, {**found, "measure": "another answer when asked anew"})
        return findings

"""Correct layers under other seeds and at other shapes: none may ever lose a point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import KINDS
from ..checks.problem import Problem
from ..course import Assignment, Course
from ..grade.grader import Grader
from ..layer import trusted_layer
from .judge import Judged, summary


@dataclass(frozen=True)
class Run:
    """One correct layer under one seed."""

    seed: int
    layer: str
    shapes: dict[str, dict[str, int]]
    judged: Judged


class Seeds:
    """Seeded runs of one assignment, each with its own shapes, and with a style beside the reference."""

    def __init__(self, course: Course, name: str, styles: dict[str, bytes]):
        self.course, self.name = course, name
        self.reference = course.solution_path(name).read_bytes()
        self.styles = styles

    def __call__(self, seed: int) -> list[Run]:
        assignment = drawn(self.course.assignments[self.name], seed)
        grader = Grader(self.course, self.name, level="L1")  # its zygote is never started
        problem = Problem(assignment, self.reference)
        grader.checks = [KINDS[name](problem, spec) for name, spec in assignment.checks.present.items()]
        chosen = {"reference": self.reference}
        if self.styles:
            name = sorted(self.styles)[seed % len(self.styles)]
            chosen[name] = self.styles[name]
        return [
            Run(seed, name, assignment.shapes, summary(grader.judge(trusted_layer(s, assignment.class_name))))
            for name, s in chosen.items()
        ]


def drawn(assignment: Assignment, seed: int) -> Assignment:
    """The assignment with other seeds, and with each axis drawn from the sizes between the policy's own.

    Training keeps its shape: whether a loss falls at a given rate depends on it. The floor of the part
    `frozen` belongs to the policy's seed and goes; the large shape, a matter of time alone, goes as well.
    """
    rng = np.random.default_rng(seed)
    specs = assignment.checks.present
    large = {getattr(spec, "large_shape", None) for spec in specs.values()}
    kept = {assignment.checks.monotone_loss.shape} if assignment.checks.monotone_loss else set()
    usual = [sizes for name, sizes in assignment.shapes.items() if name not in large]

    def draw(symbol: str) -> int:
        sizes = [shape[symbol] for shape in usual]
        return int(rng.integers(min(sizes), max(sizes) + 1))

    shapes = {
        name: sizes if name in kept | large else {symbol: draw(symbol) for symbol in sizes}
        for name, sizes in assignment.shapes.items()
    }
    changes = {"seed": seed, "hidden_seed": seed, "large_shape": None, "frozen_floor": float("-inf")}
    update = {
        check: spec.model_copy(update={k: v for k, v in changes.items() if k in type(spec).model_fields})
        for check, spec in specs.items()
    }
    checks = assignment.checks.model_copy(update=update)
    return assignment.model_copy(update={"shapes": shapes, "checks": checks})

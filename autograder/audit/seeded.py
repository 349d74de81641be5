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

TRAINING = "training as graded"


@dataclass(frozen=True)
class Run:
    """One correct layer under one seed."""

    seed: int
    layer: str
    shapes: dict[str, dict[str, int]]
    judged: Judged


class Seeds:
    """Seeded runs of one assignment, each with shapes of its own: the reference, then a style, by turns."""

    def __init__(self, course: Course, name: str, styles: dict[str, bytes]):
        self.assignment = course.assignments[name]
        self.grader = Grader(course, name, level="L1")  # its zygote is never started
        self.reference = course.solution_path(name).read_bytes()
        self.styles = sorted(styles.items())

    def __call__(self, seed: int) -> Run:
        assignment = drawn(self.assignment, seed)
        problem = Problem(assignment, self.reference)
        self.grader.checks = [KINDS[name](problem, spec) for name, spec in assignment.checks.present.items()]
        name, source = "reference", self.reference
        if seed % 2 and self.styles:
            name, source = self.styles[seed // 2 % len(self.styles)]
        layer = trusted_layer(source, assignment.class_name)
        return Run(seed, name, assignment.shapes, summary(self.grader.judge(layer)))


def drawn(assignment: Assignment, seed: int) -> Assignment:
    """The assignment with other seeds, and with each axis drawn from the sizes between the policy's own.

    Training keeps its shape: whether a loss falls at a given rate depends on it. The floor of the part
    `frozen` belongs to the policy's seed and goes; the large shape, a matter of time alone, goes as well.
    """
    rng = np.random.default_rng(seed)
    specs = assignment.checks.present
    large = {getattr(spec, "large_shape", None) for spec in specs.values()}
    usual = [sizes for name, sizes in assignment.shapes.items() if name not in large]

    def draw(symbol: str) -> int:
        sizes = [shape[symbol] for shape in usual]
        return int(rng.integers(min(sizes), max(sizes) + 1))

    shapes = {
        name: sizes if name in large else {symbol: draw(symbol) for symbol in sizes}
        for name, sizes in assignment.shapes.items()
    }
    if training := assignment.checks.monotone_loss:
        shapes[TRAINING] = assignment.sizes(training.shape)
    changes = {"seed": seed, "hidden_seed": seed, "large_shape": None, "frozen_floor": float("-inf")}
    update = {}
    for check, spec in specs.items():
        own = {key: value for key, value in changes.items() if key in type(spec).model_fields}
        update[check] = spec.model_copy(
            update=own | ({"shape": TRAINING} if check == "monotone_loss" else {})
        )
    checks = assignment.checks.model_copy(update=update)
    return assignment.model_copy(update={"shapes": shapes, "checks": checks})

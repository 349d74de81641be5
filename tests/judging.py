"""Judging by the hidden checks in this process: only for layers that the project itself wrote."""

from functools import cache
from pathlib import Path

import numpy as np

from autograder.checks import prepare
from autograder.checks.outcome import Check
from autograder.course import load_course
from autograder.layer import trusted_layer

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
ASSIGNMENT = COURSE.assignments[NAME]
REFERENCE = COURSE.solution_path(NAME).read_text(encoding="utf-8")


@cache
def checks() -> tuple[Check, ...]:
    return tuple(prepare(ASSIGNMENT, REFERENCE.encode()))


@cache
def lost(source: bytes) -> dict[str, set[str]]:
    """The parts of each check that lose points; a check that loses none is left out."""
    layer, found = trusted_layer(source, ASSIGNMENT.class_name), {}
    with np.errstate(all="ignore"):  # a layer may overflow; that is judged and not shown
        for check in checks():
            parts = {e.part for e in check.run(layer).evidence if e.points < e.max_points}
            if parts:
                found[check.id] = parts
    return found

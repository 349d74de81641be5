"""The known mistakes as fingerprints: what each changes in the answers of a right layer.

Working them out takes seconds, so `autograder build` writes them down, for the students' folder and for
the grader both; a file that was made from something else is worked out anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.problem import Problem
from ..course import Course
from ..course.mistakes import Mistake, load_mistakes
from ..layer import trusted_layer
from . import fingerprint
from .questions import Questions

FILE = "fingerprints.json"
SLIGHT = 1e-11  # of the norm: what another order of summation leaves is below, differences are above
# Of the norm: rounded further than the last digits, which belong to the machine. The right answers
# carry more, so that single precision shows.
DIGITS, DIGITS_OF_RIGHT = 6, 9

Answers = dict[str, Any]


def known(course: Course, name: str) -> Known:
    """The fingerprints of an assignment, always worked out. Raises CourseError, OSError, ValueError."""
    path = course.solution_path(name)
    questions = Questions(Problem(course.assignments[name], path.read_bytes()))
    return Known(questions, mistakes_of(course, name))


def file_of(course: Course, name: str) -> Path:
    """Where the fingerprints of an assignment lie; the file may not exist yet."""
    return course.root / course.course.assignments / name / FILE


def mistakes_of(course: Course, name: str) -> tuple[Mistake, ...]:
    """The assignment's known mistakes, none if it has no list. Raises CourseError."""
    path = course.mistakes_path(name)
    if not course.has(path):
        return ()
    with io.TextIOWrapper(io.BytesIO(course.read(course.solution_path(name))), encoding="utf-8") as reference:
        return load_mistakes(path, reference.read(), course.read(path))


class Known:
    """The fingerprints of an assignment: `right` and, by name, what each mistake changes."""

    def __init__(self, questions: Questions, mistakes: Sequence[Mistake], file: bytes | None = None):
        """From FILE's content where that was made from the same sources, else worked out here, in seconds."""
        self.questions = questions
        self.mistakes = {mistake.name: mistake for mistake in mistakes}
        self.right = questions.answers(questions.problem.reference.run(questions.script))
        self.stamp = _stamp(questions, mistakes)
        self.changes = _from_file(file, self.stamp) or self._worked_out()

    def _worked_out(self) -> dict[str, Answers]:
        if self.stamp not in _worked_out:
            reference = self.questions.problem.source.decode()
            _worked_out[self.stamp] = {
                name: changes(self.questions, mistake.apply(reference), self.right)
                for name, mistake in self.mistakes.items()
            }
        return _worked_out[self.stamp]

    @property
    def file(self) -> bytes:
        """What students receive, and a later run reads: numbers, names and hints."""
        content = {
            "made from": self.stamp,
            "program": self.questions.program,
            "right": _rounded(self.right, DIGITS_OF_RIGHT),
            "mistakes": {
                name: {"why": m.why, "hints": m.hints, "changes": _rounded(self.changes[name], DIGITS)}
                for name, m in self.mistakes.items()
            },
        }
        return (json.dumps(content, separators=(",", ":")) + "\n").encode()


_worked_out: dict[str, dict[str, Answers]] = {}  # by stamp, once a process


def changes(questions: Questions, source: str, right: Answers) -> Answers:
    """What a layer of ours changes, by key; VARIES for what is different each time."""

    def answers() -> Answers:
        layer = trusted_layer(source.encode(), questions.assignment.class_name)
        with np.errstate(all="ignore"):
            return questions.answers(layer.run(questions.script))

    once = answers()
    found = fingerprint.changed(once, right, SLIGHT)
    varying = fingerprint.changed(answers(), once, fingerprint.NOISE) if found else {}
    return {key: fingerprint.VARIES if key in varying else value for key, value in found.items()}


def _stamp(questions: Questions, mistakes: Sequence[Mistake]) -> str:
    """SHA-256 (hex) over everything that the file is made from."""
    total = hashlib.sha256()
    for part in (
        questions.problem.source,
        json.dumps([questions.program, [m.model_dump() for m in mistakes]]).encode(),
        *(Path(module).read_bytes() for module in (__file__, fingerprint.__file__)),
    ):
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()


def _from_file(file: bytes | None, stamp: str) -> dict[str, Answers] | None:
    try:
        content = json.loads(file) if file else {}
    except ValueError:
        return None
    if not isinstance(content, dict) or content.get("made from") != stamp:
        return None
    return {name: mistake["changes"] for name, mistake in content["mistakes"].items()}


def _rounded(answers: Answers, digits: int) -> Answers:
    """Numbers with `digits` digits of the norm; words as they are."""
    return {key: value if isinstance(value, str) else _round(value, digits) for key, value in answers.items()}


def _round(value: list[Any], digits: int) -> list[Any]:
    norm = value[1]
    decimals = digits - 1 - math.floor(math.log10(norm)) if norm else 0
    return [value[0], *(float(f"{round(number, decimals):.{digits + 2}g}") for number in value[1:])]

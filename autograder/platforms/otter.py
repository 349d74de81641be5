"""otter: a plugin that keeps the student's code out of the kernel, and the judge that its tests call.

Before otter runs anything, `BehindTheWall` puts the submission's bytes, as data, in the place of the
submission. The tests in the kernel then hand these bytes to our grader: no line of the student's runs
where otter keeps its results.
"""

from __future__ import annotations

import base64
import shutil
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from nbformat import writes
from nbformat.v4 import new_code_cell, new_notebook
from otter.plugins import AbstractOtterPlugin

from autograder.grade.model import CheckGrade, Grade
from autograder.platforms.grading import grade
from autograder.reports.inert import inert
from autograder.reports.words import evidence_line, points, words
from autograder.submission.find import read_data
from autograder.submission.model import Unreadable
from autograder.submission.opening import read_bytes

LARGEST = 64 << 20  # bytes that are read at all; the course's own limit comes after
COURSE = Path("source/files/course/grading.toml")  # in the autograder's zip, where no submission reaches


class Data(TypedDict):
    """A submission as the kernel has it."""

    course: str
    suffix: str
    content: str  # base64


class BehindTheWall(AbstractOtterPlugin):  # type: ignore[misc]
    """Replaces the submission by its own bytes, and removes what was handed in beside it."""

    def before_grading(self, config: Any) -> None:
        own = Path(self.submission_path)
        folder = own.parent
        try:
            content = read_bytes(own, LARGEST)
        except Unreadable:
            content = b""
        for path in folder.iterdir():
            if path.is_symlink() or (path.is_file() and path.name != "__init__.py"):
                path.unlink()
            elif path.is_dir() and path.name != "tests":
                shutil.rmtree(path)
        data = Data(
            course=str(folder.parent / COURSE),
            suffix=own.suffix,
            content=base64.b64encode(content).decode(),
        )
        cell = f"submission = {data!r}"
        own.write_text(
            cell + "\n" if own.suffix == ".py" else writes(new_notebook(cells=[new_code_cell(cell)]))
        )


class Lost(AssertionError):
    """Points that a part of a check takes, with the reason."""


def judge(submission: Data | None, name: str, check: str, part: str | None = None) -> None:
    """Pass when the part, or every part, has its points.

    Raises Lost with what was measured, and for a check's first lost part with all that the check says;
    RuntimeError for a fault of the grader.
    """
    if submission is None:
        raise RuntimeError(
            "otter_config.json does not name the plugin autograder.platforms.otter.BehindTheWall"
        )
    found = _grade(submission["course"], name, submission["content"], submission["suffix"])
    for flag in found.flags:
        if flag.kind == "grader-fault":
            raise RuntimeError(f"the grader failed, not your work: {flag.detail}")
    judged = next(c for c in found.checks if c.id == check)
    lost = [e for e in judged.evidence if e.points < e.max_points]
    if part is None and lost:
        raise Lost(f"{judged.title}: {points(judged)}")
    for evidence in lost:
        if evidence.part == part:
            first = evidence is lost[0]
            raise Lost("\n".join([evidence_line(evidence), *(_all_that(judged, found) if first else ())]))


@cache
def _grade(course: str, name: str, content: str, suffix: str) -> Grade:
    item = read_data(base64.b64decode(content), suffix, "submission")
    return grade(Path(course), name, item)


def _all_that(check: CheckGrade, found: Grade) -> list[str]:
    """What a check says, and why a file could not be read."""
    reasons = [inert(flag.detail) for flag in found.flags if flag.kind == "unreadable"]
    return [*(words(check) if check.diagnosis else ()), *reasons]

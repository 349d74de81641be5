"""Many submissions: one grader a process, results in the order of the submissions."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .course import load_course
from .grade.grader import Grader
from .grade.model import CheckGrade, Flag, Grade
from .sandbox.pool import IsolationError
from .sandbox.zygote import die_with_parent
from .submission import Refusal, Submission

Work = Submission | Refusal
SMALL = 8  # below this another process costs more than it saves

_grader: Grader | None = None


def grade_all(course: Path, name: str, work: Sequence[Work], *, level: str, jobs: int) -> Iterator[Grade]:
    """Grades in the order of `work`. Raises IsolationError when the level is not to be had."""
    if jobs <= 1 or len(work) < SMALL:
        with Grader(load_course(course), name, level=level) as grader:
            for item in work:
                yield graded(grader, item)
        return
    context = multiprocessing.get_context("spawn")  # a fork would take this process's threads' locks along
    chunk = max(1, min(25, len(work) // (jobs * 4)))
    with ProcessPoolExecutor(jobs, context, _start, (course, name, level)) as executor:
        yield from executor.map(_one, work, chunksize=chunk)


def _start(course: Path, name: str, level: str) -> None:
    global _grader
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers it and ends these
    _grader = Grader(load_course(course), name, level=level)


def _one(item: Work) -> Grade:
    assert _grader is not None
    return graded(_grader, item)


def graded(grader: Grader, item: Work) -> Grade:
    """One grade; what breaks in the grader itself is tried once more and then said, with no mark taken."""
    for last in (False, True):
        try:
            return grader.grade(item)
        except IsolationError:
            raise
        except Exception as error:
            grader.restart()
            if last:
                return fault(grader, item, error)
    raise AssertionError("unreachable")


def fault(grader: Grader, item: Work, error: Exception) -> Grade:
    """A grade that says that there is none: every check a grader-fault, and a flag for a human."""
    blank = grader.grade(
        Refusal(item.student, item.path, f"the grader failed: {type(error).__name__}: {error}")
    )
    checks = tuple(
        CheckGrade(
            id=c.id, title=c.title, verdict="grader-fault", points=0.0, max_points=c.max_points,
            evidence=tuple(e.model_copy(update={"verdict": "grader-fault"}) for e in c.evidence),
        )
        for c in blank.checks
    )  # fmt: skip
    flag = Flag(kind="grader-fault", detail=blank.flags[0].detail)
    return blank.model_copy(update={"checks": checks, "flags": (flag,)})

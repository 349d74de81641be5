"""What runs in each worker of a batch: one grader, made at the first chunk and kept for the next."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ..grade.grader import Grader
from ..grade.model import CheckGrade, Flag, Grade
from ..sandbox.pool import IsolationError
from ..submission import Refusal
from .job import Job, Work

TRIES = 3


class _Kept(threading.local):  # a zygote serves one thread, and some executors have several
    job: Job | None = None
    grader: Grader


_kept = _Kept()


def keep(job: Job, grader: Grader) -> None:
    """Make `grader` the one that this thread uses for `job`."""
    if _kept.job is not None:
        _kept.grader.restart()
    _kept.job, _kept.grader = job, grader


def grade_chunk(job: Job, items: Sequence[Work]) -> list[str]:
    """The grades as JSON, in order. Raises IsolationError when the level is not to be had."""
    grader = _grader(job)
    return [graded(grader, item).model_dump_json(by_alias=True) for item in items]


def fault_of(job: Job, item: Work, reason: str) -> str:
    """The grade, as JSON, of an item that cannot be graded for a fault of ours."""
    return fault(_grader(job), item, reason).model_dump_json(by_alias=True)


def _grader(job: Job) -> Grader:
    if job != _kept.job:
        keep(job, job.grader())
    return _kept.grader


def graded(grader: Grader, item: Work) -> Grade:
    """One grade. What breaks in the grader itself is tried again and then said, with no mark taken.

    A worker that ended before its reply may have been ended by something else, such as a machine short of
    memory: that counts against a submission only when it happens again with the same result, and a grade
    of which no two tries agree is none.
    """
    seen: Grade | None = None
    reason = f"workers ended before they answered, in {TRIES} tries with other results"
    for _ in range(TRIES):
        losses = grader.losses
        try:
            grade = grader.grade(item)
        except IsolationError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            grader.restart()
            continue
        if grader.losses == losses or grade == seen:
            return grade
        seen = grade
    return fault(grader, item, reason)


def fault(grader: Grader, item: Work, reason: str) -> Grade:
    """A grade that says that there is none: every check a grader-fault, and a flag for a human.

    It is one of this submission, so that the next grade of it takes its place.
    """
    blank = grader.grade(Refusal(item.student, item.path, f"the grader failed: {reason}"))
    checks = tuple(
        CheckGrade(
            id=c.id, title=c.title, verdict="grader-fault", points=0.0, max_points=c.max_points,
            evidence=tuple(e.model_copy(update={"verdict": "grader-fault"}) for e in c.evidence),
        )
        for c in blank.checks
    )  # fmt: skip
    flag = Flag(kind="grader-fault", detail=blank.flags[0].detail)
    digest = "" if isinstance(item, Refusal) else item.source.digest
    digests = blank.digests.model_copy(update={"submission": digest})
    return blank.model_copy(update={"checks": checks, "flags": (flag,), "digests": digests})


def faulty(grade: Grade) -> bool:
    """Whether a grade is none, for a fault of ours."""
    return any(flag.kind == "grader-fault" for flag in grade.flags)

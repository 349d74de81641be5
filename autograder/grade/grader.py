"""Grades one submission: loads it behind the wall, runs the checks in order, skips what cannot tell."""

from __future__ import annotations

import hashlib
import logging
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..checks import prepare
from ..checks.outcome import Check, Outcome, Part, exception, skipped, stopped
from ..checks.problem import Problem
from ..course import Course
from ..layer import FRAMES, Layer, Loaded, Stopped, WalledLayer
from ..sandbox.levels import LEVELS
from ..sandbox.pool import IsolationError, Zygote, ZygoteFault, starter
from ..submission import Refusal, Source, Submission
from .model import CheckGrade, Digests, Evidence, Figures, Flag, Grade, Isolation

if TYPE_CHECKING:  # both are needed from the first failed check on, and not before
    from ..diagnosis.diagnostician import Diagnostician
    from .figures import Artist

_log = logging.getLogger(__name__)

# A check needs these to have run at all; wrong values skip nothing.
NEEDS = {
    "gradcheck": ("forward",),
    "monotone_loss": ("forward", "gradcheck"),
    "contract": ("forward", "gradcheck"),
}
NOT_RUN = ("error", "timeout", "memory", "crash", "import", "tampering", "skipped")
STOPPED = ("timeout", "memory", "crash", "import", "tampering")  # asked again, it would do it again


@cache
def grader_digest() -> str:
    """SHA-256 (hex) over the package's own source."""
    root = Path(__file__).parent.parent
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


class Grader:
    """Everything of a course and an assignment that is worked out once, and a zygote. A context manager."""

    def __init__(self, course: Course, name: str, *, level: str, diagnose: bool = True):
        self.course, self.name, self.level, self.diagnose = course, name, level, diagnose
        self.assignment = course.assignments[name]
        self._reference = course.read(course.solution_path(name))
        self.checks = prepare(self.assignment, self._reference)
        self.course_digest = course.digest(name)
        self._zygote: Zygote | None = None
        self._lost = 0

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *error: object) -> None:
        self.restart()

    def restart(self) -> None:
        """End the zygote; the next submission starts another."""
        if self._zygote is not None:
            self._lost += self._zygote.workers_lost + 1
            self._zygote.close()
            self._zygote = None

    @property
    def zygote(self) -> Zygote:
        """Started at the first use. Raises IsolationError below the level, ZygoteFault when broken."""
        if self._zygote is None:
            limits = self.course.limits
            self._zygote = starter()(
                self.level,
                memory_mib=limits.memory_mib,
                cpu_seconds=int(limits.load_seconds + FRAMES * limits.call_seconds) + 1,
            )
        return self._zygote

    @property
    def losses(self) -> int:
        """So far: workers that ended before a reply, by whatever hand, and zygotes that were ended."""
        return self._lost + (self._zygote.workers_lost if self._zygote else 0)

    def layer(self, source: Source) -> WalledLayer:
        limits = self.course.limits
        return WalledLayer(
            self.zygote, source.chunks, self.assignment.class_name,
            lenient=source.kind == "ipynb", stand_ins=limits.stand_ins,
            load_seconds=limits.load_seconds, call_seconds=limits.call_seconds,
        )  # fmt: skip

    def grade(self, submission: Submission | Refusal) -> Grade:
        if isinstance(submission, Refusal):
            return self._refused(submission)
        layer = self.layer(submission.source)
        try:
            grades, flags = self._checks(layer)
            figures = self._figures(layer, grades) if self.diagnose else None
        finally:
            layer.close()
        if self.diagnose:
            grades = self._explained(submission.source, grades)
        flags += [Flag(kind="note", detail=note) for note in submission.notes]
        grade = self._grade(submission.student, grades, flags, submission.source.digest)
        return grade.model_copy(update={"figures": figures})

    @cached_property
    def _diagnostician(self) -> Diagnostician:
        from ..diagnosis.diagnostician import Diagnostician

        return Diagnostician(self.course, self.name, Problem(self.assignment, self._reference))

    def prove(self) -> None:
        """Fail now where the level is not to be had. Raises IsolationError."""
        try:
            self.zygote.worker().close()
        except ZygoteFault:  # said, after further tries, by what is graded
            self.restart()

    def _explained(self, source: Source, grades: list[CheckGrade]) -> list[CheckGrade]:
        """The same grades with a diagnosis in those that failed, in a worker of its own."""
        if all(grade.verdict == "passed" for grade in grades):
            return grades
        layer = self.layer(source)
        try:
            try:
                with np.errstate(all="ignore"):
                    found = self._diagnostician.explain(layer, source, grades)
            finally:
                layer.close()  # while its zygote is there
        except (IsolationError, ZygoteFault):  # not the submission's doing: to be graded again
            raise
        except Exception as error:  # words never cost a grade
            _log.warning("no diagnosis: %s: %s", type(error).__name__, error)
            self.restart()
            return grades
        return [grade.model_copy(update={"diagnosis": found.get(grade.id)}) for grade in grades]

    @cached_property
    def _artist(self) -> Artist:
        from .figures import Artist

        return Artist(Problem(self.assignment, self._reference))

    def _figures(self, layer: WalledLayer, grades: list[CheckGrade]) -> Figures | None:
        """For pictures of what failed; none of a layer that passes or that did not run at all."""
        lost = [e for grade in grades for e in grade.evidence if e.points < e.max_points]
        if not lost or any(e.verdict in STOPPED for e in lost) or all(e.verdict in NOT_RUN for e in lost):
            return None
        try:
            with np.errstate(all="ignore"):
                return self._artist.draw(layer)
        except (IsolationError, ZygoteFault):
            raise
        except Exception as error:  # a picture never costs a grade
            _log.warning("no figures: %s: %s", type(error).__name__, error)
            return None

    def _grade(self, student: str, checks: list[CheckGrade], flags: list[Flag], digest: str) -> Grade:
        return Grade(
            student=student,
            assignment=self.name,
            score=round(sum(c.points for c in checks), 6),
            max_score=self.assignment.points,
            checks=tuple(checks),
            isolation=Isolation(level=self.level, detail=LEVELS[self.level].made_of),
            flags=tuple(flags),
            digests=Digests(submission=digest, course=self.course_digest, grader=grader_digest()),
        )

    def _refused(self, refusal: Refusal) -> Grade:
        checks = [self._check(c, skipped(c.parts, "a file that can be read")) for c in self.checks]
        return self._grade(refusal.student, checks, [Flag(kind="unreadable", detail=refusal.reason)], "")

    def _check(self, check: Check, evidence: list[Evidence]) -> CheckGrade:
        spec = self.assignment.checks.present[check.id]
        return CheckGrade(
            id=check.id,
            title=spec.title,
            verdict=Outcome(evidence).verdict,
            points=round(sum(e.points for e in evidence), 6),
            max_points=spec.points,
            evidence=tuple(evidence),
        )

    def _checks(self, layer: WalledLayer) -> tuple[list[CheckGrade], list[Flag]]:
        unloaded = self._load(layer)
        if unloaded:
            grades = [
                self._check(check, [e.model_copy(update={"part": p.id, "max_points": p.points})
                                    for p in check.parts for e in unloaded])
                for check in self.checks
            ]  # fmt: skip
        else:
            grades = self.judge(layer)
        broken = [g.id for g in grades if any(e.verdict == "tampering" for e in g.evidence)]
        return grades, [Flag(kind="tampering", detail=f"{i}: the worker broke the protocol") for i in broken]

    def judge(self, layer: Layer) -> list[CheckGrade]:
        """The checks in order, on a layer whose file has run; what depends on a failed one is skipped."""
        grades: dict[str, CheckGrade] = {}
        for check in self.checks:
            grades[check.id] = self._check(check, self._run(check, layer, grades))
        return list(grades.values())

    def _load(self, layer: WalledLayer) -> list[Evidence]:
        """Run the file itself; evidence against it, or nothing."""
        part = Part("load", 0.0)
        try:
            loaded: Loaded = layer.load()
        except Stopped as error:
            return stopped((part,), error)
        if loaded.problem is not None:
            found = exception(loaded.problem)
            return [Evidence(part="load", points=0.0, max_points=0.0, **found)]
        if not loaded.found:
            return [
                Evidence(
                    part="load", verdict="error", points=0.0, max_points=0.0, measure="class",
                    value="missing", limit=self.assignment.class_name,
                )
            ]  # fmt: skip
        return []

    def _run(self, check: Check, layer: Layer, grades: dict[str, CheckGrade]) -> list[Evidence]:
        for needed in NEEDS.get(check.id, ()):
            if needed in grades and all(_did_not_run(e) for e in grades[needed].evidence):
                return skipped(check.parts, needed)
        try:
            with np.errstate(all="ignore"):  # what a layer answers may overflow anything; it is judged below
                passed = [name for name, grade in grades.items() if grade.verdict == "passed"]
                return check.run(layer, passed).evidence
        except Stopped as error:
            return stopped(check.parts, error)


def _did_not_run(evidence: Evidence) -> bool:
    return evidence.verdict in NOT_RUN or evidence.measure in ("missing", "type")


__all__ = ["Grader", "grader_digest"]

"""Judges layers that the project itself wrote: by the hidden checks, in this process, under a CPU limit."""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from types import FrameType
from typing import TypeVar

import numpy as np

from ..course import Course
from ..grade.grader import Grader
from ..grade.model import CheckGrade
from ..layer import InProcessLayer, Layer, Results, Script, Stopped, trusted_layer
from .behaviour import Behaviour
from .lesson import passes_the_lesson

T = TypeVar("T")


@dataclass(frozen=True)
class Judged:
    """What the checks said about one layer."""

    score: float
    lost: dict[str, tuple[str, ...]]  # check -> its parts that lose points, where there are any
    figure: float  # the largest relative error of its gradients, 0 where none was measured
    lesson: bool = False  # whether it passes the lesson's three tests
    same: bool = False  # whether it gives the reference's bits everywhere; asked only at full marks
    fault: str = ""  # what broke in the grader itself


def within(seconds: float, ask: Callable[[], T]) -> T:
    """What `ask` gives. Raises Stopped when it takes more than so many CPU seconds."""
    late = False

    def expire(number: int, frame: FrameType | None) -> None:
        nonlocal late
        late = True
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, expire)
    # Again and again: what catches the first must not run on.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.01)
    try:
        answer = ask()
    except TimeoutError:
        if not late:
            raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    if late:
        raise Stopped("timeout", f"no answer within {seconds:g} s")
    return answer


class Timed:
    """A trusted layer whose frames end after so many CPU seconds, as they do behind the wall."""

    def __init__(self, layer: Layer, seconds: float):
        self._layer, self._seconds = layer, seconds

    def run(self, script: Script, seconds: float | None = None) -> Results:
        """Raises Stopped after the limit."""
        return within(seconds or self._seconds, lambda: self._layer.run(script))

    def apart(self) -> Layer:
        return self


class Judge:
    """The checks of one assignment, ready for one layer after the other."""

    def __init__(self, course: Course, name: str):
        self.assignment = course.assignments[name]
        self.seconds = course.limits.call_seconds
        self.grader = Grader(course, name, level="L1")  # its zygote is never started
        self.behaviour = Behaviour(self.assignment, course.solution_path(name).read_bytes())

    def __call__(self, source: bytes) -> Judged:
        """Never raises: a fault of the checks is in the answer."""
        np.random.seed(0)  # some mistakes draw from the global generator, or leave it changed
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # wrong layers overflow; that is judged
            warnings.simplefilter("ignore")
            try:
                layer = trusted_layer(source, self.assignment.class_name)
            except ValueError:  # a mutant may not even load
                return Judged(0.0, dict.fromkeys(self.assignment.checks.present, ("load",)), 0.0)
            try:
                judged = summary(self.grader.judge(Timed(layer, self.seconds)))
            except Exception as error:
                return Judged(0.0, {}, 0.0, fault=f"{type(error).__name__}: {error}")
            full = judged.score == self.assignment.points
            return replace(
                judged,
                lesson=self._guarded(lambda: passes_the_lesson(layer.cls, self.assignment)),
                same=full and self._guarded(lambda: self.behaviour.same(layer)),
            )

    def _guarded(self, ask: Callable[[], bool]) -> bool:
        """The answer of `ask`, False when it raises or takes too long."""
        try:
            return within(self.seconds, ask)
        except Exception:
            return False

    def forwards(self) -> tuple[int, int]:
        """How many forwards and backwards all checks take for the reference."""
        calls = {"forward": 0, "backward": 0}
        reference = trusted_layer(self.behaviour.source, self.assignment.class_name).cls

        def counting(name: str) -> Callable[..., object]:
            def method(layer: object, argument: object) -> object:
                calls[name] += 1
                return getattr(reference, name)(layer, argument)

            return method

        counted = type(reference.__name__, (reference,), {name: counting(name) for name in calls})
        self.grader.judge(InProcessLayer(counted))
        return calls["forward"], calls["backward"]

    def milliseconds(self) -> float:
        """CPU milliseconds of all checks on the reference in this process: the median of 9 runs."""
        reference, spent = trusted_layer(self.behaviour.source, self.assignment.class_name), []
        for _ in range(9):
            began = time.process_time()
            self.grader.judge(reference)
            spent.append(1000.0 * (time.process_time() - began))
        return median(spent)


def summary(grades: list[CheckGrade]) -> Judged:
    lost, figure = {}, 0.0
    for grade in grades:
        parts = tuple(e.part for e in grade.evidence if e.points < e.max_points)
        if parts:
            lost[grade.id] = parts
        for evidence in grade.evidence if grade.id == "gradcheck" else ():
            if evidence.measure.startswith("relative error") and isinstance(evidence.value, float):
                figure = max(figure, evidence.value)
    return Judged(round(sum(grade.points for grade in grades), 6), lost, figure)

"""Explains the failed checks of a submission: evidence, name, line, next step. Never a point."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property

from ..checks.problem import Problem
from ..course import Course
from ..grade.model import CheckGrade, Diagnosis
from ..layer import Results, Stopped, WalledLayer
from ..sandbox.pool import IsolationError, ZygoteFault
from ..submission import Source
from . import failing, fingerprint
from .evidence import Findings
from .explaining import Explaining, Found
from .known import SLIGHT, Known, file_of, mistakes_of
from .lines import find_lines
from .match import Match, Matcher
from .questions import Questions
from .sentence import Said, compose

_log = logging.getLogger(__name__)

SECONDS = 10.0  # for all questions; a layer of plain Python loops needs half of one on an idle machine
AGAIN = 2.0  # for one that has run out of time before
LINE_SECONDS = 10.0  # seldom reached: counts limit the search, so that a loaded machine finds the same lines
PROCESS = ("timeout", "memory", "crash", "tampering")


class Diagnostician:
    """Everything about an assignment that explaining needs, worked out at the first failed submission."""

    def __init__(self, course: Course, name: str, problem: Problem):
        self.course, self.name, self.problem = course, name, problem

    @cached_property
    def known(self) -> Known:
        path = file_of(self.course, self.name)
        file = self.course.read(path) if self.course.has(path) else None
        return Known(Questions(self.problem), mistakes_of(self.course, self.name), file)

    @cached_property
    def matcher(self) -> Matcher:
        return Matcher(self.known)

    @cached_property
    def right(self) -> Results:
        return self.problem.reference.run(self.known.questions.script)

    def explain(
        self, layer: WalledLayer, source: Source, checks: Sequence[CheckGrade]
    ) -> dict[str, Diagnosis]:
        """A diagnosis for each failed check that ran, by its id. `layer` has not been used before."""
        failed = [c for c in checks if c.verdict not in ("passed", "skipped", "grader-fault")]
        if not failed:
            return {}
        try:
            loaded = layer.load()
            if loaded.problem is not None or not loaded.found:
                found = failing.not_loaded(loaded, source, self.problem.assignment.class_name)
                return self._same(failed, compose(source, Said(found.evidence, found.lines, next=found.next)))
            late = any(e.verdict == "timeout" for check in failed for e in check.evidence)
            results = layer.run(self.known.questions.script, AGAIN if late else SECONDS)
        except Stopped:
            return self._ended(failed)
        return self._compared(layer, source, failed, results)

    # ---- what did not run ----

    def _same(self, failed: Sequence[CheckGrade], full: Diagnosis) -> dict[str, Diagnosis]:
        """One diagnosis in full, and in the other checks where it stands."""
        first, *rest = failed
        pointer = Diagnosis(sentence=f"The same as in {first.id}.", lines=full.lines, mistakes=full.mistakes)
        return {first.id: full, **{c.id: pointer for c in rest}}

    def _ended(self, failed: Sequence[CheckGrade]) -> dict[str, Diagnosis]:
        """Where the process did not last, its end is all that there is to say."""
        found = {check.id: said for check in failed if (said := self._stopped(check))}
        first: dict[str, str] = {}
        for name, said in found.items():
            told = first.setdefault(said.sentence, name)
            if told != name:
                found[name] = Diagnosis(sentence=f"The same as in {told}.")
        return found

    def _stopped(self, check: CheckGrade) -> Diagnosis | None:
        """What ended the process in this check, if something did."""
        ended = next((e for e in check.evidence if e.verdict in PROCESS), None)
        if ended is None:
            return None
        said = {
            "timeout": "It does not finish in the time that a call has. Look for a loop that never ends, or "
            "for one over every entry of an array where a product of arrays does it at once.",
            "memory": "It asks for more memory than there is. Look at the shapes of the largest arrays.",
            "crash": "Its process ended before it answered.",
            "tampering": "Its process answered in a form that no layer gives.",
        }[ended.verdict]
        return Diagnosis(sentence=said)

    # ---- what ran ----

    def _compared(
        self, layer: WalledLayer, source: Source, failed: Sequence[CheckGrade], results: Results
    ) -> dict[str, Diagnosis]:
        questions = self.known.questions
        answers = questions.answers(results)
        changed = fingerprint.changed(answers, self.known.right, SLIGHT)
        match = self.matcher.match(answers, changed) if changed else Match()
        findings = Findings(questions, results, self.right, changed)
        names = results[questions.names]
        found = Found(match, findings, tuple(names.split()) if isinstance(names, str) else ())
        explaining = Explaining(self.known, self.problem, source, found)
        if explaining.wants_lines:
            try:
                explaining.lines = find_lines(layer, self.problem, budget_seconds=LINE_SECONDS)
            except (IsolationError, ZygoteFault):  # not the layer's doing: to be asked again
                raise
            except Exception as error:  # the rest still stands
                _log.warning("no lines: %s: %s", type(error).__name__, error)
        return {check.id: explaining.check(check) for check in failed}

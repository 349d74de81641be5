"""Puts together what was found of one submission: a diagnosis for each failed check, the fault told once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..checks.problem import Problem
from ..course.mistakes import INIT, Mistake
from ..grade.model import CheckGrade, Diagnosis, Line
from ..layer import Raised
from ..submission import Source
from . import failing
from .evidence import Fault, Findings, lines_of, measured
from .known import Known
from .lines import LineFinding
from .match import Group, Match
from .sentence import Said, compose, readable


@dataclass(frozen=True)
class Found:
    """What the questions have shown."""

    match: Match
    findings: Findings
    names: tuple[str, ...]  # public names of the layer


class Explaining:
    """The diagnoses of one submission, asked for in the order of its checks."""

    def __init__(self, known: Known, problem: Problem, source: Source, found: Found):
        self.known, self.problem, self.source = known, problem, source
        self.match, self.findings, self.names = found.match, found.findings, found.names
        self.tasks = {task.method: (number, task) for number, task in problem.assignment.tasks.items()}
        self.lines = LineFinding()
        self.told: dict[Group, str] = {}  # the check that told of it in full
        self.stopped: dict[tuple[str | int, ...], str] = {}  # exception -> the check that told of it
        a = problem.assignment
        self.expected = {*a.parameters, *a.gradients.values(), *a.constructor, *self.tasks, "cache"}
        self.unknown_told = ""  # the check that told of what is not a known mistake

    @property
    def wants_lines(self) -> bool:
        """Whether what is wrong is forward's or backward's own."""
        asked = self.known.questions.asked
        wrong = [q for q in asked if q.key in self.findings.changed and q.prefix != "zero"]
        return any(not q.prefix.startswith("initial") for q in wrong)

    def check(self, check: CheckGrade) -> Diagnosis:
        faults = self._faults(check.id)
        groups = self._groups(check.id)
        pointer = self._told_already(check.id, faults, groups)
        said = pointer or self._said(check, faults, groups)
        for group in groups:
            self.told.setdefault(group, check.id)
        if not groups and not pointer:
            self.unknown_told = self.unknown_told or check.id
        return compose(self.source, said)

    def _told_already(self, check: str, faults: Sequence[Fault], groups: tuple[Group, ...]) -> Said | None:
        """Where the same was told in full."""
        changed = self.findings.changed
        told = [self.told[group] for group in groups if group in self.told]
        if groups and len(told) == len(groups):
            names = " and ".join(readable(group[0]) for group in groups)
            return Said(names=(f"The same as in {told[0]}: {names}.",), mistakes=groups)
        if faults and (raised := faults[0].raised):
            same: tuple[str | int, ...] = (raised.kind, raised.name, *raised.lines[-1:])
            stopped = next(iter(self.stopped.values()), "") if self.no_forward else ""
            first = stopped or self.stopped.setdefault(same, check)
            return None if first == check else Said((f"The same as in {first}.",), mistakes=groups)
        if not groups and self.unknown_told and all(f"first.{f.question.tensor}" in changed for f in faults):
            return Said((f"The same as in {self.unknown_told}, as far as can be told.",))
        return None

    @property
    def no_forward(self) -> bool:
        """Whether forward gives nothing at all, so that whatever needs it stops as well."""
        first = next(q for q in self.findings.questions.asked if q.prefix == "first")
        return isinstance(self.findings.results[first.ref], Raised)

    def _faults(self, check: str) -> list[Fault]:
        return self.findings.faults("gradcheck" if check == "monotone_loss" else check) or (
            self.findings.faults("forward") if check == "monotone_loss" else []
        )

    def _groups(self, check: str) -> tuple[Group, ...]:
        """The recognised mistakes that this check sees; where none is known to be, those of the values."""
        asked = {q.key: q.check for q in self.known.questions.asked}
        seen_by = {g: {asked[key] for key in self.known.changes[g[0]]} for g in self.match.groups}
        for checks in ({check}, {"forward", "gradcheck"}):
            if seen := tuple(group for group, by in seen_by.items() if by & checks):
                return seen
        return self.match.groups

    def _said(self, check: CheckGrade, faults: Sequence[Fault], groups: tuple[Group, ...]) -> Said:
        if faults and (raised := faults[0].raised):
            return self._stops(check.id, faults[0], raised, groups)
        evidence = lines_of(faults, self._right(faults)) or measured(check.evidence)
        lines = self._lines(faults, groups)
        if self._other_forward(check.id):
            evidence = [
                *measured(check.evidence),
                "forward is wrong as well, so the right backward is not its gradient.",
            ]
        for fault in faults:
            others = [name for name in self.names if name not in self.expected]
            if fault.is_none and (meant := failing.near(fault.question.tensor, others)):
                evidence.append(f"The layer has {meant}.")
        names = self._names(groups)
        first = self._first(groups)
        task = first.task if first else INIT if _area(faults) == "initial" else None
        decided = not any(line.proved for line in lines) and not self._by_derivation(faults)
        return Said(
            evidence, lines, decided, "", names, self._next(check.id, task), groups,
            first.hints if first else (),
        )  # fmt: skip

    def _by_derivation(self, faults: Sequence[Fault]) -> bool:
        """Whether the lines are those of the derivation: it knows forward and backward, and no state."""
        return bool(self.lines.lines) and _area(faults) not in ("zero", "initial")

    def _elsewhere(self, groups: tuple[Group, ...]) -> set[int]:
        """The lines of the methods that none of the recognised mistakes is in."""
        if len(self.match.groups) < 2:
            return set()
        new = [group for group in groups if group not in self.told]
        tasks = {self.known.mistakes[group[0]].task for group in new}
        others = [method for method, (task, _) in self.tasks.items() if task not in tasks]
        return {number for method in others for number in failing.body(self.source, method)}

    def _lines(self, faults: Sequence[Fault], groups: tuple[Group, ...]) -> Sequence[Line]:
        """Where the derivation puts the fault; for what it does not know, where the wrong names are set."""
        if self._by_derivation(faults):
            lines = [failing.line(self.source, line.number, line.proved) for line in self.lines.lines]
            here = [line for line in lines if line.number not in self._elsewhere(groups)]
            return here or lines
        area = _area(faults)
        method = {"zero": "zero_grad", "initial": "__init__"}.get(area, "backward")
        drawn = area == "initial" and not any("times" in fault.predicate for fault in faults)
        return failing.where_set(self.source, method, [f.question.tensor for f in faults], drawn)

    def _first(self, groups: tuple[Group, ...]) -> Mistake | None:
        """The mistake whose hints come next: the first that was not told of before."""
        new = [group for group in groups if group not in self.told] or list(groups)
        return self.known.mistakes[new[0][0]] if new else None

    def _names(self, groups: tuple[Group, ...]) -> list[str]:
        names = []
        for group in groups:
            if group in self.told:
                names.append(f"As in {self.told[group]}: {readable(group[0])}.")
                continue
            said = " or ".join(readable(name) for name in group[:4])
            same = "" if len(group) == 1 else ", which give the same values"
            names.append(f"Recognised: {said}{same}. {self.known.mistakes[group[0]].why}")
        if not groups and self.findings.changed:
            names += [f"{_opened(words)}." for words in self.lines.words[:2]]
            names.append(f"None of the {len(self.known.mistakes)} known mistakes gives these values.")
        elif not groups:
            names.append("The questions that the diagnosis asks of a layer show nothing wrong.")
        return names

    def _right(self, faults: Sequence[Fault]) -> list[str]:
        """Tensors of the same call that are right, where others have wrong values."""
        if not faults or not faults[0].predicate:
            return []
        prefix, wrong = faults[0].question.prefix, {f.question.tensor for f in faults}
        asked = [
            q
            for q in self.findings.questions.asked
            if q.prefix == prefix and q.check == faults[0].question.check
        ]
        return [
            q.tensor
            for q in asked
            if q.tensor not in wrong and q.key not in self.findings.changed and not q.how
        ]

    def _other_forward(self, check: str) -> bool:
        out = f"first.{self.findings.questions.out}"
        return check == "gradcheck" and out in self.findings.changed

    def _stops(self, check: str, fault: Fault, raised: Raised, groups: tuple[Group, ...]) -> Said:
        """An exception, or a name that the layer does not have."""
        if raised.kind == "missing":
            others = [name for name in self.names if name not in self.expected]
            found = failing.missing(raised.name, others, self.source, raised.name in self.tasks)
            return Said(found.evidence, found.lines, next=found.next, mistakes=groups)
        if raised.name == "NotImplementedError":
            number = next((n for n, _ in self.tasks.values() if n == raised.message), "")
            evidence = (
                f"Task {number}, {fault.text.split()[0]}, is still to be written." if number else fault.text
            )
            lines = failing.stopped_lines(raised, self.source)
            return Said((evidence,), lines, next=f"autograder hint {number}" if number else "")
        first = self._first(groups)
        proved = [failing.line(self.source, n.number, True) for n in self.lines.lines if n.proved]
        lines = failing.stopped_lines(raised, self.source)
        calls = failing.calls_of(raised)
        evidence = fault.text
        if proved and lines:
            evidence, calls = f"{fault.text} on {self.source.where(lines[0].number)}", ""
        return Said(
            (evidence,), proved or lines, False, calls, self._names(groups) if groups else (),
            self._next(check, first.task if first else None), groups, first.hints if first else (),
        )  # fmt: skip

    def _next(self, check: str, task: str | None) -> str:
        """A command, or where to look when the fault is in what was given."""
        if task is None:
            method = {"forward": "forward", "zero_grad": "zero_grad"}.get(check, "backward")
            task = self.tasks[method][0] if method in self.tasks else ""
        if task in self.problem.assignment.tasks:
            return f"autograder hint {task}"
        return "compare the constructor with the one that you were given" if task else ""


def _opened(words: str) -> str:
    """The words as a sentence begins; a tensor's name, such as dX, stays as it is written."""
    return words[:1].upper() + words[1:] if words.startswith(("the ", "no ")) else words


def _area(faults: Sequence[Fault]) -> str:
    """The part of the questions that the faults are of: "first", "zero", "initial"."""
    return faults[0].question.prefix.partition(" ")[0] if faults else ""

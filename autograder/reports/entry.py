"""What a report knows of one student: the grade that counts, the attempts, lines of what was handed in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..grade.model import Grade
from ..gradebook import Gradebook, Rules
from ..submission import Source

AROUND = 2  # lines before and after one that is pointed at
POINTED = 6  # lines of one student that are shown with their surroundings


@dataclass(frozen=True)
class Shown:
    """Lines that checks point at, with their surroundings: (number, text, whether it is one of them)."""

    where: str
    lines: tuple[tuple[int, str, bool], ...]


@dataclass(frozen=True)
class Entry:
    grade: Grade
    attempts: tuple[tuple[int, float, str, bool], ...]  # number, score, when or "", whether it counts
    source: Source | None

    def where(self, line: int) -> str:
        return self.source.where(line) if self.source else f"line {line}"

    def shown(self) -> list[Shown]:
        """The lines that the checks point at, each once; those near one another together."""
        if self.source is None:
            return []
        pointed = [line.number for c in self.grade.checks if c.diagnosis for line in c.diagnosis.lines]
        pointed += [e.line for c in self.grade.checks for e in c.evidence if e.line]
        groups: list[list[int]] = []
        for number in sorted(list(dict.fromkeys(pointed))[:POINTED]):
            if groups and number - groups[-1][-1] <= 2 * AROUND:
                groups[-1].append(number)
            else:
                groups.append([number])
        return [self._around(group) for group in groups]

    def _around(self, group: list[int]) -> Shown:
        near = range(max(1, group[0] - AROUND), group[-1] + AROUND + 1)
        lines = [(n, self._text(n), n in group) for n in near if self._text(n) or self._text(n + 1)]
        return Shown(", ".join(map(self.where, group)), tuple(lines))

    def _text(self, number: int) -> str:
        return self.source.line_text(number) if self.source else ""


def entries(book: Gradebook, assignment: str, rules: Rules) -> Iterator[Entry]:
    """One for each student who has a grade that counts, in the order of the gradebook."""
    for grade in book.grades(assignment, rules):
        attempts = book.attempts(grade.student, assignment, rules)
        chosen = book.chosen(grade.student, assignment, rules)
        told = tuple(
            (
                a.number,
                a.score,
                a.submitted_at[:16].replace("T", " "),
                a.number == chosen.number if chosen else False,
            )
            for a in attempts
        )
        yield Entry(grade, told, book.source(grade.digests.submission))

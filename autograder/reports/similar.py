"""Pairs that share structure, for a person to judge. It is no finding, and costs nobody a point."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..gradebook import Gradebook, Rules
from ..similarity import Pair, similar
from ..submission import Source
from .inert import inert

SHOWN = 50
RANGES = 6  # of lines, a submission


def similar_view(book: Gradebook, assignment: str, rules: Rules, stub: bytes) -> str:
    """Groups, then pairs, the most alike first, each with the lines that are alike."""
    digests: dict[str, str] = {}

    def sources() -> Iterator[tuple[str, Source]]:
        for grade in book.grades(assignment, rules):
            digests[grade.student] = grade.digests.submission
            # As it was handed in, also of a gradebook that hides names: code in which a name is replaced,
            # such as that of somebody called Max, is like nobody's.
            if source := Gradebook.source(book, grade.digests.submission):
                yield grade.student, source

    found = similar(sources(), stub)
    lines = [f"{found.count} submissions compared, the stub and what most have in common left out"]
    for says, groups in (
        ("the same but for names, comments and layout", found.same),
        ("the same passages, but not the same throughout", found.groups),
    ):
        lines += [f"{says}: {', '.join(map(inert, students))}" for students in groups[:SHOWN]]
    for pair in found.pairs[:SHOWN]:
        lines += _pair(pair, lambda student: book.source(digests[student]))
    hidden = sum(max(0, len(rows) - SHOWN) for rows in (found.same, found.groups, found.pairs))
    if hidden:
        lines.append(f"and {hidden} more")
    if not (found.same or found.groups or found.pairs):
        lines.append("no pair stands out")
    else:
        lines.append("likeness is no proof of anything; compare the lines yourself")
    return "\n".join(lines)


def _pair(pair: Pair, source: Callable[[str], Source | None]) -> Iterator[str]:
    one, two = pair.students
    share = f"{100 * pair.shared / pair.of:.0f}% ({pair.shared} of {pair.of} passages)"
    yield f"{inert(one)} and {inert(two)}: {share}"
    for student, lines in zip(pair.students, pair.lines, strict=True):
        yield f"    {inert(student)}: {_ranges(lines, source(student))}"


def _ranges(lines: tuple[int, ...], source: Source | None) -> str:
    """`line 12 to line 20, line 31`."""
    where = source.where if source else (lambda line: f"line {line}")
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    named = [where(a) if a == b else f"{where(a)} to {where(b)}" for a, b in runs[:RANGES]]
    return ", ".join(named) + (f" and {len(runs) - RANGES} more" if len(runs) > RANGES else "")

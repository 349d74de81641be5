"""Finding lines for sources that the project itself wrote, and what counts as found.

A fault is found when one of the returned lines is one that it changed: all of them where it changed several,
any line of a statement that runs over several. A statement that is missing is on no line: then the code
line before or after it counts, or the `def` of its method. In zero_grad the `def` always counts.
"""

import ast
import difflib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from judging import ASSIGNMENT, COURSE, NAME, REFERENCE

from autograder.checks.problem import Problem
from autograder.diagnosis.lines import LineFinding, find_lines
from autograder.grade.grader import Grader
from autograder.layer import WalledLayer

SECONDS = 60.0  # a shared machine may be slow; what is looked at is limited by counts


@cache
def problem() -> Problem:
    return Problem(ASSIGNMENT, REFERENCE.encode())


class Finder:
    """Finds lines behind the wall, one worker a source, and counts processor time."""

    def __init__(self, grader: Grader, looked_into: Problem):
        self.grader, self.problem = grader, looked_into

    def __call__(self, source: bytes | str) -> LineFinding:
        data = source.encode() if isinstance(source, str) else source
        limits = self.grader.course.limits

        layer = WalledLayer(
            self.grader.zygote, [data], self.grader.assignment.class_name, lenient=False,
            stand_ins=limits.stand_ins, load_seconds=SECONDS, call_seconds=SECONDS,
        )  # fmt: skip
        try:
            return find_lines(layer, self.problem, budget_seconds=SECONDS)
        finally:
            layer.close()

    @property
    def worker_seconds(self) -> float:
        return self.grader.zygote.cpu_seconds_spent


@contextmanager
def finder(course=COURSE, name=NAME, looked_into=None):
    with Grader(course, name, level="L1") as grader:
        yield Finder(grader, looked_into or problem())


def changed(before: str, after: str) -> set[int]:
    """Lines of `after` that `before` does not have, comments apart; the neighbours of lines that went."""
    old, new = ([line.split("  #")[0] for line in text.splitlines()] for text in (before, after))
    lines: set[int] = set()
    for tag, _, _, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("replace", "insert"):
            lines |= set(range(start + 1, end + 1))
        elif tag == "delete":
            lines |= {start, start + 1}
    return lines


def allowed(source: str, lines: set[int], missing: bool, method: str) -> set[int]:
    """Every line that counts for a fault on `lines` of `source`."""
    text = source.splitlines()
    code = [n for n, line in enumerate(text, 1) if line.strip() and not line.strip().startswith("#")]
    found = set(lines)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            span = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            found |= span if span & lines else set()
    if missing:
        found |= {max((n for n in code if n < min(lines)), default=0)}
        found |= {min((n for n in code if n > max(found)), default=0)}
    if missing or method == "zero_grad":
        found |= {max(n for n in code if n <= max(lines) and text[n - 1].lstrip().startswith("def "))}
    return found


@dataclass
class Tally:
    """How often lines were found, over many faults."""

    faults: int = 0
    found: int = 0
    first: int = 0  # the first line that was returned
    lines: int = 0
    ran: int = 0  # faults that raise nothing: for these there should be words
    told: int = 0

    def count(self, finding: LineFinding, truth: set[int], ran: bool = True) -> bool:
        got = [line.number for line in finding.lines]
        hit = bool(truth & set(got))
        self.faults += 1
        self.found += hit
        self.first += bool(got) and got[0] in truth
        self.lines += len(got)
        self.ran += ran
        self.told += ran and bool(finding.words)
        return hit

    def __str__(self) -> str:
        n = max(self.faults, 1)
        return (
            f"{self.faults} faults: line found {self.found / n:.1%}, first line {self.first / n:.1%}, "
            f"{self.lines / n:.2f} lines each; in words {self.told} of the {self.ran} that raise nothing"
        )

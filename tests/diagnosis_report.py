"""How often the diagnosis is right: known mistakes, each written in several ways, mutants, pairs, styles.

`make diagnosis` asks it of everything; `--every 20` takes each 20th case and is done in a minute or two.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from judging import ASSIGNMENT, COURSE, NAME, REFERENCE, ROOT
from restyle import WAYS, changed_lines, whole

from autograder.audit.mutants import mutants
from autograder.course.errors import CourseError
from autograder.course.mistakes import load_mistakes
from autograder.grade.grader import Grader
from autograder.grade.model import Grade
from autograder.layer import trusted_layer
from autograder.submission import Source, Submission

LEVEL = "L3" if sys.platform == "linux" else "L1"
MISTAKES = {m.name: m for m in load_mistakes(COURSE.mistakes_path(NAME), REFERENCE)}
STYLES = {path.stem: path for path in sorted((ROOT / "tests/styles").glob("*.py"))}
ENDLESS = ("backward-complex-step",)  # ended by the clock: there are no values to recognise
SLOW = (*ENDLESS, "backward-finite-differences")
FEW = 3  # lines for each fault


@dataclass(frozen=True)
class Case:
    """A wrong layer whose fault is known."""

    kind: str
    source: str
    faults: tuple[str, ...]  # names of mistakes
    lines: tuple[frozenset[int], ...]  # where each is


@dataclass(frozen=True)
class Answer:
    named: tuple[tuple[str, ...], ...]
    lines: frozenset[int]
    words: bool


def submission(source: str) -> Submission:
    return Submission("student", Source((source.encode(),), "py", ""), Path("self_attention.py"))


def diagnosed(grade: Grade) -> Answer:
    """Everything that the diagnoses of a grade say."""
    said = [check.diagnosis for check in grade.checks if check.diagnosis]
    groups = dict.fromkeys(group for d in said for group in d.mistakes)
    lines = frozenset(line.number for d in said for line in d.lines)
    patterns = ("times too", "wrong sign", "zero everywhere", "should be.", "right only", "wrong only",
                "off by", "right numbers")  # fmt: skip
    told = [line for d in said for line in d.sentence.splitlines() if any(p in line for p in patterns)]
    told += [
        line
        for d in said
        for line, kind in zip(d.sentence.splitlines(), d.kinds, strict=False)
        if kind == "name" and not line.startswith(("None of", "The ", "Recognised", "As in"))
    ]
    return Answer(tuple(groups), lines, bool(told))


def known() -> Iterator[Case]:
    """Each known mistake, as it stands in the list and in each other way of writing."""
    for name, mistake in MISTAKES.items():
        if name in ENDLESS:
            continue
        for way, write in WAYS.items():
            before, after = write(REFERENCE), write(mistake.apply(REFERENCE))
            lines = whole(after, changed_lines(before, after))
            yield Case(way, after, (name,), (frozenset(lines),))


def pairs(count: int) -> Iterator[Case]:
    """Two mistakes in one layer, drawn with seed 0."""
    rng = random.Random(0)
    names = [name for name in MISTAKES if name not in ENDLESS]
    while count:
        one, other = rng.sample(names, 2)
        try:
            first = MISTAKES[one].apply(REFERENCE)
            source = MISTAKES[other].apply(first)
            trusted_layer(source.encode(), ASSIGNMENT.class_name)
            second = MISTAKES[other].apply(REFERENCE)
        except (CourseError, ValueError):
            continue
        both = changed_lines(REFERENCE, source)
        lines = [changed_lines(second, source) & both, changed_lines(first, source) & both]
        count -= 1
        yield Case("pairs", source, (one, other), tuple(frozenset(whole(source, part)) for part in lines))


def styles() -> Iterator[str]:
    """The correct styles that are text in UTF-8, as text."""
    for path in STYLES.values():
        try:
            yield path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue


def of_source(source: str, kind: str) -> Iterator[Case]:
    """The generated mutants of a right layer; which known mistake one is, if any, the oracle says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that they look odd to Python is what they are for
        for mutant in mutants(source):
            lines = whole(mutant.source, changed_lines(source, mutant.source))
            if mutant.kind == "statement dropped":  # a line that is not there is beside its neighbours
                lines |= {mutant.line - 1, mutant.line + 1}
            yield Case(kind, mutant.source, (), (frozenset(lines),))


class Stop(str):
    """The exception that ended a layer's life."""


class Oracle:
    """What a layer does on inputs that the diagnosis never sees, and which known mistake does the same."""

    SHAPES = ((2, 6, 13, 5), (4, 3, 6, 8))

    def __init__(self) -> None:
        self.known = {
            name: self.answers(mistake.apply(REFERENCE).encode())
            for name, mistake in MISTAKES.items()
            if name not in ENDLESS
        }

    def answers(self, source: bytes) -> list[Any]:
        """Every array that a layer gives in a life of two calls, and the exception that ends it."""
        found: list[Any] = []

        def keep(*values: Any) -> None:
            found.extend(np.array(v) if isinstance(v, np.ndarray) else repr(v) for v in values)

        try:
            cls = trusted_layer(source, ASSIGNMENT.class_name).cls
            for number, (B, T, C, hs) in enumerate(self.SHAPES):
                rng = np.random.default_rng(100 + number)
                for layer in (cls(C, hs), cls(C, hs, seed=3)):
                    keep(*(getattr(layer, name) for name in ASSIGNMENT.parameters))
                for name in ASSIGNMENT.parameters:
                    getattr(layer, name)[...] = rng.standard_normal((C, hs))
                for _ in range(2):
                    keep(layer.forward(rng.standard_normal((B, T, C))))
                    keep(layer.backward(rng.standard_normal((B, T, hs))))
                    keep(*(getattr(layer, name) for name in ASSIGNMENT.gradients.values()))
                keep(*layer.cache)
                layer.zero_grad()
                keep(*(getattr(layer, name) for name in ASSIGNMENT.gradients.values()))
                keep(layer.backward(rng.standard_normal((B, T, hs))))
        except Exception as error:
            found.append(Stop(error))
        return found

    def stops(self, source: bytes) -> bool:
        return any(isinstance(value, Stop) for value in self.answers(source))

    def same(self, source: bytes) -> set[str]:
        """Known mistakes that do the same here."""
        mine = self.answers(source)
        return {
            name
            for name, theirs in self.known.items()
            if len(theirs) == len(mine) and all(map(alike, mine, theirs))
        }


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return one.shape == other.shape and bool(np.allclose(one, other, 1e-7, 1e-9, equal_nan=True))


@dataclass
class Report:
    """Counts by kind of case, and each miss in a line."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    misses: list[str] = field(default_factory=list)

    def add(self, case: Case, grade: Grade, oracle: Oracle) -> None:
        count, answer = self.counts[case.kind], diagnosed(grade)
        if grade.score == grade.max_score:
            count["right after all"] += 1
            return
        found = {"line": all(answer.lines & part for part in case.lines)}
        found["few lines"] = found["line"] and len(answer.lines) <= FEW * len(case.lines)
        if case.faults:
            found["named"] = all(any(fault in g for g in answer.named) for fault in case.faults)
            found["named or line"] = found["named"] or found["line"]
        else:
            same = oracle.same(case.source.encode())
            if not same:
                count["unknown"] += 1
                count["false name"] += bool(answer.named)
                found["no false name"] = not answer.named
                if not oracle.stops(case.source.encode()):
                    count["unknown that runs"] += 1
                    found["described"] = answer.words
            elif not oracle.stops(case.source.encode()):
                count["known"] += 1
                found["named"] = any(set(group) & same for group in answer.named)
        count["all"] += 1
        for what, yes in found.items():
            count[what] += yes
        missed = [what for what in ("line", "named", "no false name") if not found.get(what, True)]
        if missed:
            where = [sorted(part) for part in case.lines]
            shown = [case.source.splitlines()[part[0] - 1].strip() for part in where if part]
            self.misses.append(
                f"{case.kind} {case.faults or shown}: missed {missed}; lines {sorted(answer.lines)} "
                f"for {where}; named {answer.named}"
            )

    def text(self) -> str:
        lines = []
        for kind, count in self.counts.items():
            parts = [f"{count['all']} wrong"]
            parts += [
                f"{what} {count[what]} of {count[total]}"
                for what, total in (
                    ("line", "all"), ("few lines", "all"), ("named", "known" if count["known"] else "all"),
                    ("named or line", "all"), ("false name", "unknown"), ("described", "unknown that runs"),
                )
                if count[total] and what in count
            ]  # fmt: skip
            lines.append(f"{kind}: {', '.join(parts)}")
        return "\n".join(lines)


def chosen(kinds: Collection[str], every: int, pair_count: int) -> Iterator[Case]:
    """Each `every`-th case of the kinds; of the styles' many mutants each 20th of these."""
    if "known" in kinds:
        yield from (c for n, c in enumerate(known()) if (n // len(WAYS)) % every == 0)
    if "pairs" in kinds:
        yield from pairs(pair_count)
    if "mutants" in kinds:
        yield from islice(of_source(REFERENCE, "mutants"), 0, None, every)
    if "styles" in kinds:
        for source in styles():
            yield from islice(of_source(source, "mutants of styles"), every, None, 20 * every)


def cpu(diagnose: bool, sources: list[str]) -> float:
    """CPU seconds of this process and of its workers for grading `sources`, without what is done once."""
    with Grader(COURSE, NAME, level=LEVEL, diagnose=diagnose) as grader:
        grader.grade(submission(sources[0]))
    before = sum(os.times()[:4])
    with Grader(COURSE, NAME, level=LEVEL, diagnose=diagnose) as grader:
        grader.grade(submission(sources[0]))
        once = sum(os.times()[:4])
        for source in sources:
            grader.grade(submission(source))
    return sum(os.times()[:4]) - once if once > before else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="each N-th case (default: all)")
    parser.add_argument("--kinds", default="known,pairs,mutants,styles")
    parser.add_argument("--pairs", type=int, default=300, help="how many pairs")
    parser.add_argument("--misses", action="store_true", help="list what was missed")
    options = parser.parse_args()
    report, oracle = Report(), Oracle()
    with np.errstate(all="ignore"), Grader(COURSE, NAME, level=LEVEL) as grader:
        for case in chosen(options.kinds.split(","), options.every, options.pairs):
            report.add(case, grader.grade(submission(case.source)), oracle)
        flagged = 0
        for name, path in STYLES.items():
            grade = grader.grade(Submission(name, Source((path.read_bytes(),), "py", ""), path))
            flagged += any(check.diagnosis for check in grade.checks) or bool(grade.flags)
    if options.misses:
        print("\n".join(report.misses))
    print(report.text())
    print(f"correct styles: {flagged} of {len(STYLES)} with a diagnosis or a flag")
    sources = [mistake.apply(REFERENCE) for name, mistake in MISTAKES.items() if name not in SLOW][::6]
    added = (cpu(True, sources) - cpu(False, sources)) / len(sources)
    print(f"CPU added to a failing submission: {1000 * added:.0f} ms, mean of {len(sources)} known mistakes")


if __name__ == "__main__":
    main()

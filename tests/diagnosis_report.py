"""How often the diagnosis is right: known mistakes, each written in several ways, mutants, pairs, styles.

python tests/diagnosis_report.py [--every N]      takes each N-th of everything
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
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
    return Answer(tuple(groups), lines, any("instead" in d.sentence for d in said))


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
                layer.zero_grad()
                keep(*(getattr(layer, name) for name in ASSIGNMENT.gradients.values()))
                keep(layer.forward(rng.standard_normal((B, T, C))))
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


def judge(grader: Grader, case: Case) -> tuple[Answer, Grade]:
    grade = grader.grade(submission(case.source))
    return diagnosed(grade), grade


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kinds", default="known,pairs,mutants,styles")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--misses", action="store_true", help="list what was missed")
    options = parser.parse_args()
    np.seterr(all="ignore")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    oracle = Oracle()
    kinds = options.kinds.split(",")
    cases: list[Case] = []
    if "known" in kinds:
        cases += [c for n, c in enumerate(known()) if (n // len(WAYS)) % options.every == 0]
    if "pairs" in kinds:
        cases += pairs(options.pairs // options.every)
    if "mutants" in kinds:
        cases += islice(of_source(REFERENCE, "mutants"), 0, None, options.every)
    if "styles" in kinds:
        for source in styles():
            cases += islice(of_source(source, "mutants of styles"), 0, None, 20 * options.every)
    with Grader(COURSE, NAME, level=LEVEL) as grader:
        for case in cases:
            count, answer = counts[case.kind], None
            answer, grade = judge(grader, case)
            if grade.score == grade.max_score:
                count["right after all"] += 1
                continue
            count["all"] += 1
            lines = [bool(answer.lines & part) for part in case.lines]
            count["line"] += all(lines)
            count["one line only"] += all(lines) and len(answer.lines) == 1
            missed = [] if all(lines) else ["line"]
            if case.faults:
                names = [any(fault in group for group in answer.named) for fault in case.faults]
                count["named"] += all(names)
                count["named alone"] += all(names) and all(len(g) == 1 for g in answer.named)
                count["named or line"] += all(names) or all(lines)
                missed += [] if all(names) else ["name"]
            else:
                same = oracle.same(case.source.encode())
                if same and oracle.stops(case.source.encode()):
                    count["stop as a known one does"] += 1
                elif same:
                    count["known"] += 1
                    named = any(set(g) & same for g in answer.named)
                    count["known and named"] += named
                    missed += [] if named else ["name"]
                else:
                    count["unknown"] += 1
                    false = bool(answer.named)
                    count["unknown and named"] += false
                    missed += ["false"] if false else []
            if missed and options.misses:
                print(case.kind, case.faults, [sorted(p) for p in case.lines], sorted(answer.lines),
                      answer.named, missed, sep=" | ")  # fmt: skip
                if not case.faults:
                    for part in case.lines:
                        for number in sorted(part)[:2]:
                            print("    ", case.source.splitlines()[number - 1].strip())
        for name, path in STYLES.items():
            grade = grader.grade(Submission(name, Source((path.read_bytes(),), "py", ""), path))
            counts["correct styles"]["all"] += 1
            counts["correct styles"]["diagnosed"] += any(check.diagnosis for check in grade.checks)
    for kind, count in counts.items():
        print(kind, dict(count))


if __name__ == "__main__":
    main()

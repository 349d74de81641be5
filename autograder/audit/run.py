"""An audit: every layer whose verdict is known is judged, over several processes, and counted."""

from __future__ import annotations

import difflib
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from ..build.stub import cut
from ..course import Course, load_course
from ..course.mistakes import Mistake, load_mistakes
from ..sandbox import ONE_THREAD
from ..sandbox.zygote import die_with_parent
from .equivalents import load_equivalents
from .judge import Judge, Judged
from .missing import missing
from .model import Audit, Margin, Mistakes, Mutants, Reference, Styles, Survivor
from .mutants import Mutant, mutants
from .seeded import Run, Seeds

Progress = Callable[[str, Iterator[Any], int], Iterator[Any]]  # (what, results, how many) -> the results
Note = Callable[[str], None]  # takes what is measured and not the same every time


@dataclass(frozen=True)
class Options:
    styles: Path  # a folder of correct layers
    seeds: int  # seeded runs
    jobs: int


def audit(course_path: Path, name: str, options: Options, progress: Progress, note: Note) -> Audit:
    """Judge everything of one assignment. Raises CourseError for its files, BuildError for its markers."""
    course = load_course(course_path)
    assignment = course.assignments[name]
    source = course.solution_path(name).read_text(encoding="utf-8")
    styles = {path.stem: path.read_bytes() for path in sorted(options.styles.glob("*.py"))}
    gaps, ready = missing(course, name, source, styles)
    found = Audit(name, gaps)
    if not ready:
        return found
    known = load_mistakes(course.mistakes_path(name), source) if course.mistakes_path(name).is_file() else ()
    changes = mutants(source)
    listed = load_equivalents(course.solution_path(name).with_name("equivalents.toml"), changes)
    stub = cut(source, {task: t.title for task, t in assignment.tasks.items()}, name)

    with Pool(course_path, name, styles, options.jobs) as pool:
        forwards, backwards = pool.once(_forwards)
        note(f"all checks on the reference: {pool.once(_milliseconds):.0f} ms CPU in process")
        first = [("reference", source.encode()), ("stub", stub.encode()), *styles.items()]
        judged = dict(
            zip((n for n, _ in first), pool.judge("styles", [s for _, s in first], progress), strict=True)
        )
        wrong = pool.judge("mistakes", [m.apply(source).encode() for m in known], progress)
        mutated = pool.judge("mutants", [m.source.encode() for m in changes], progress)
        runs = pool.seeded(options.seeds, progress)

    reference, found.stub = judged.pop("reference"), judged.pop("stub").score
    worst, layer = max(((r.judged.figure, f"{r.layer}, seed {r.seed}") for r in runs), default=(0.0, ""))
    found.reference = Reference(
        reference.score, assignment.points, forwards, backwards, len(runs), worst, layer,
        [_false_fail(run) for run in runs if run.judged.score < assignment.points],
    )  # fmt: skip
    found.styles = _styles(judged, assignment.points)
    found.mistakes = _mistakes(known, wrong, assignment.points)
    found.mutants = _mutants(source, changes, mutated, listed, assignment.points)
    names = [f"mistake {m.name}" for m in known] + [f"line {m.line}: {m.after}" for m in changes]
    bad = list(zip(names, [*wrong, *mutated], strict=True))
    if assignment.checks.gradcheck:
        good = [("reference", reference), *judged.items()]
        found.margin = _margin(assignment.checks.gradcheck.threshold, good, bad)
    found.faults = [f"{n}: {j.fault}" for n, j in [*judged.items(), *bad] if j.fault]
    return found


def _false_fail(run: Run) -> str:
    return f"{run.layer}, seed {run.seed}: loses {_parts(run.judged)}; shapes {run.shapes}"


def _parts(judged: Judged) -> str:
    return "; ".join(f"{check} ({', '.join(parts)})" for check, parts in judged.lost.items())


def _styles(judged: dict[str, Judged], full: float) -> Styles:
    refused = [f"{name}: loses {_parts(j)}" for name, j in judged.items() if j.score < full]
    return Styles(len(judged), len(judged) - len(refused), refused)


def _mistakes(known: Sequence[Mistake], judged: Sequence[Judged], full: float) -> Mistakes:
    found = Mistakes(len(known), 0, {}, {})
    for mistake, j in zip(known, judged, strict=True):
        found.killed += j.score < full
        found.lesson += j.lesson
        for check in j.lost:
            found.by_check[check] = found.by_check.get(check, 0) + 1
        if len(j.lost) == 1:
            found.only.setdefault(next(iter(j.lost)), []).append(mistake.name)
        if not j.lost:
            found.wrong.append(f"mistake {mistake.name} keeps full marks")
        elif mistake.check not in j.lost:
            found.wrong.append(
                f"mistake {mistake.name} loses nothing in {mistake.check}, which it names, but {_parts(j)}"
            )
    return found


def _mutants(
    source: str, changes: Sequence[Mutant], judged: Sequence[Judged], listed: dict[Mutant, str], full: float
) -> Mutants:
    found = Mutants(len(changes), 0, 0, 0, [])
    for mutant, j in zip(changes, judged, strict=True):
        if j.score < full:
            found.killed += 1
            found.lesson += j.lesson
            if mutant in listed:
                found.wrongly_listed.append(
                    f"line {mutant.line}: {mutant.after!r} is listed as equivalent, but loses {_parts(j)}"
                )
        elif mutant in listed:
            found.listed += 1
        elif j.same:
            found.same += 1
        else:
            diff = difflib.unified_diff(
                source.splitlines(), mutant.source.splitlines(), "reference", "survivor", n=1, lineterm=""
            )
            found.survivors.append(
                Survivor(
                    mutant.kind, mutant.method, mutant.line, mutant.before, mutant.after, "\n".join(diff)
                )
            )
    return found


def _margin(
    threshold: float, good: Sequence[tuple[str, Judged]], bad: Sequence[tuple[str, Judged]]
) -> Margin:
    worst, layer = max((j.figure, name) for name, j in good)
    wrong = [(j.figure, name) for name, j in bad if j.figure >= threshold and "forward" not in j.lost]
    smallest, name = min(wrong, default=(None, ""))
    return Margin(threshold, worst, layer, smallest, name)


class Pool:
    """Processes that each hold the checks of one assignment. A context manager."""

    def __init__(self, course: Path, name: str, styles: dict[str, bytes], jobs: int):
        os.environ.update(ONE_THREAD | os.environ)  # for the processes: the cores are taken by layers already
        context = multiprocessing.get_context("spawn")
        self._jobs = jobs
        self._executor = ProcessPoolExecutor(jobs, context, _start, (os.getpid(), course, name, styles))

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown(cancel_futures=True)

    def once(self, function: Callable[[], Any]) -> Any:
        return self._executor.submit(function).result()

    def judge(self, what: str, sources: Sequence[bytes], progress: Progress) -> list[Judged]:
        return list(progress(what, self._map(_judge, sources), len(sources)))

    def seeded(self, count: int, progress: Progress) -> list[Run]:
        return list(progress("seeded runs", self._map(_seeded, range(count)), count))

    def _map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        return self._executor.map(function, items, chunksize=max(1, min(8, len(items) // (4 * self._jobs))))


_judge_here: Judge | None = None
_seeds_here: Seeds | None = None


def _start(parent: int, course_path: Path, name: str, styles: dict[str, bytes]) -> None:
    global _judge_here, _seeds_here
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers it and ends these
    course: Course = load_course(course_path)
    limit = course.limits.memory_mib << 20  # as behind the wall: a change of axes may ask for anything
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    _judge_here, _seeds_here = Judge(course, name), Seeds(course, name, styles)


def _judge(source: bytes) -> Judged:
    assert _judge_here is not None
    return _judge_here(source)


def _seeded(seed: int) -> Run:
    assert _seeds_here is not None
    return _seeds_here(seed)


def _forwards() -> tuple[int, int]:
    assert _judge_here is not None
    return _judge_here.forwards()


def _milliseconds() -> float:
    assert _judge_here is not None
    return _judge_here.milliseconds()

"""How far a run is: count, rate, time left, and how many are below full marks or could not be graded."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import click

from autograder.batch.run import Graded
from autograder.batch.worker import faulty

LINES = 10  # of a whole run, where there is no terminal


def tracked(graded: Iterator[Graded], total: int, *, quiet: bool) -> Iterator[Graded]:
    """The same grades; progress goes to standard error: a bar on a terminal, else lines unless `quiet`."""
    if total < 2:
        return graded
    if sys.stderr.isatty():
        return _bar(graded, total)
    return graded if quiet else _lines(graded, total)


def _bar(graded: Iterator[Graded], total: int) -> Iterator[Graded]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(), TextColumn("{task.fields[failures]}"),
    )  # fmt: skip
    failures = Failures()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total, failures="", rate="")
        for item, grade in graded:
            failures.add(grade.score < grade.max_score, faulty(grade))
            speed = progress.tasks[0].speed
            progress.update(task, advance=1, failures=str(failures), rate=f"{speed:.0f}/s" if speed else "")
            yield item, grade


def _lines(graded: Iterator[Graded], total: int) -> Iterator[Graded]:
    began = time.monotonic()
    failures = Failures()
    step = -(-total // LINES)
    for count, (item, grade) in enumerate(graded, 1):
        failures.add(grade.score < grade.max_score, faulty(grade))
        if count % step == 0 or count == total:
            rate = count / max(time.monotonic() - began, 1e-9)
            left = "" if count == total else f", {(total - count) / rate:.0f} s left"
            click.echo(f"graded {count} of {total}, {rate:.1f}/s{left}, {failures}", err=True)
        yield item, grade


class Failures:
    """Grades below full marks, and those that are none for a fault of ours."""

    def __init__(self) -> None:
        self.below = self.faults = 0

    def add(self, below: bool, fault: bool) -> None:
        self.below += below and not fault
        self.faults += fault

    def __str__(self) -> str:
        return f"{self.below} below full marks" + (f", {self.faults} not graded" if self.faults else "")

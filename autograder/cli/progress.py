"""The progress bar of a class on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.grade.model import Grade


def tracked(grades: Iterator[Grade], total: int) -> Iterator[Grade]:
    """The same grades; count, rate, time left and how many are below full marks go to standard error."""
    columns = (
        TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(), TextColumn("{task.fields[below]} below full marks"),
    )  # fmt: skip
    below = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total, below=0, rate="")
        for grade in grades:
            below += grade.score < grade.max_score
            speed = progress.tasks[0].speed
            progress.update(task, advance=1, below=below, rate=f"{speed:.0f}/s" if speed else "")
            yield grade

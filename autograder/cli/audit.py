"""`autograder audit`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.audit import Options, audit
from autograder.audit.text import lines
from autograder.cli.options import assignment_name, course_option, find_course
from autograder.course import Course

DECADES = 6.0  # between the worst correct and the smallest wrong figure
SEEDS, MANY = 200, 10_000


@click.command()
@click.argument("assignment", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document to standard output.")
@click.option("--full", is_flag=True, help=f"{MANY:,} seeded runs of correct layers instead of {SEEDS}.")
@click.option("--seeds", type=click.IntRange(0), help="As many seeded runs as this.")
@click.option(
    "--styles", type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder of correct layers (default: tests/styles/ASSIGNMENT or tests/styles beside grading.toml).",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes (default: cores)."
)
@course_option
def command(
    assignment: str | None,
    as_json: bool,
    full: bool,
    seeds: int | None,
    styles: Path | None,
    jobs: int,
    course_path: Path | None,
) -> None:
    """Grade the grader: no wrong layer may pass, no correct one may fail. Exits with 1 where one does.

    Example: autograder audit self_attention --full
    """
    path, course = find_course(course_path)
    name = assignment_name(course, assignment)
    count = seeds if seeds is not None else MANY if full else SEEDS
    options = Options(styles or _styles(course, name), count, jobs)
    found = audit(path, name, options, _tracked, partial(click.echo, err=True))
    if as_json:
        click.echo(found.json(DECADES))
    else:
        for line in lines(found, DECADES, min(shutil.get_terminal_size().columns, 110)):
            click.echo(line)
    if found.findings(DECADES):
        raise click.exceptions.Exit(1)


def _styles(course: Course, name: str) -> Path:
    """The styles of one assignment, or those of a course that has but one."""
    folder = course.root / "tests" / "styles"
    return folder / name if len(course.assignments) > 1 or (folder / name).is_dir() else folder


def _tracked(what: str, results: Iterator[Any], total: int) -> Iterator[Any]:
    """The same results; how far they are goes to standard error."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield from progress.track(results, total=total)

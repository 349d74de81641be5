"""`autograder grade`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from autograder.batch import grade_all
from autograder.cli.options import assignment_name, course_option, find_course
from autograder.grade.model import Grade
from autograder.reports.inert import json_line
from autograder.results import Results
from autograder.sandbox.levels import LEVELS, default
from autograder.submission import Refusal, Submission, find_submissions


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes (default: cores)."
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("results"), show_default=True
)
@click.option(
    "--json", "as_json", is_flag=True, help="One grade a line to standard output, and nothing else there."
)
@click.option(
    "--require-isolation", type=click.Choice(list(LEVELS)), help="Default: what grading.toml requires."
)
@click.option("--fail-under", type=float, help="Exit with 1 if any score is below this.")
@course_option
def command(
    paths: tuple[Path, ...],
    assignment: str | None,
    jobs: int,
    out: Path,
    as_json: bool,
    require_isolation: str | None,
    fail_under: float | None,
    course_path: Path | None,
) -> None:
    """Grade files, notebooks, zips or folders of them.

    Example: autograder grade submissions/ --out results
    """
    path, course = find_course(course_path)
    name = assignment_name(course, assignment)
    limit = course.limits.submission_kib << 10
    work = find_submissions(list(paths), assignment=name, max_bytes=limit)
    level = require_isolation or default(course.isolation.required)
    if level == "L1":
        click.echo(f"isolation L1: {LEVELS[level].worth}", err=True)
    lowest, faults = float("inf"), 0
    kept: list[Grade] = []
    with Results(out) as results:
        for item, grade in zip(work, shown(work, path, name, level, jobs, as_json), strict=True):
            results.put(grade, item)
            lowest = min(lowest, grade.score)
            faults += any(flag.kind == "grader-fault" for flag in grade.flags)
            if as_json:
                click.echo(json_line(grade.model_dump_json(by_alias=True)))
            else:
                kept.append(grade)
        results.finish(name)
    if not as_json:
        report(kept, work, out)
    if faults:
        click.echo(
            f"{faults} submissions could not be graded because the grader failed; see their flags.", err=True
        )
        raise click.exceptions.Exit(3)
    if fail_under is not None and lowest < fail_under:
        raise click.exceptions.Exit(1)


def shown(
    work: list[Submission | Refusal], path: Path, name: str, level: str, jobs: int, quiet: bool
) -> Iterator[Grade]:
    """The grades, with a progress bar on a terminal and a line now and then in a log."""
    grades = grade_all(path, name, work, level=level, jobs=jobs)
    if len(work) < 2 or quiet:
        yield from grades
    elif sys.stderr.isatty():
        from autograder.cli.progress import tracked

        yield from tracked(grades, len(work))
    else:
        for count, grade in enumerate(grades, 1):
            if count % (-(-len(work) // 10)) == 0 or count == len(work):
                click.echo(f"graded {count} of {len(work)}", err=True)
            yield grade


def report(grades: list[Grade], work: list[Submission | Refusal], out: Path) -> None:
    import shutil

    from autograder.reports.terminal import class_table, student_report

    if len(grades) == 1:
        item = work[0]
        where = item.source.where if isinstance(item, Submission) else (lambda line: f"line {line}")
        click.echo(student_report(grades[0], where))
    else:
        click.echo(class_table(grades, shutil.get_terminal_size((100, 24)).columns))
    click.echo(f"written to {out}/")

"""`autograder grade`."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import click

from autograder.batch import Job, NoWorkers, Shard, Spool, grade_all, here, processes
from autograder.batch.run import chunk_size
from autograder.batch.worker import faulty, keep
from autograder.cli.options import assignment_name, course_option, find_course, open_results, sort_option
from autograder.cli.progress import tracked
from autograder.grade.grader import Grader
from autograder.grade.model import Grade
from autograder.reports.inert import json_line
from autograder.reports.table import Sort, class_table
from autograder.results import Results
from autograder.sandbox.levels import LEVELS, default
from autograder.submission import stream_submissions
from autograder.submission.text import listed, visible

SMALL = 8  # below this another process costs more than it saves


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path())
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
@sort_option
@click.option("--fail-under", type=float, help="Exit with 1 if any score is below this.")
@click.option("--force", is_flag=True, help="Grade again what has not changed since its last grade.")
@click.option("--no-diagnosis", is_flag=True, help="Run the checks alone: points without causes.")
@click.option(
    "--shard", "shard_text", metavar="I/N", help="Grade one of N equal parts; `autograder merge` joins them."
)
@click.option("--dask", metavar="ADDRESS", help="Grade on the workers of a Dask scheduler.")
@course_option
def command(
    paths: tuple[str, ...],
    assignment: str | None,
    jobs: int,
    out: Path,
    as_json: bool,
    require_isolation: str | None,
    sort: Sort | None,
    fail_under: float | None,
    force: bool,
    no_diagnosis: bool,
    shard_text: str | None,
    dask: str | None,
    course_path: Path | None,
) -> None:
    """Grade files, notebooks, zips or folders of them. What has not changed is not graded again.

    Example: autograder grade submissions/ --out results
    """
    if fail_under is not None and not math.isfinite(fail_under):
        raise click.UsageError(f"--fail-under {fail_under} is no number of points")
    if any(not path for path in paths):
        raise click.UsageError("an empty PATH; a shell's variable may be unset. Give `.` for this folder")
    shard = _shard(shard_text)
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    level = require_isolation or default(course.isolation.required)
    if level == "L1":
        click.echo(f"isolation L1: {LEVELS[level].worth}", err=True)
    job = Job.of(course, name, level, diagnose=not no_diagnosis)
    students: set[str] = set()
    unchanged = 0
    with open_results(out, course, name) as results, ExitStack() as stack:
        spool = Spool()
        limit = course.limits.submission_kib << 10
        every = course.assignments[name].counts != "latest"
        for item in stream_submissions(
            [Path(p) for p in paths], assignment=name, max_bytes=limit, every_attempt=every
        ):
            if shard and not shard.has(item.student):
                continue
            students.add(item.student)
            if not force and results.known(item, job.made_from(item)):
                unchanged += 1
            else:
                spool.put(item)
        if unchanged:
            click.echo(f"{unchanged} unchanged since their last grade, {spool.count} to grade", err=True)
        if dask is not None:
            from autograder.batch.dask import cluster

            try:
                engine = stack.enter_context(cluster(dask, job, lambda line: click.echo(line, err=True)))
            except ValueError as error:
                raise click.UsageError(str(error)) from None
        elif jobs == 1 or spool.count < SMALL:
            engine = here()
            if spool.count:
                keep(job, Grader(job.course, name, level=level, diagnose=job.diagnose))
        else:
            engine = processes(jobs)
        graded = grade_all(job, spool, engine, chunk_size(spool.count, engine.workers))
        stack.enter_context(closing(graded))  # a run that is stopped ends its processes here
        faults: dict[tuple[str, str], str] = {}  # why, by student and submission
        try:
            for item, grade in tracked(graded, spool.count, quiet=as_json):
                results.put(grade, item, "" if faulty(grade) else job.made_from(item))
                if faulty(grade):
                    faults[_work(grade)] = grade.flags[0].detail
        except NoWorkers as error:
            click.echo(str(error), err=True)
            raise click.exceptions.Exit(3) from None
        results.finish()
        lowest = _report(results, students, as_json, sort or "name")
        damaged = results.book.damaged
        for grade in results.unmade():  # also those that do not lie there any more
            if faulty(grade) and grade.student in students:
                faults.setdefault(_work(grade), grade.flags[0].detail)
    if faults:
        why = visible(next(iter(faults.values())).removeprefix("the grader failed: "))
        who = listed(sorted({student for student, _ in faults}))
        click.echo(
            f"{len(faults)} submissions could not be graded because the grader failed, such as with {why}: "
            f"{who}; run again, a grade that was there stays",
            err=True,
        )
        raise click.exceptions.Exit(3)
    if damaged or (fail_under is not None and lowest < fail_under):
        raise click.exceptions.Exit(1)


def _work(grade: Grade) -> tuple[str, str]:
    return grade.student, grade.digests.submission


def _shard(text: str | None) -> Shard | None:
    try:
        return None if text is None else Shard.parse(text)
    except ValueError as error:
        raise click.UsageError(f"--shard {error}") from None


def _report(results: Results, students: set[str], as_json: bool, sort: Sort) -> float:
    """Show the grades of this run's students; the lowest score."""
    lowest = float("inf")

    def seen() -> Iterator[Grade]:
        nonlocal lowest
        for grade in results.grades():
            if grade.student in students:
                lowest = min(lowest, grade.score)
                yield grade

    if as_json:
        for grade in seen():
            click.echo(json_line(grade.model_dump_json(by_alias=True)))
        return lowest

    from autograder.reports.terminal import student_report

    if len(students) == 1:
        for grade in seen():
            source = results.book.source(grade.digests.submission)
            click.echo(student_report(grade, source.where) if source else student_report(grade))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        for line in class_table(seen(), students, width, sort):
            click.echo(line)
    click.echo(f"written to {results.out}/")
    return lowest

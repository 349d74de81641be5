"""`autograder classroom`: the payload of a student's repository, made where the package is installed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course
from autograder.reports.inert import inert
from autograder.submission import Refusal
from autograder.submission.find import read_file


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--public", is_flag=True, required=True, help="Run the public checks; there are no others here."
)
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@course_option
def command(file: Path, public: bool, assignment: str | None, course_path: Path | None) -> None:
    """Print what Classroom's reporter reads for FILE. It runs as you, unconfined: for your own work only.

    Example: autograder classroom --public self_attention.py
    """
    from autograder.release.github import student_repository
    from autograder.release.writing import write_folder

    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    found = read_file(file, max_bytes=course.limits.submission_kib << 10)
    if isinstance(found, Refusal):
        raise click.UsageError(inert(found.reason))
    files = student_repository(course, name)
    files[course.solution_path(name).name] = b"\n".join(found.source.chunks)
    with tempfile.TemporaryDirectory() as folder:
        write_folder(files, Path(folder))
        program = [sys.executable, "classroom.py", "--json"]
        done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(inert(f"the public checks did not run: {done.stderr[-300:]}"))
    click.echo(done.stdout, nl=False)

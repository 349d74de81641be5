"""`autograder hint`: the next hint for a task, as `python check.py hint` gives it in a student's folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course
from autograder.reports.inert import inert
from autograder.submission import Refusal
from autograder.submission.find import read_file

MEMORY = ".progress.json"  # what was shown so far, beside the student's file


@click.command()
@click.argument("task")
@click.option(
    "--submission",
    type=click.Path(path_type=Path, exists=True),
    default=Path(),
    help="Your file, or the folder that it is in (default: here).",
)
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@course_option
def command(task: str, submission: Path, assignment: str | None, course_path: Path | None) -> None:
    """Show the next hint for TASK, such as 1.2 or backward. Hints are counted, and cost nothing.

    Those for a mistake that is recognised in your file come first. Your file runs as you, unconfined.

    Example: autograder hint 1.2
    """
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    file = submission / f"{name}.py" if submission.is_dir() else submission
    found = read_file(file, max_bytes=course.limits.submission_kib << 10)
    if isinstance(found, Refusal):
        raise click.UsageError(inert(found.reason))
    public = course.root / course.course.assignments / name
    memory = file.with_name(MEMORY)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / name
        shutil.copytree(public, work, ignore=shutil.ignore_patterns(f"{name}.*", "__pycache__", MEMORY))
        (work / f"{name}.py").write_bytes(b"\n".join(found.source.chunks))
        if memory.is_file():
            shutil.copy(memory, work)
        code = subprocess.run([sys.executable, str(work / "check.py"), "hint", task], check=False).returncode
        if (work / MEMORY).is_file():
            beside = memory.with_name(f"{MEMORY}.tmp")
            shutil.copy(work / MEMORY, beside)
            beside.replace(memory)
    raise click.exceptions.Exit(code)

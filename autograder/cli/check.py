"""`autograder check`: the public checks, as a student runs them, in a folder of their own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course
from autograder.reports.inert import inert
from autograder.submission import Refusal
from autograder.submission.find import read_file

# What the public checks read, and what names a mistake when they fail.
NEEDED = ("gradcheck.py", "conftest.py", "diagnosis.py", "fingerprints.json", "check.json")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@course_option
def command(file: Path, assignment: str | None, course_path: Path | None) -> None:
    """Run the public checks on FILE. It runs as you, unconfined: for your own work only.

    Example: autograder check self_attention.py
    """
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    if importlib.util.find_spec("pytest") is None:
        raise click.UsageError("the public checks need pytest; install it with `pip install pytest`")
    found = read_file(file, max_bytes=course.limits.submission_kib << 10)
    if isinstance(found, Refusal):
        raise click.UsageError(inert(found.reason))
    public = course.root / course.course.assignments / name
    with tempfile.TemporaryDirectory() as folder:
        for copied in (f"test_{name}.py", *NEEDED):
            (Path(folder) / copied).write_bytes((public / copied).read_bytes())
        (Path(folder) / f"{name}.py").write_bytes(b"\n".join(found.source.chunks))
        code = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{name}.py"],
            cwd=folder,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # half of the start-up
            check=False,
        ).returncode
    if code == 0:
        click.echo(
            "The public checks pass. Hidden checks look at further shapes, large logits and state besides."
        )
    elif code != 1:
        click.echo(f"pytest itself ended with {code}: the public checks did not all run", err=True)
        raise click.exceptions.Exit(3)

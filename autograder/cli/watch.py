"""`autograder watch`: the student's loop over any file, in a folder of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@course_option
def command(file: Path, assignment: str | None, course_path: Path | None) -> None:
    """Check FILE, a .py, after every save, as students do. It runs as you, unconfined: for your own work.

    Example: autograder watch solutions/self_attention/self_attention.py
    """
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    if file.suffix != ".py":
        raise click.UsageError(f"{file} is not a .py file; `autograder check` also takes notebooks")
    public = course.root / course.course.assignments / name
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / name
        shutil.copytree(
            public, work, ignore=shutil.ignore_patterns(f"{name}.*", "__pycache__", ".progress.json")
        )
        try:
            (work / f"{name}.py").symlink_to(file.resolve())
        except OSError as error:
            raise click.UsageError(f"links cannot be made here ({error}); copy {file} to {public}") from None
        code = subprocess.run([sys.executable, str(work / "check.py"), "--watch"], check=False).returncode
    raise click.exceptions.Exit(code)

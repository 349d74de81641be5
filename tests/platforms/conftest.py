"""The real tools, run as an instructor runs them. They need the extras nbgrader, otter and notebook."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.course import load_course
from autograder.course.mistakes import load_mistakes
from autograder.grade.grader import Grader
from autograder.submission.find import read_data

ROOT = Path(__file__).parents[2]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
REFERENCE = COURSE.solution_path(NAME).read_text(encoding="utf-8")
STUB = (ROOT / f"assignments/{NAME}/{NAME}.py").read_text(encoding="utf-8")
CHOSEN = (
    "forward-scale-missing",
    "forward-softmax-over-queries",
    "forward-cache-with-output",
    "backward-scale-missing",
    "backward-softmax-sum-missing",
    "backward-dx-key-path-missing",
    "state-gradients-accumulate",
    "zero-grad-does-nothing",
    "zero-grad-resets-weights",
    "init-keys-drawn-first",
)


def layers():
    """The reference, the stub and ten known mistakes, by name."""
    known = {m.name: m for m in load_mistakes(COURSE.mistakes_path(NAME), REFERENCE)}
    return {"reference": REFERENCE, "stub": STUB} | {name: known[name].apply(REFERENCE) for name in CHOSEN}


def run(*command, cwd, check=True):
    """One of the tools of this environment; what it printed."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    env.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=900)
    assert not check or done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def with_layer(book, text):
    """A copy of a student's notebook in which the class is `text`."""
    copy = nbformat.reads(nbformat.writes(book), as_version=4)
    (cell,) = [
        cell for cell in copy.cells if cell.cell_type == "code" and "class SelfAttention" in cell.source
    ]
    cell.source = text
    return copy


@pytest.fixture(scope="session")
def score():
    """What `autograder grade` gives for a file of this text."""
    with Grader(COURSE, NAME, level=COURSE.isolation.required) as grader:
        yield lambda text: grader.grade(read_data(text.encode(), ".py", "x"))


@pytest.fixture(scope="session")
def nbgrader(tmp_path_factory):
    """An nbgrader course whose assignment was generated: its folder and the student's notebook."""
    folder = tmp_path_factory.mktemp("nbgrader") / "course"
    run("autograder", "release", "--for", "nbgrader", str(folder), cwd=ROOT)
    run("nbgrader", "generate_assignment", NAME, cwd=folder)
    return folder, nbformat.read(folder / f"release/{NAME}/{NAME}.ipynb", as_version=4)


@pytest.fixture(scope="session")
def otter(tmp_path_factory):
    """Both of otter's ways, made: a zip for .py files, a zip for notebooks, the student's notebook."""
    folder = tmp_path_factory.mktemp("otter") / "release"
    run("autograder", "release", "--for", "otter", str(folder), cwd=ROOT)
    run(
        "otter", "generate", "-t", "tests", "-o", "autograder.zip", "-c", "otter_config.json",
        "-r", "requirements.txt", "course", cwd=folder / "generate",
    )  # fmt: skip
    run("otter", "assign", f"{NAME}.ipynb", "dist", cwd=folder / "assign")
    (archive,) = (folder / "assign/dist/autograder").glob("*.zip")
    student = nbformat.read(folder / f"assign/dist/student/{NAME}.ipynb", as_version=4)
    return folder / "generate/autograder.zip", archive, student

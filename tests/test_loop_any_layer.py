"""The student's loop knows no layer: the same programs, another check.json and other public checks."""

import shutil
import subprocess
import sys

import pytest
from judging import ROOT

from autograder.build import write
from autograder.checks.problem import Problem
from autograder.course import load_course
from autograder.grade.figures import Artist
from autograder.layer import trusted_layer

LAYERS = ROOT / "tests" / "courses" / "layers"
NAMES = ["linear", "layernorm"]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layers")
    shutil.copytree(LAYERS, folder, dirs_exist_ok=True)
    course = load_course(folder)
    for name in NAMES:
        write(course, name)
    return course


def check(course, name, *arguments):
    command = [sys.executable, "check.py", *arguments]
    folder = course.root / "assignments" / name
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120)


@pytest.mark.parametrize("name", NAMES)
def test_from_the_stub_to_all_green(course, name):
    work = course.root / "assignments" / name / f"{name}.py"
    done = check(course, name)
    assert done.returncode == 1
    first = next(iter(course.assignments[name].tasks))
    assert f"  {first} forward      to do    0 of 1\n" in done.stdout
    assert f"task {first} (forward) is still to be written" in done.stdout
    stub = work.read_bytes()
    try:
        shutil.copy(course.solution_path(name), work)
        done = check(course, name)
        assert done.returncode == 0, done.stdout
        assert "The public checks pass, " in done.stdout
        shown = check(course, name, "show", "backward")
        assert shown.returncode == 0
        assert (
            shown.stdout.count("no difference beyond rounding") == len(course.assignments[name].gradients) + 1
        )
        assert check(course, name, "show", "forward").returncode == 0
    finally:
        work.write_bytes(stub)


def test_an_exception_that_a_check_lets_through_is_named_with_its_line(course):
    work = course.root / "assignments" / "linear" / "linear.py"
    stub = work.read_text(encoding="utf-8")
    try:
        work.write_text(stub.replace('raise NotImplementedError("1.1")', "return X @ X"), encoding="utf-8")
        said = check(course, "linear").stdout
    finally:
        work.write_text(stub, encoding="utf-8")
    number = next(n for n, line in enumerate(stub.splitlines(), 1) if 'NotImplementedError("1.1")' in line)
    assert f"task 1.1 (forward) stops at line {number}, `return X @ X`: ValueError:" in " ".join(said.split())


@pytest.mark.parametrize("name", NAMES)
def test_figures_of_any_layer(course, name):
    source = course.solution_path(name).read_bytes()
    assignment = course.assignments[name]
    figures = Artist(Problem(assignment, source)).draw(trusted_layer(source, assignment.class_name))
    assert [picture.name for picture in figures.pictures] == [*assignment.gradients.values(), "dX"]
    assert all(picture.yours == picture.expected for picture in figures.pictures)

"""The sample class: every student's grade is the one written down in expected.toml."""

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from autograder.course import load_course
from autograder.grade.grader import Grader
from autograder.grade.model import Grade
from autograder.submission import Submission, find_submissions

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
LEVEL = "L3" if sys.platform == "linux" else "L1"
EXPECTED = tomllib.loads((ROOT / "tests" / "expected.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(load_course(ROOT / "grading.toml"), NAME, level=LEVEL) as grader:
        yield grader


@pytest.fixture(scope="module")
def submissions() -> dict[str, Submission]:
    found = find_submissions([ROOT / "tests" / "submissions"], assignment=NAME)
    return {item.student: item for item in found if isinstance(item, Submission)}


@pytest.fixture(scope="module")
def grades(grader, submissions) -> dict[str, Grade]:
    return {student: grader.grade(submission) for student, submission in submissions.items()}


def test_the_table_names_the_class(submissions):
    assert sorted(submissions) == sorted(EXPECTED)


@pytest.mark.parametrize("student", EXPECTED)
def test_grade(grades, student):
    expected, grade = dict(EXPECTED[student]), grades[student]
    assert grade.score == expected.pop("score", grade.score) == sum(c.points for c in grade.checks)
    found = {check.id: [check.verdict, check.points] for check in grade.checks}
    assert {name: found[name] for name in expected} == expected
    assert not grade.flags


@pytest.mark.parametrize("student", ["ada", "tomas", "bela", "carl", "goran", "mira"])
def test_a_second_grading_gives_the_same_bytes(grader, submissions, grades, student):
    again = grader.grade(submissions[student])
    assert again.model_dump_json(by_alias=True) == grades[student].model_dump_json(by_alias=True)


def test_every_grade_fits_the_schema(grades):
    validator = Draft202012Validator(Grade.model_json_schema(by_alias=True))
    for grade in grades.values():
        validator.validate(json.loads(grade.model_dump_json(by_alias=True)))

"""What an instructor sees in a terminal: tables that can be sorted and are cut, suggestions, examples."""

import re
from itertools import pairwise

import pytest
from classroom import fill, student
from click.testing import CliRunner
from judging import ROOT

from autograder.cli.main import COMMANDS, group
from autograder.grade.model import Flag
from autograder.reports.table import ROWS, class_table


def run(*words):
    done = CliRunner().invoke(group, [str(word) for word in words])
    return done.exit_code, done.output + (
        str(done.exception) if done.exit_code == 1 and done.exception else ""
    )


def table(grades, **settings):
    grades = list(grades)
    return list(class_table(grades, [grade.student for grade in grades], **settings))


def flagged(number, *kinds):
    grade = student(number)[0]
    return grade.model_copy(update={"flags": tuple(Flag(kind=kind, detail="") for kind in kinds)})


CLASS = [
    flagged(0),
    flagged(1, "review"),
    flagged(2, "note"),
    flagged(3, "tampering", "review"),
    flagged(4, "late"),
]


def names(lines):
    return [line.split()[0] for line in lines if line.startswith("student_")]


def test_by_name_as_they_come():
    assert names(table(CLASS)) == [f"student_000{i}" for i in range(5)]


def test_by_score_the_lowest_first():
    scores = [float(line.split()[1]) for line in table(CLASS, sort="score") if line.startswith("student_")]
    assert len(scores) == 5 and all(a <= b for a, b in pairwise(scores)) and scores[0] < scores[-1]


def test_by_flags_those_that_ask_for_a_person_first():
    assert names(table(CLASS, sort="flags")) == [f"student_000{i}" for i in (3, 1, 0, 2, 4)]


def test_the_summary_counts_causes_flags_and_timeouts():
    grade = flagged(1)
    slow = grade.checks[0].model_copy(update={"verdict": "timeout", "diagnosis": None})
    late = grade.model_copy(update={"student": "student_0009", "checks": (slow, *grade.checks[1:])})
    lines = table([*CLASS, late])
    assert "6 submissions, median" in "\n".join(lines)
    assert "1 with a check that ran out of time" in lines
    assert "for a person first: 2 review, 1 tampering" in lines
    assert [line for line in lines if re.match(r"\d+ x forward-", line)]


@pytest.mark.parametrize("sort", ["name", "score", "flags"])
def test_a_long_class_is_cut_with_a_count(sort):
    lines = table((student(number)[0] for number in range(ROWS + 50)), sort=sort)
    assert len(names(lines)) == ROWS
    assert "and 50 more; all are in grades.csv" in lines
    assert f"{ROWS + 50} submissions, median" in "\n".join(lines)


def test_no_class_is_said():
    assert table([]) == ["no submissions"]


def test_the_table_of_a_gradebook(tmp_path):
    fill(tmp_path / "gradebook.db", 30)
    code, said = run("report", "--out", tmp_path, "--course", ROOT / "grading.toml", "--sort", "flags")
    assert code == 0
    assert "unreadable" in said.splitlines()[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example(name):
    code, said = run(name, "--help")
    assert code == 0
    assert f"Example: autograder {name}" in said


def test_a_command_that_is_nearly_one_gets_a_suggestion():
    code, said = run("grdae")
    assert code == 2 and "Did you mean 'grade'?" in said


def test_a_folder_that_is_nearly_there_gets_a_suggestion(tmp_path):
    (tmp_path / "submissions").mkdir()
    out = ("--out", tmp_path / "results", "--course", ROOT / "grading.toml")
    code, said = run("grade", tmp_path / "submisions", *out)
    assert code != 0 and f"did you mean {tmp_path / 'submissions'}" in said
    code, said = run("grade", tmp_path / "elsewhere" / "x", *out)
    assert code != 0 and "does not exist; check the path" in said


def test_a_student_that_is_nearly_one_gets_a_suggestion(tmp_path):
    fill(tmp_path / "gradebook.db", 13)
    code, said = run(
        "report", "--out", tmp_path, "--course", ROOT / "grading.toml", "--student", "student_012"
    )
    assert code != 0 and "did you mean 'student_0012'?" in said

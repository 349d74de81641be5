"""What the grader failed on, and what cannot be read any more, is said by the exit code, counting or not."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli.main import group
from autograder.grade.grader import Grader
from autograder.submission import Refusal

ROOT = Path(__file__).parents[1]
POINTS = {b"poor": 10.0, b"good": 90.0, b"fair": 50.0}


@pytest.fixture
def faults(monkeypatch):
    """What the grader fails on; all other work has the points that it names."""
    failing: set[bytes] = set()
    original = Grader.grade

    def grade(self, item):
        if isinstance(item, Refusal):
            return original(self, item)
        (data,) = item.source.chunks
        if data in failing:
            raise RuntimeError("boom")
        blank = original(self, Refusal(item.student, item.path, "fake"))
        digests = blank.digests.model_copy(update={"submission": item.source.digest})
        return blank.model_copy(update={"score": POINTS[data], "flags": (), "digests": digests})

    monkeypatch.setattr(Grader, "grade", grade)
    return failing


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "course"
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "grading.toml", folder)
    count(folder, "best")
    return folder


def count(course, which):
    lines = (course / "grading.toml").read_text().splitlines()
    lines = [line for line in lines if not line.startswith("counts = ")]
    lines.insert(lines.index("points = 100") + 1, f'counts = "{which}"')
    (course / "grading.toml").write_text("\n".join(lines))


@pytest.fixture
def exported(tmp_path):
    """A class of two: 1 handed in `poor`, `good` and `fair`, 2 `fair`."""
    for student, day, text in ((1, 8, "poor"), (1, 9, "good"), (1, 10, "fair"), (2, 9, "fair")):
        path = tmp_path / "class" / f"{student}-9 - Ada - May {day}, 2026 1000 AM" / "self_attention.py"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path / "class"


@pytest.fixture
def run(course):
    def run(command, *arguments, code=0):
        more = ("--jobs", "1") if command == "grade" else ()
        options = [str(each) for each in (command, *arguments, "--course", course, *more)]
        done = CliRunner().invoke(group, options, standalone_mode=False, catch_exceptions=False)
        assert (done.return_value or 0) == code, done.output
        return done.stderr

    return run


def rows(out):
    lines = (out / "grades.csv").read_text().splitlines()[1:]
    return {line.split(",")[0]: float(line.split(",")[1]) for line in lines}


def test_a_fault_is_said_where_another_attempt_counts(run, exported, tmp_path, faults):
    out, merged = tmp_path / "out", tmp_path / "merged"
    faults.add(b"good")
    said = (
        "1 submissions could not be graded because the grader failed, such as with RuntimeError: boom: 1; run"
    )
    assert said in run("grade", exported, "--out", out, code=3)
    assert rows(out) == {"1": 50, "2": 50}
    assert "1 submissions could not be graded because the grader failed: 1; grade their part again" in run(
        "merge", merged, out, code=3
    )
    assert "3 unchanged since their last grade, 1 to grade" in run("grade", exported, "--out", out, code=3)
    gone = exported / "1-9 - Ada - May 9, 2026 1000 AM"
    gone.rename(tmp_path / "gone")
    assert said in run("grade", exported, "--out", out, code=3)
    shutil.copytree(next(exported.glob("2-*")), tmp_path / "part" / "2-9 - Ada - May 9, 2026 1000 AM")
    run("grade", tmp_path / "part", "--out", out)  # of another student alone
    (tmp_path / "gone").rename(gone)
    faults.clear()
    assert "3 unchanged since their last grade, 1 to grade" in run("grade", exported, "--out", out)
    assert run("merge", merged, out) == ""
    assert rows(out) == rows(merged) == {"1": 90, "2": 50}


def test_a_fault_takes_no_grade_away(run, exported, tmp_path, faults):
    out = tmp_path / "out"
    run("grade", exported, "--out", out)
    faults |= {b"good", b"fair"}
    said = (
        "3 submissions could not be graded because the grader failed, such as with RuntimeError: boom: 1, 2;"
    )
    assert said in run("grade", exported, "--out", out, "--force", code=3)
    assert rows(out) == {"1": 90, "2": 50}
    assert "4 unchanged since their last grade, 0 to grade" in run("grade", exported, "--out", out)


def test_what_counts_is_no_part_of_a_grade(run, course, exported, tmp_path, faults):
    out = tmp_path / "out"
    run("grade", exported, "--out", out)
    count(course, "latest")
    assert "2 unchanged since their last grade, 0 to grade" in run("grade", exported, "--out", out)
    assert rows(out) == {"1": 50, "2": 50}
    run("grade", exported, "--out", tmp_path / "other")
    count(course, "best")
    assert "2 unchanged since their last grade, 2 to grade" in run(
        "grade", exported, "--out", tmp_path / "other"
    )
    assert rows(tmp_path / "other") == {"1": 90, "2": 50}


def test_a_damaged_attempt_costs_no_other_and_is_said_until_it_is_made_anew(run, exported, tmp_path, faults):
    out = tmp_path / "out"
    run("grade", exported, "--out", out)
    with sqlite3.connect(out / "gradebook.db") as book:
        book.execute("UPDATE grades SET grade = '{}' WHERE score = 10")
    gone = exported / "1-9 - Ada - May 8, 2026 1000 AM"
    gone.rename(tmp_path / "gone")
    said = "the grade of '1' for 'self_attention' is damaged and counts as missing"
    assert said in run("grade", exported, "--out", out, code=1)
    assert said in run("merge", tmp_path / "merged", out, code=1)
    other = tmp_path / "2-9 - Bob - May 9, 2026 1000 AM"
    shutil.copytree(next(exported.glob("2-*")), tmp_path / "part" / other.name)
    run("grade", tmp_path / "part", "--out", tmp_path / "shard")
    assert said in run("merge", out, tmp_path / "shard", code=1)
    assert rows(out) == rows(tmp_path / "merged") == {"1": 90, "2": 50}
    (tmp_path / "gone").rename(gone)
    assert said in run("grade", exported, "--out", out)
    assert run("merge", tmp_path / "merged", out) == ""

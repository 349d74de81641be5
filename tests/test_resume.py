"""Grading again: what has not changed is not graded, and every file ends as the gradebook says."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "tests" / "submissions"
STUDENTS = ("ada", "bela", "emil", "goran", "lea")


def autograder(*arguments, code=0):
    command = [sys.executable, "-m", "autograder", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == code, done.stderr + done.stdout
    return done


def to_grade(done):
    """How many submissions a run graded."""
    found = re.search(r"(\d+) unchanged since their last grade, (\d+) to grade", done.stderr)
    return int(found[2]) if found else None


def files(out):
    return {path.name: path.read_bytes() for path in [*(out / "grades").iterdir(), out / "grades.csv"]}


def score(out, student):
    return json.loads((out / "grades" / f"{student}.json").read_text())["score"]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of its own, whose policy a test may change."""
    base = tmp_path_factory.mktemp("course")
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, base / name)
    shutil.copy(ROOT / "grading.toml", base)
    return base


@pytest.fixture(scope="module")
def graded(tmp_path_factory, course):
    base = tmp_path_factory.mktemp("graded")
    for student in STUDENTS:
        shutil.copytree(SAMPLES / student, base / "class" / student)
    (base / "class" / "zoe").mkdir()  # handed in nothing: refused
    autograder("grade", base / "class", "--out", base / "out", "--course", course, "--no-diagnosis")
    return base


@pytest.fixture
def fresh(graded, tmp_path):
    """(class, out) of a finished run, for one test to change."""
    for name in ("class", "out"):
        shutil.copytree(graded / name, tmp_path / name)
    return tmp_path / "class", tmp_path / "out"


def test_only_what_changed_is_graded_again(fresh, course):
    folder, out = fresh
    before = files(out)

    def again(*more):
        return to_grade(
            autograder("grade", folder, "--out", out, "--course", course, "--no-diagnosis", *more)
        )

    assert again() == 0
    assert files(out) == before
    path = folder / "emil" / "self_attention.py"
    path.write_bytes(path.read_bytes() + b"\n# more\n")
    assert again() == 1
    changed = {name for name, content in files(out).items() if content != before[name]}
    assert changed == {"emil.json"}
    with sqlite3.connect(out / "gradebook.db") as book:
        found = book.execute("SELECT attempt FROM grades WHERE student = 'emil' ORDER BY attempt")
        assert found.fetchall() == [(1,), (2,)]
    assert again("--force") is None
    assert again("--require-isolation", "L1") is None  # another level, so none is unchanged


def with_another_seed(course, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(course, other)
    text = (other / "grading.toml").read_text()
    (other / "grading.toml").write_text(text.replace("hidden_seed = 730117", "hidden_seed = 730118"))
    return other


def test_the_policy_is_part_of_what_a_grade_is_made_from(fresh, course, tmp_path):
    folder, out = fresh
    other = with_another_seed(course, tmp_path)
    assert to_grade(autograder("grade", folder, "--out", out, "--course", other, "--no-diagnosis")) is None


def test_a_diagnosis_is_made_where_there_was_none(fresh, course):
    folder, out = fresh
    autograder("grade", folder / "goran", "--out", out, "--course", course)
    checks = json.loads((out / "grades" / "goran.json").read_text())["checks"]
    assert [c["id"] for c in checks if c["diagnosis"]] == ["gradcheck"]


def test_every_damaged_file_is_made_anew(fresh, course):
    folder, out = fresh
    before = files(out)
    (out / "grades" / "ada.json").unlink()
    (out / "grades" / "emil.json").write_bytes(b"")
    (out / "grades" / "lea.json").write_bytes((out / "grades" / "lea.json").read_bytes()[:-9])
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (out / "grades" / f".goran.json.{ended.pid}.tmp").write_bytes(b"{")  # of a run that was killed
    (out / f".grades.csv.{ended.pid}.tmp").write_bytes(b"stu")
    live = out / "grades" / f".ada.json.{os.getpid()}.tmp"  # of one that is writing now
    live.write_bytes(b"{")
    (out / "grades.csv").write_text("student\n")
    with sqlite3.connect(out / "gradebook.db") as book:
        book.execute("UPDATE grades SET grade = '{}' WHERE student = 'bela'")
    done = autograder("grade", folder, "--out", out, "--course", course, "--no-diagnosis")
    assert to_grade(done) == 1
    assert "the grade of 'bela' for 'self_attention' is damaged and counts as missing" in done.stderr
    live.unlink()  # fails if it is not there
    assert files(out) == before


def test_a_gradebook_that_is_none_is_said(fresh, course):
    folder, out = fresh
    (out / "gradebook.db").write_bytes(b"nothing of the kind\n" * 50)
    for suffix in ("-wal", "-shm"):
        (out / f"gradebook.db{suffix}").unlink(missing_ok=True)
    done = autograder("grade", folder, "--out", out, "--course", course, code=3)
    assert "gradebook.db: is damaged or not a gradebook" in done.stderr
    assert "move it away and grade again" in done.stderr


def test_an_adjustment_survives_and_is_in_every_file(fresh, course):
    folder, out = fresh
    adjust = ("adjust", "emil", "-7.5", "--reason", "handed in by mail", "--by", "J. Novak")
    done = autograder(*adjust, "--out", out, "--course", course)
    assert "flag adjusted: -7.5 points: handed in by mail (J. Novak, " in done.stdout
    for _ in range(2):
        assert score(out, "emil") == 82.5
        assert "emil,82.5,100," in (out / "grades.csv").read_text()
        autograder("grade", folder, "--out", out, "--course", course, "--no-diagnosis", "--force")
    autograder(
        "adjust", "emil", "60", "--set", "--reason", "oral", "--by", "J", "--out", out, "--course", course
    )
    assert score(out, "emil") == 60
    nobody = autograder(
        "adjust", "nobody", "1", "--reason", "x", "--by", "y", "--out", out, "--course", course, code=2
    )
    assert "has no grade of 'nobody'" in nobody.stderr


def test_shards_merged_are_one_run(fresh, course, tmp_path):
    folder, out = fresh
    parts = [tmp_path / f"part-{number}" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        shard = ("--shard", f"{number}/2")
        autograder("grade", folder, "--out", part, "--course", course, "--no-diagnosis", *shard)
    assert 0 < len(list((parts[0] / "grades").iterdir())) < 6
    done = autograder("merge", tmp_path / "all", *parts, "--course", course)
    assert "6 students from 2 folders" in done.stdout
    assert files(tmp_path / "all") == files(out)
    twice = autograder("merge", tmp_path / "all", *parts, parts[0], "--course", course, code=2)
    assert "part-1 is given 2 times; give each part once" in twice.stderr
    wrong = autograder("merge", tmp_path / "all", folder, "--course", course, code=2)
    assert "holds no gradebook.db" in wrong.stderr


def test_merging_says_what_does_not_fit_together(fresh, course, tmp_path):
    """Another policy in one shard, a damaged grade, and the same shards again under a new policy."""
    folder, _ = fresh
    other = with_another_seed(course, tmp_path)
    parts = [tmp_path / f"part-{number}" for number in (1, 2)]

    def shard(number, policy):
        options = ("--out", parts[number - 1], "--course", policy, "--shard", f"{number}/2", "--no-diagnosis")
        autograder("grade", folder, *options)
        return sorted(path.stem for path in (parts[number - 1] / "grades").iterdir())

    first, second = shard(1, course), shard(2, other)
    assert (len(first), second) == (3, ["emil", "goran", "zoe"])
    done = autograder("merge", tmp_path / "all", *parts, "--course", course, code=1)
    said = "3 of 6 students were graded by another course, grader or isolation level than the others"
    assert f"{said}: emil, goran, zoe; grade their part again" in done.stderr
    assert "6 students from 2 folders" in done.stdout
    shard(2, course)
    done = autograder("merge", tmp_path / "all", *parts, "--course", course)
    assert done.stderr == ""
    with sqlite3.connect(parts[0] / "gradebook.db") as book:
        book.execute("UPDATE grades SET grade = '{}' WHERE student = ?", (first[0],))
    done = autograder("merge", tmp_path / "new", *parts, "--course", course, code=1)
    assert f"the grade of {first[0]!r} for 'self_attention' is damaged" in done.stderr


def test_a_bad_shard_is_refused(fresh, course):
    done = autograder("grade", fresh[0], "--out", fresh[1], "--course", course, "--shard", "3/2", code=2)
    assert "--shard '3/2' is no shard; expected i/n with i from 1 to n, such as 2/8" in done.stderr


def test_the_file_time_makes_a_submission_late(fresh, course, tmp_path):
    folder, _ = fresh
    other = tmp_path / "other"
    shutil.copytree(course, other)
    table = """
[assignments.self_attention.late]
due = 2026-03-01T12:00:00+01:00
points_per_day = 10.0
at_most = 15.0
file_times = true
"""
    (other / "grading.toml").write_text((other / "grading.toml").read_text() + table)
    for student, moment in (
        ("ada", datetime(2026, 3, 1, 11, tzinfo=UTC)),
        ("lea", datetime(2026, 3, 1, 11, 1, tzinfo=UTC)),
        ("emil", datetime(2027, 1, 1, tzinfo=UTC)),
    ):
        path = folder / student / "self_attention.py"
        os.utime(path, (moment.timestamp(), moment.timestamp()))
    for student, expected in (("ada", 100), ("lea", 88), ("emil", 75)):
        autograder("grade", folder / student, "--out", tmp_path / "late", "--course", other, "--no-diagnosis")
        assert score(tmp_path / "late", student) == expected
    view = autograder("report", "--student", "lea", "--out", tmp_path / "late", "--course", other).stdout
    assert "attempt 1: 98, 2026-03-01T11:01 UTC, 10 off for lateness  counts" in view
    assert "lea: 88 of 100" in view


def test_who_has_no_attempt_in_time_has_no_file_until_a_score_is_set(fresh, course, tmp_path):
    _, out = fresh
    other = tmp_path / "other"
    shutil.copytree(course, other)
    text = (other / "grading.toml").read_text()
    text = text.replace("points = 100\n", 'points = 100\ncounts = "last-before-deadline"\n', 1)
    late = "\n[assignments.self_attention.late]\ndue = 2026-03-01T12:00:00Z\n"
    (other / "grading.toml").write_text(text + late)
    (out / "grades" / "notes.json").write_text("{}")
    everybody = set(files(out))
    with sqlite3.connect(out / "gradebook.db") as book:
        after = "submitted_at = '2026-03-01T12:01:00.000000+00:00'"
        book.execute(f"UPDATE grades SET {after} WHERE student IN ('emil', 'lea')")
        book.execute("UPDATE grades SET grade = '{}' WHERE student = 'goran'")  # damaged, and in time
    adjust = ("--reason", "extension", "--by", "J", "--out", out, "--course", other)
    refused = autograder("adjust", "emil", "5", *adjust, code=2)
    assert "set the score instead (--set), and the latest attempt counts with it" in refused.stderr
    assert set(files(out)) == everybody
    autograder("adjust", "ada", "1", *adjust)
    assert set(files(out)) == everybody - {"emil.json", "lea.json"}
    view = autograder("adjust", "emil", "60", "--set", *adjust).stdout
    assert "attempt 1: 90, 2026-03-01T12:01 UTC  counts" in view and "emil: 60 of 100" in view
    assert set(files(out)) == everybody - {"lea.json"}
    assert "emil,60,100," in (out / "grades.csv").read_text()
    back = autograder("adjust", "emil", "--undo", *adjust)
    assert back.stdout == "attempt 1: 90, 2026-03-01T12:01 UTC\n"
    assert set(files(out)) == everybody - {"emil.json", "lea.json"}
    twice = autograder("adjust", "emil", "--undo", *adjust, code=2)
    assert "'emil' has no adjustment of self_attention that could be taken back" in twice.stderr
    both = autograder("adjust", "emil", "5", "--undo", *adjust, code=2)
    assert "--undo takes back the last adjustment as it is; give no POINTS with it" in both.stderr
    neither = autograder("adjust", "emil", *adjust, code=2)
    assert "give POINTS, or --undo to take back the last adjustment" in neither.stderr


def test_reports(graded, course):
    def report(*more, code=0):
        done = autograder("report", "--out", graded / "out", "--course", course, *more, code=code)
        return done.stdout if code == 0 else done.stderr

    assert report().startswith("6 students, mean score 59.7, from 0 to 100\n")
    assert "zero_grad          5.0  10   3 passed, 1 error, 1 failed, 1 skipped" in report()
    check = report("--check", "zero_grad")
    assert "6 students, mean 5.0 of 10: 3 passed, 1 error, 1 failed, 1 skipped" in check
    assert [line.split(":")[0] for line in check.splitlines()[3:]] == ["bela", "emil", "zoe"]
    assert "5 submissions compared" in report("--similar")
    assert "no grade of 'nobody'" in report("--student", "nobody", code=2)
    assert "no check 'x'; self_attention has forward," in report("--check", "x", code=2)
    assert "are views of their own; give one" in report("--check", "x", "--similar", code=2)


def test_one_folder_holds_one_assignment(fresh, course, tmp_path):
    with sqlite3.connect(fresh[1] / "gradebook.db") as book:
        book.execute("UPDATE grades SET assignment = 'linear'")
    done = autograder("grade", fresh[0], "--out", fresh[1], "--course", course, code=2)
    assert "holds grades of linear; give self_attention another --out" in done.stderr
    refused = tmp_path / "merged"
    done = autograder("merge", refused, fresh[1], "--course", course, code=2)
    assert "holds grades of linear, not of self_attention" in done.stderr
    assert not refused.exists()

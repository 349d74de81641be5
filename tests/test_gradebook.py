"""The gradebook: what is kept, which attempt counts, and what a damaged or full disk costs."""

import multiprocessing
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest
from gradebooks import DUE, HOUR, grade, made_from, numbers, put, scores

from autograder.gradebook import Gradebook, GradebookError, Late, Rules, book, database, schema
from autograder.gradebook.policy import utc
from autograder.gradebook.undo import undo


@pytest.fixture
def said():
    return []


@pytest.fixture
def gradebook(tmp_path, said):
    with Gradebook(tmp_path / "gradebook.db", said.append) as gradebook:
        yield gradebook


def test_a_grade_comes_back_byte_for_byte(tmp_path):
    kept = grade(student="=Zoë 'x\"", mistake="scale-missing")
    with Gradebook(tmp_path / "new/folder/gradebook.db") as gradebook:
        put(gradebook, kept, submitted_at=DUE, path=tmp_path / "a.py")
    with Gradebook(tmp_path / "new/folder/gradebook.db") as gradebook:
        found = gradebook.has(kept.student, "attention", made_from())
        (counted,) = gradebook.grades("attention")
    assert found == kept == counted
    assert found.model_dump_json(by_alias=True, indent=2) == kept.model_dump_json(by_alias=True, indent=2)


def test_only_what_was_made_from_the_same_is_found(gradebook):
    put(gradebook, grade())
    for change in ({"submission": "s2"}, {"course": "c2"}, {"grader": "g2"}):
        assert gradebook.has("ada", "attention", made_from(**change)) is None
    assert gradebook.has("bob", "attention", made_from()) is None
    assert gradebook.has("ada", "linear", made_from()) is None
    assert gradebook.has("ada", "attention", made_from()) == grade()


def test_regrading_replaces_and_a_new_submission_is_a_new_attempt(gradebook):
    put(gradebook, grade(points=10))
    put(gradebook, grade(points=12, grader="g2"))
    assert numbers(gradebook) == [(1, 12)]
    assert gradebook.has("ada", "attention", made_from()) is None
    put(gradebook, grade(points=30, submission="s2"))
    assert numbers(gradebook) == [(1, 12), (2, 30)]


def test_going_back_to_an_earlier_file_makes_it_the_latest_again(gradebook):
    for submission, points in (("s1", 10), ("s2", 5), ("s1", 10)):
        put(gradebook, grade(points=points, submission=submission))
    assert numbers(gradebook) == [(2, 5), (3, 10)]
    assert scores(gradebook) == {"ada": 10}


@pytest.mark.parametrize("other", [DUE, None])
def test_going_back_to_a_file_of_the_same_time_makes_it_the_latest_again(gradebook, other):
    for submission, points, when in (("s1", 10, DUE), ("s2", 5, other), ("s1", 10, DUE)):
        put(gradebook, grade(points=points, submission=submission), submitted_at=when)
    assert numbers(gradebook) == [(2, 5), (3, 10)]
    assert scores(gradebook) == {"ada": 10}
    put(gradebook, grade(points=10), submitted_at=DUE)
    assert numbers(gradebook) == [(2, 5), (3, 10)]


def test_a_file_whose_time_becomes_known_is_the_same_attempt(gradebook):
    put(gradebook, grade(), path="a.py")
    put(gradebook, grade(), path="b.py", submitted_at=DUE)
    assert [a.submitted_at[:13] for a in gradebook.attempts("ada", "attention")] == ["", "2026-03-01T12"]
    put(gradebook, grade("bob"), path="a.py")
    put(gradebook, grade("bob"), path="a.py", submitted_at=DUE)
    assert [a.submitted_at[:13] for a in gradebook.attempts("bob", "attention")] == ["2026-03-01T12"]


def test_the_same_file_at_two_times_is_two_attempts_and_regrading_keeps_them(gradebook):
    for _ in range(2):
        put(gradebook, grade(points=10), submitted_at=DUE)
        put(gradebook, grade(points=20, submission="s2"), submitted_at=DUE + HOUR)
        put(gradebook, grade(points=10), submitted_at=DUE + 2 * HOUR)
        assert numbers(gradebook) == [(1, 10), (2, 20), (3, 10)]


def test_putting_what_is_there_writes_nothing(gradebook, tmp_path):
    put(gradebook, grade(), path="a.py")
    log = tmp_path / "gradebook.db-wal"
    before = log.stat().st_size
    put(gradebook, grade(), path="a.py")
    assert log.stat().st_size == before
    put(gradebook, grade(), path="b.py")
    assert log.stat().st_size > before


def test_which_attempt_counts(gradebook, said):
    # Put in another order than handed in, as a folder's names give it.
    put(gradebook, grade(points=40, submission="late"), submitted_at=DUE + HOUR)
    put(gradebook, grade(points=30, submission="early"), submitted_at=DUE - 2 * HOUR)
    put(gradebook, grade(points=20, submission="last"), submitted_at=DUE)
    put(gradebook, grade("bob", points=5, submission="late"), submitted_at=DUE + HOUR)
    put(gradebook, grade("cy", points=7))
    assert scores(gradebook) == {"ada": 40, "bob": 5, "cy": 7}
    assert scores(gradebook, Rules("best")) == {"ada": 40, "bob": 5, "cy": 7}
    assert scores(gradebook, Rules("last-before-deadline", Late(DUE))) == {"ada": 20, "cy": 7}
    assert scores(gradebook, Rules("last-before-deadline", Late(DUE - HOUR))) == {"ada": 30, "cy": 7}
    gradebook.grade("bob", "attention", Rules("last-before-deadline", Late(DUE)))
    assert said == ["bob: no attempt at attention by the deadline, left out"]
    with pytest.raises(ValueError, match="needs a due time"):
        Rules("last-before-deadline")


def test_best_is_the_highest_and_the_latest_of_equals(gradebook):
    for submission, points in (("s1", 30), ("s2", 35), ("s3", 35), ("s4", 20)):
        put(gradebook, grade(points=points, submission=submission))
    (best,) = gradebook.grades("attention", Rules("best"))
    assert (best.score, best.digests.submission) == (35, "s3")


@pytest.mark.parametrize(
    ("days", "latest"),
    [
        ((0, None), 2),
        ((None, 0), 2),
        ((1, None, 0), 2),  # no earlier than day 1, before which the last was handed in
        ((0, None, 1), 3),
        ((None, 1, 0), 2),
        ((1, 0, None), 3),
        ((1, None, None, 0), 3),
        ((1, None, 0, None), 4),
        ((1, None, 0, 2), 4),
    ],
)
def test_an_attempt_without_a_time_is_no_earlier_than_what_came_before_it(gradebook, days, latest):
    for number, day in enumerate(days, 1):
        when = None if day is None else DUE + 24 * day * HOUR
        put(gradebook, grade(points=number, submission=f"s{number}"), submitted_at=when)
    assert scores(gradebook) == {"ada": latest}
    rules = Rules("last-before-deadline", Late(DUE + 48 * HOUR))
    assert scores(gradebook, rules) == {"ada": latest}


def test_times_of_other_zones_are_the_same_moment(gradebook):
    there = timezone(timedelta(hours=9))
    put(gradebook, grade(points=1, submission="s1"), submitted_at=DUE)
    put(gradebook, grade(points=2, submission="s2"), submitted_at=(DUE - HOUR).astimezone(there))
    assert scores(gradebook) == {"ada": 1}
    put(gradebook, grade(points=3, submission="s3"), submitted_at=datetime(1, 1, 1))
    assert scores(gradebook) == {"ada": 1}


def test_students_come_in_the_order_of_their_ids_over_many_pages(gradebook, monkeypatch):
    monkeypatch.setattr(book, "_PAGE", 3)
    students = [f"s{number:02}" for number in range(11)] + ["Zed", "émile", "zoë", "😀", "a b"]
    for student in reversed(students):
        put(gradebook, grade(student))
        put(gradebook, grade(student, points=3, submission="s2"))
    assert [found.student for found in gradebook.grades("attention")] == sorted(students)
    assert list(gradebook.grades("linear")) == []


def test_grades_may_be_put_while_they_are_read(gradebook, monkeypatch):
    monkeypatch.setattr(book, "_PAGE", 1)
    for student in "abc":
        put(gradebook, grade(student, points=1))
    for found in gradebook.grades("attention"):
        put(gradebook, grade(found.student, points=2, submission="s2"))
    assert scores(gradebook) == {"a": 2, "b": 2, "c": 2}


def test_adjustments_apply_in_order_and_survive_regrading(gradebook):
    put(gradebook, grade(points=10))
    gradebook.adjust("ada", "attention", points=0.1, reason="typo in the handout", name="T. Lee", at=DUE)
    gradebook.adjust("ada", "attention", points=0.2, reason="again", name="T. Lee", at=DUE)
    put(gradebook, grade(points=12, grader="g2"))
    put(gradebook, grade(points=20, submission="s2"))
    (found,) = gradebook.grades("attention")
    assert found.score == 20.3
    assert found.checks == grade(points=20).checks
    assert [(flag.kind, flag.detail) for flag in found.flags] == [
        ("adjusted", "+0.1 points: typo in the handout (T. Lee, 2026-03-01)"),
        ("adjusted", "+0.2 points: again (T. Lee, 2026-03-01)"),
    ]
    assert gradebook.has("ada", "attention", made_from(submission="s2")) == grade(points=20, submission="s2")
    gradebook.adjust("ada", "attention", override=5, reason="oral", name="T. Lee", at=DUE)
    gradebook.adjust("ada", "attention", points=-7, reason="copied", name="T. Lee", at=DUE)
    assert scores(gradebook) == {"ada": 0}
    assert [change.kind for change in gradebook.adjustments("ada", "attention")] == [
        "add",
        "add",
        "set",
        "add",
    ]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({}, "either points to add or the score to set"),
        ({"points": 1, "override": 2}, "either points to add or the score to set"),
        ({"points": float("nan")}, "a finite number"),
        ({"override": -1}, "at least 0, not -1"),
        ({"points": 1, "reason": " "}, "needs a reason and the name"),
        ({"points": 1, "name": ""}, "needs a reason and the name"),
        ({"points": 1.7e308}, r"at most 10 times what the assignment is worth, 400 points, not 1\.7e\+308"),
        ({"points": -401}, "400 points, not 401"),
        ({"override": 401}, "400 points, not 401"),
    ],
)
def test_an_adjustment_that_says_too_little_is_refused(gradebook, change, error):
    put(gradebook, grade(points=1))
    with pytest.raises(ValueError, match=error):
        gradebook.adjust("ada", "attention", **{"reason": "r", "name": "n", "at": DUE, **change})
    assert scores(gradebook) == {"ada": 1}


def test_an_adjustment_is_taken_back_by_its_opposite(gradebook):
    put(gradebook, grade(points=30))
    for points in (-200, 200):
        gradebook.adjust("ada", "attention", points=points, reason="slip", name="T. Lee", at=DUE)
    assert scores(gradebook) == {"ada": 30}


def test_what_is_taken_back_has_no_effect_and_stays_on_record(gradebook):
    put(gradebook, grade(points=30))
    for points in (5, -2):
        gradebook.adjust("ada", "attention", points=points, reason="typo", name="T. Lee", at=DUE)
    back = {"reason": " slip ", "name": "J. Novak", "at": DUE + timedelta(days=1)}
    with pytest.raises(ValueError, match="needs a reason and the name"):
        undo(gradebook, "ada", "attention", **{**back, "reason": " "})
    left = []
    for _ in range(2):
        undo(gradebook, "ada", "attention", **back)
        left.append(scores(gradebook)["ada"])
    assert left == [35, 30]
    with pytest.raises(ValueError, match="'ada' has no adjustment of attention that could be taken back"):
        undo(gradebook, "ada", "attention", **back)
    gradebook.adjust("ada", "attention", points=1, reason="typo", name="T. Lee", at=DUE)
    (found,) = gradebook.grades("attention")
    assert found.score == 31
    assert [flag.detail for flag in found.flags] == [
        "+5 points: typo (T. Lee, 2026-03-01), taken back: slip (J. Novak, 2026-03-02)",
        "-2 points: typo (T. Lee, 2026-03-01), taken back: slip (J. Novak, 2026-03-02)",
        "+1 points: typo (T. Lee, 2026-03-01)",
    ]


def test_adjustments_of_an_older_file_stand(tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:2])
    path = tmp_path / "gradebook.db"
    Gradebook(path).close()
    with sqlite3.connect(path) as other:
        row = ("ada", "attention", "add", 5, "typo", "T. Lee", utc(DUE))
        other.execute("INSERT INTO adjustments VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", row)
    monkeypatch.undo()
    with Gradebook(path) as gradebook:
        put(gradebook, grade(points=30))
        assert scores(gradebook) == {"ada": 35}


def test_a_score_stays_what_can_be_shown(gradebook):
    """Also where amounts were kept that are refused now."""
    put(gradebook, grade(points=30))
    for points in (390, 390):
        gradebook.adjust("ada", "attention", points=points, reason="bonus", name="T. Lee", at=DUE)
    assert scores(gradebook) == {"ada": 400}
    with sqlite3.connect(gradebook.path) as other:
        other.execute("UPDATE adjustments SET points = 1.7e308")
    assert scores(gradebook) == {"ada": 400}


def test_who_has_no_grade_cannot_be_adjusted(gradebook):
    with pytest.raises(GradebookError, match="no grade of 'eve' for 'attention'"):
        gradebook.adjust("eve", "attention", points=1, reason="r", name="n", at=DUE)


def test_statistics_of_checks_and_mistakes(gradebook):
    put(gradebook, grade("ada"))
    put(gradebook, grade("bob", points=10, mistake="scale-missing"))
    put(gradebook, grade("cy", points=0, mistake="scale-missing"))
    put(gradebook, grade("cy", points=30, submission="s2", mistake="dk-not-transposed"))
    put(gradebook, grade("cy", points=0, assignment="linear"))
    found = gradebook.statistics("attention")
    assert (found.count, found.mean, found.lowest, found.highest) == (3, 80 / 3, 10, 40)
    check = found.checks["gradcheck"]
    assert (check.title, check.count, check.mean, check.max_points) == ("gradients", 3, 80 / 3, 40)
    assert check.verdicts == {"passed": 1, "failed": 2}
    assert found.mistakes == {"scale-missing": 1, "dk-not-transposed": 1}
    assert gradebook.statistics("nothing").mean == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE grades SET grade = substr(grade, 1, 100) WHERE student = 'ada'",
        "UPDATE grades SET grade = replace(grade, '10.0', '40.0') WHERE student = 'ada'",
        "UPDATE grades SET grade = CAST(x'ff00fe' AS TEXT) WHERE student = 'ada'",
        "UPDATE grades SET grade = x'7b7d' WHERE student = 'ada'",
        "UPDATE grades SET score = 12 WHERE student = 'ada'",
        "UPDATE grades SET score = 'much' WHERE student = 'ada'",
        "UPDATE grades SET max_score = 1000 WHERE student = 'ada'",
    ],
)
def test_a_damaged_row_is_reported_missing_and_made_anew(gradebook, said, damage):
    for student in ("ada", "bob"):
        put(gradebook, grade(student, points=10))
    with sqlite3.connect(gradebook.path) as other:
        other.execute(damage)
    assert gradebook.has("ada", "attention", made_from()) is None
    assert scores(gradebook) == {"bob": 10}
    assert scores(gradebook, Rules("best", Late(DUE))) == {"bob": 10}
    assert said == [
        f"{gradebook.path}: the grade of 'ada' for 'attention' is damaged and counts as missing; "
        "grade again to make it anew"
    ]
    put(gradebook, grade("ada", points=10))
    assert scores(gradebook) == {"ada": 10, "bob": 10}
    assert numbers(gradebook) == [(1, 10)]


@pytest.mark.parametrize("score", ["0", "40", "'much'"])
def test_the_best_is_not_chosen_by_a_damaged_score(gradebook, said, score):
    put(gradebook, grade(points=30, submission="s1"))
    put(gradebook, grade(points=20, submission="s2"))
    with sqlite3.connect(gradebook.path) as other:
        other.execute(f"UPDATE grades SET score = {score} WHERE submission = 's1'")
    assert scores(gradebook, Rules("best")) == {}
    assert len(said) == 1
    put(gradebook, grade(points=30, submission="s1"))
    assert scores(gradebook, Rules("best")) == {"ada": 30}


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "gradebook.db"
    path.write_bytes(b"not a database at all\n" * 100)
    with pytest.raises(
        GradebookError, match=r"gradebook.db: is damaged or not a gradebook .*; move it away"
    ) as e:
        Gradebook(path)
    assert "\n" not in str(e.value)


def test_a_file_damaged_in_its_middle(tmp_path):
    path = tmp_path / "gradebook.db"
    with Gradebook(path) as gradebook:
        for number in range(40):
            put(gradebook, grade(f"s{number}"))
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\x55" * len(raw[4096:])
    path.write_bytes(raw)
    with Gradebook(path) as gradebook:
        with pytest.raises(GradebookError, match="is damaged or not a gradebook"):
            list(gradebook.grades("attention"))
        with pytest.raises(GradebookError, match="is damaged or not a gradebook"):
            put(gradebook, grade())


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "gradebook.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE submission (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(
        GradebookError, match="another program's database, not a gradebook; give another path"
    ):
        Gradebook(path)
    assert path.read_bytes() == before


def test_migrations_bring_an_old_file_up_and_keep_its_grades(tmp_path, monkeypatch):
    path = tmp_path / "gradebook.db"
    with Gradebook(path) as gradebook:
        put(gradebook, grade())
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("ALTER TABLE grades ADD note TEXT",)))
    with Gradebook(path) as gradebook:
        assert scores(gradebook) == {"ada": 40}
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (5,)
        assert other.execute("SELECT note FROM grades").fetchall() == [(None,)]
    monkeypatch.undo()
    with pytest.raises(
        GradebookError, match=r"made by a newer autograder \(version 5, this one knows up to 4\)"
    ):
        Gradebook(path)


def test_a_file_from_before_names_were_kept_gets_them_with_the_next_grade(tmp_path, monkeypatch):
    path = tmp_path / "gradebook.db"
    with Gradebook(path) as gradebook:
        put(gradebook, grade())
        (row,) = gradebook._db.execute("SELECT * FROM grades")
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:2])
    old = tmp_path / "old.db"
    Gradebook(old).close()
    with sqlite3.connect(old) as other:
        other.execute(f"INSERT INTO grades VALUES ({', '.join('?' * 14)})", row[:14])
    monkeypatch.undo()
    with Gradebook(old) as gradebook:
        assert (scores(gradebook), gradebook.person("ada")) == ({"ada": 40}, (None, None))
        put(gradebook, grade(), name="Ada Lee", email="ada@x.edu")
        assert (numbers(gradebook), gradebook.person("ada")) == ([(1, 40)], ("Ada Lee", "ada@x.edu"))


def test_a_person_is_known_from_the_latest_attempt_that_says(gradebook):
    assert gradebook.person("ada") == (None, None)
    put(gradebook, grade(submission="s1"), name="Ada Lee", email="ada@x.edu")
    put(gradebook, grade(submission="s2"), name="Ada Roe")
    put(gradebook, grade(submission="s3"))
    put(gradebook, grade("bob"), name="Bob")
    assert gradebook.person("ada") == ("Ada Roe", "ada@x.edu")
    put(gradebook, grade(submission="s1"))  # the last attempt again, and what it knew stays
    assert gradebook.person("ada") == ("Ada Lee", "ada@x.edu")
    assert gradebook.person("bob") == ("Bob", None)


def test_a_migration_that_fails_changes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "gradebook.db"
    Gradebook(path).close()
    bad = ("ALTER TABLE grades ADD note TEXT", "ALTER TABLE nowhere ADD note TEXT")
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, bad))
    with pytest.raises(GradebookError, match="no such table: nowhere"):
        Gradebook(path)
    monkeypatch.undo()
    with Gradebook(path) as gradebook:
        put(gradebook, grade())


def test_a_full_disk_loses_nothing_that_was_kept(gradebook, tmp_path):
    pages = gradebook._db.execute("PRAGMA page_count").fetchone()[0]
    gradebook._db.execute(f"PRAGMA max_page_count = {pages + 20}")
    kept = 0
    with pytest.raises(GradebookError, match="the disk is full; free some space and run again"):
        for kept in range(1000):
            put(gradebook, grade(f"s{kept:03}"))
    assert 10 < kept < 999
    assert len(scores(gradebook)) == kept
    gradebook._db.execute("PRAGMA max_page_count = 100000")
    for number in range(kept, 200):
        put(gradebook, grade(f"s{number:03}"))
    assert scores(gradebook) == {f"s{number:03}": 40 for number in range(200)}


def test_a_file_that_another_program_holds(tmp_path, monkeypatch):
    path = tmp_path / "gradebook.db"
    Gradebook(path).close()
    monkeypatch.setattr(database, "_WAIT", 0.0)
    with Gradebook(path) as gradebook:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GradebookError, match="another program has been writing to it for too long"):
            put(gradebook, grade())
        other.execute("ROLLBACK")
        other.close()
        put(gradebook, grade())
        assert scores(gradebook) == {"ada": 40}


def test_a_path_that_cannot_be_written(tmp_path):
    with pytest.raises(GradebookError, match="cannot be opened for writing"):
        Gradebook(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(GradebookError, match="file: cannot be made"):
        Gradebook(tmp_path / "file/gradebook.db")


def _write(path, name):
    with Gradebook(path) as gradebook:
        for number in range(20):
            put(gradebook, grade(f"{name}{number}"))
            put(gradebook, grade("shared", submission=f"{name}{number}"))


def test_several_processes_open_and_fill_one_new_file(tmp_path):
    path = tmp_path / "gradebook.db"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, name)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0, 0]
    with Gradebook(path) as gradebook:
        assert len(scores(gradebook)) == 81
        assert [number for number, _ in numbers(gradebook, "shared")] == list(range(1, 81))


def test_a_new_file_may_be_opened_by_several_at_one_moment(tmp_path):
    def open_and_put(path, name):
        together.wait()
        with Gradebook(path) as gradebook:
            put(gradebook, grade(name))

    for round_ in range(25):
        path = tmp_path / f"{round_}.db"
        together = threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(open_and_put, [path] * 4, "abcd"))
        with Gradebook(path) as gradebook:
            assert scores(gradebook) == dict.fromkeys("abcd", 40)


ENDLESS = """
import sys
from autograder.gradebook import Gradebook
from autograder.grade.model import Grade
grade = Grade.model_validate_json(sys.argv[2])
with Gradebook(sys.argv[1]) as gradebook:
    for number in range(10**9):
        gradebook.put(grade.model_copy(update={"student": str(number)}))
        print(number, flush=True)
"""


def test_a_killed_run_keeps_every_grade_that_it_put(tmp_path):
    path = tmp_path / "gradebook.db"
    command = [sys.executable, "-c", ENDLESS, path, grade().model_dump_json(by_alias=True)]
    for round_ in range(3):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            for line in run.stdout:
                if int(line) == 40 + 20 * round_:
                    run.kill()
                    break
            assert run.wait() == -signal.SIGKILL
        with Gradebook(path) as gradebook:
            found = scores(gradebook)
            assert {str(number) for number in range(41 + 20 * round_)} <= found.keys()
            assert gradebook._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)

"""What an old, damaged, shared or foreign gradebook file, a full disk or a killed run costs."""

import multiprocessing
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradebooks import DUE, grade, made_from, numbers, put, scores

from autograder.gradebook import Gradebook, GradebookError, Late, Rules, database, schema


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
    (found,) = gradebook.grades("attention", Rules("best"))
    assert (found.score, found.digests.submission) == (20, "s2")
    assert gradebook.chosen("ada", "attention", Rules("best")).number == 2
    assert (len(said), len(gradebook.damaged)) == (1, 1)
    put(gradebook, grade(points=30, submission="s1"))
    assert scores(gradebook, Rules("best")) == {"ada": 30}
    assert gradebook.damaged == set()


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
        assert other.execute("PRAGMA user_version").fetchone() == (6,)
        assert other.execute("SELECT note FROM grades").fetchall() == [(None,)]
    monkeypatch.undo()
    with pytest.raises(
        GradebookError, match=r"made by a newer autograder \(version 6, this one knows up to 5\)"
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

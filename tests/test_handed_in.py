"""When work was handed in, from the files of an export to which attempt counts and what lateness takes."""

import io
import os
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from gradebooks import grade

from autograder.course import load_course
from autograder.course.models import Late
from autograder.gradebook import Late as RuleLate
from autograder.gradebook import Rules
from autograder.results import Results
from autograder.submission import Refusal, stream_submissions

COURSE = load_course(Path(__file__).parents[1])
NAME = "self_attention"
DUE = datetime.fromisoformat("2026-03-29T01:30:00+01:00")
CODE = b"class SelfAttention:\n    pass\n"
IN_TIME = datetime(2026, 3, 20, tzinfo=UTC)
TOO_LATE = datetime(2026, 4, 2, tzinfo=UTC)


def packed(name, data=CODE):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def hand_in(path, data=CODE, at=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if at:
        os.utime(path, (at.timestamp(), at.timestamp()))
    return path


def run(folder, out, *, counts="latest", file_times=False, due=DUE, said=None):
    """(Who counts with how many points, results) after grading: 40 points for what can be read, else 0."""
    late = Late(due=due, points_per_day=1.0, file_times=file_times)
    assignment = COURSE.assignments[NAME].model_copy(update={"counts": counts, "late": late})
    with Results(out, assignment, (said if said is not None else []).append) as results:
        for item in stream_submissions([folder], assignment=NAME, every_attempt=counts != "latest"):
            refused = isinstance(item, Refusal)
            digest = "" if refused else item.source.digest
            points = 0.0 if refused else 40.0
            results.put(grade(item.student, points, digest, assignment=NAME), item, f"made from {digest}")
        results.finish()
        return {grade.student: grade.score for grade in results.grades()}


def attempts(out, student, due=DUE):
    with Results(out, COURSE.assignments[NAME], print) as results:
        found = results.book.attempts(student, NAME, Rules(late=RuleLate(due)))
        return [(a.score, a.submitted_at[:16]) for a in found]


def test_an_upload_that_cannot_be_read_has_its_time(tmp_path):
    hand_in(tmp_path / "in/11-9 - Ann Good - Mar 20, 2026 1200 PM/self_attention.py")
    hand_in(tmp_path / "in/11-9 - Ann Good - Apr 20, 2026 1200 PM/self_attention.zip", b"garbage")
    assert run(tmp_path / "in", tmp_path / "out", counts="last-before-deadline") == {"11": 40}
    assert [score for score, _ in attempts(tmp_path / "out", "11")] == [40, 0]
    assert [when[:10] for _, when in attempts(tmp_path / "out", "11")] == ["2026-03-20", "2026-04-20"]
    (refused,) = stream_submissions([tmp_path / "in"], assignment=NAME)
    assert isinstance(refused, Refusal)
    with Results(tmp_path / "out", COURSE.assignments[NAME], print) as results:
        assert results.book.person("11") == ("Ann Good", None)
    assert (refused.name, refused.attempt) == ("Ann Good", 2)
    assert refused.submitted_at == datetime(2026, 4, 20, 12)


def test_the_file_that_lies_there_counts_whatever_lay_there_before(tmp_path):
    path = tmp_path / "in/11-9 - Ann Good - Mar 20, 2026 1200 PM/self_attention.py"
    other = CODE + b"# another\n"
    for data, score in ((CODE, 40), (b"", 0), (CODE, 40), (other, 40), (b"", 0), (other, 40), (CODE, 40)):
        hand_in(path, data)
        assert run(tmp_path / "in", tmp_path / "out") == {"11": score}
    assert [score for score, _ in attempts(tmp_path / "out", "11")] == [0, 40, 40]


def test_the_files_own_time_is_that_of_what_the_student_handed_in(tmp_path):
    for student, name, data in (
        ("plain", "self_attention.py", CODE),
        ("zipped", "all.zip", packed("work/self_attention.py")),
        ("broken", "all.zip", b"garbage"),
    ):
        hand_in(tmp_path / "in" / student / name, data, TOO_LATE)
    hand_in(tmp_path / "in/several/a.py", at=IN_TIME)
    hand_in(tmp_path / "in/several/b.py", at=TOO_LATE)
    hand_in(tmp_path / "in/several/readme.md", at=datetime(2027, 1, 1, tzinfo=UTC))
    found = {item.student: item.changed_at for item in stream_submissions([tmp_path / "in"], assignment=NAME)}
    assert found == dict.fromkeys(("plain", "zipped", "broken", "several"), TOO_LATE)
    scores = run(tmp_path / "in", tmp_path / "out", file_times=True)
    assert scores == {"plain": 36, "zipped": 36, "broken": 0, "several": 0}
    assert set(run(tmp_path / "in", tmp_path / "none").values()) == {40, 0}


def test_no_file_in_a_class_archive_has_a_time_of_its_own(tmp_path):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("ada/self_attention.py", CODE)
        archive.writestr("bob/all.zip", packed("self_attention.py"))
    path = hand_in(tmp_path / "class.zip", data.getvalue(), TOO_LATE)
    found = {item.student: item.changed_at for item in stream_submissions([path], assignment=NAME)}
    assert found == {"ada": None, "bob": None}


@pytest.fixture(params=["UTC", "Europe/Prague", "America/Los_Angeles"])
def machine(monkeypatch, request):
    """A machine of each time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_time_without_a_zone_is_read_at_the_offset_of_the_due_time(tmp_path, machine):
    hand_in(tmp_path / "in/21-9 - Ann Good - Mar 29, 2026 129 AM/self_attention.py")
    hand_in(tmp_path / "in/22-9 - Bob Late - Mar 29, 2026 131 AM/self_attention.py")
    for _ in range(2):
        assert run(tmp_path / "in", tmp_path / "out") == {"21": 40, "22": 39}
    assert attempts(tmp_path / "out", "21") == [(40, "2026-03-29T00:29")]
    assert run(tmp_path / "in", tmp_path / "out", due=DUE.replace(tzinfo=UTC)) == {"21": 40, "22": 39}
    assert attempts(tmp_path / "out", "21", DUE.replace(tzinfo=UTC)) == [(40, "2026-03-29T01:29")]
    (tmp_path / "in").rename(tmp_path / "again")
    assert run(tmp_path / "again", tmp_path / "out") == {"21": 40, "22": 39}
    assert attempts(tmp_path / "out", "21") == [(40, "2026-03-29T00:29")]


@pytest.mark.parametrize("how", ["symlink", "folder"])
def test_what_is_no_file_has_no_time(tmp_path, how):
    target = hand_in(tmp_path / "elsewhere/target.py", at=TOO_LATE)
    path = tmp_path / "in" / "ada" / "self_attention.py"
    path.parent.mkdir(parents=True)
    path.symlink_to(target) if how == "symlink" else path.mkdir()
    (item,) = stream_submissions([tmp_path / "in"], assignment=NAME)
    assert (type(item), item.changed_at) == (Refusal, None)


def test_attempts_of_one_minute_are_the_same_bytes_after_a_rerun(tmp_path):
    for number, data in ((55, CODE), (56, CODE + b"# a\n"), (57, b""), (58, CODE + b"# a\n"), (59, b"")):
        hand_in(tmp_path / f"in/1001-{number} - Ada - Mar 9, 2026 1000 AM/self_attention.py", data)
    found = list(stream_submissions([tmp_path / "in"], assignment=NAME, every_attempt=True))
    assert [item.path.parent.name[5:7] for item in found] == ["55", "58", "59"]  # each file once
    assert [len(item.followers) for item in found] == [2, 1, 0]
    seen = []
    for _ in range(2):
        assert run(tmp_path / "in", tmp_path / "out", counts="best") == {"1001": 40}
        seen.append((tmp_path / "out/gradebook.db").read_bytes())
    assert seen[0] == seen[1]
    assert [score for score, _ in attempts(tmp_path / "out", "1001")] == [40, 40, 0]

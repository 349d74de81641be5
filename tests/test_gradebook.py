"""The gradebook: what is kept, and which attempt counts."""

from datetime import datetime, timedelta, timezone

import pytest
from gradebooks import DUE, HOUR, grade, made_from, numbers, put, scores

from autograder.gradebook import Gradebook, Late, Rules, book


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


def times(gradebook, rules=book.LATEST):
    return [attempt.submitted_at[:13] for attempt in gradebook.attempts("ada", "attention", rules)]


@pytest.mark.parametrize("path", ["a.py", "b.py"])  # the same one, typed from another folder
def test_a_file_whose_time_becomes_known_is_the_same_attempt(gradebook, path):
    put(gradebook, grade(), path="a.py")
    put(gradebook, grade(), path=path, submitted_at=DUE)
    assert times(gradebook) == ["2026-03-01T12"]
    put(gradebook, grade(), path=path, submitted_at=DUE + HOUR)
    assert times(gradebook) == ["2026-03-01T12", "2026-03-01T13"]


def due_at(hours):
    """Rules whose deadline is at that offset of UTC."""
    return Rules("best", Late(DUE.replace(tzinfo=timezone(timedelta(hours=hours))), per_day=10))


@pytest.mark.parametrize("path", ["a.py", "b.py"])
def test_a_time_without_a_zone_is_one_attempt_whatever_the_deadline(gradebook, path):
    when = DUE.replace(tzinfo=None)
    for hours, name in ((0, "a.py"), (2, path), (-3, path)):
        rules = due_at(hours)
        put(gradebook, grade(), submitted_at=when, zone=rules.zone, path=name)
        assert times(gradebook, rules) == [f"2026-03-01T{12 - hours:02}"]
        assert scores(gradebook, rules) == {"ada": 40}  # in time by the platform's clock
    assert times(gradebook, due_at(5)) == ["2026-03-01T07"]  # nothing is put for a new deadline


@pytest.mark.parametrize(("hours", "path"), [(2, "b.py"), (0, "a.py")])
def test_a_time_that_was_kept_as_it_was_read_is_the_same_attempt(gradebook, hours, path):
    put(gradebook, grade(), submitted_at=DUE - 2 * HOUR, path="a.py")  # 12:00 at +02:00
    rules = due_at(hours)
    for _ in range(2):
        put(gradebook, grade(), submitted_at=DUE.replace(tzinfo=None), zone=rules.zone, path=path)
        assert times(gradebook, rules) == [f"2026-03-01T{12 - hours:02}"]


def test_attempts_of_one_moment_keep_their_order(gradebook, tmp_path):
    """Each knows which came after it, so that neither the order of grading nor a rerun moves them."""
    for _ in range(2):
        for submission, points, followers in (("s2", 20, ["s3"]), ("s1", 10, ["s2", "s3"]), ("s3", 30, [])):
            kept = grade(points=points, submission=submission)
            put(gradebook, kept, submitted_at=DUE, followers=followers)
        found = numbers(gradebook)
        assert [points for _, points in found] == [10, 20, 30]
        log = tmp_path / "gradebook.db-wal"
        size = log.stat().st_size
        for submission, points, followers in (("s1", 10, ["s2", "s3"]), ("s2", 20, ["s3"]), ("s3", 30, [])):
            kept = grade(points=points, submission=submission)
            put(gradebook, kept, submitted_at=DUE, followers=followers)
        assert (numbers(gradebook), log.stat().st_size) == (found, size)
    put(gradebook, grade(points=10), submitted_at=DUE)  # it alone lies there now
    assert scores(gradebook) == {"ada": 10}


def test_a_fault_takes_the_place_of_no_grade_of_the_same(gradebook):
    put(gradebook, grade(points=30))
    put(gradebook, grade(points=10, submission="s2"))
    gradebook.put(grade(points=0))
    assert numbers(gradebook) == [(2, 10), (3, 30)]  # what lies there now counts
    assert gradebook.has("ada", "attention", made_from()) == grade(points=30)
    assert list(gradebook.unmade("attention")) == []
    fault = grade(points=0, grader="g2")
    gradebook.put(fault)
    assert scores(gradebook) == {"ada": 0}
    assert list(gradebook.unmade("attention")) == [fault]


def test_what_is_to_be_made_again_is_said_where_a_score_depends_on_it(gradebook):
    gradebook.put(grade(points=0))
    put(gradebook, grade(points=10, submission="s2"))
    assert list(gradebook.unmade("attention")) == []
    assert list(gradebook.unmade("attention", Rules("best"))) == [grade(points=0)]


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

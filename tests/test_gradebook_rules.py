"""What lateness costs, what was handed in, and gradebooks that were filled apart."""

import sqlite3
from datetime import UTC, timedelta, timezone

import pytest
from gradebooks import DUE, HOUR, grade, made_from, numbers, put, scores

from autograder.gradebook import Gradebook, Late, Rules
from autograder.gradebook.merge import merge
from autograder.gradebook.undo import undo
from autograder.submission import Source

RULES = Rules(late=Late(DUE, grace=timedelta(minutes=15), per_day=10, at_most=25))


@pytest.mark.parametrize(
    ("after", "score"),
    [
        (timedelta(minutes=-1), 40),
        (timedelta(0), 40),
        (timedelta(minutes=15), 40),
        (timedelta(minutes=15, microseconds=1), 30),
        (timedelta(days=1), 30),
        (timedelta(days=1, seconds=1), 20),
        (timedelta(days=2, seconds=1), 15),
        (timedelta(days=400), 15),
    ],
)
def test_what_lateness_costs(gradebook, after, score):
    put(gradebook, grade(), submitted_at=DUE + after)
    (found,) = gradebook.grades("attention", RULES)
    assert (found.score, [flag.kind for flag in found.flags]) == (score, ["late"] if score < 40 else [])
    assert found.checks == grade().checks


def test_lateness_says_when_and_how_much(gradebook):
    put(gradebook, grade(points=12), submitted_at=DUE + timedelta(days=1, hours=2))
    there = timezone(timedelta(hours=1))
    (found,) = gradebook.grades("attention", Rules(late=Late(DUE.astimezone(there), per_day=10)))
    assert found.score == 0
    assert found.flags[0].detail == (
        "handed in 2026-03-02T14:00 UTC, due 2026-03-01T13:00+01:00: "
        "day 2 after the deadline, 12 of 12 points taken off"
    )


def test_an_unknown_time_is_not_late_and_is_said(gradebook):
    put(gradebook, grade())
    (found,) = gradebook.grades("attention", RULES)
    assert (found.score, [flag.kind for flag in found.flags]) == (40, ["time-unknown"])


def test_best_is_after_lateness(gradebook):
    put(gradebook, grade(points=30, submission="s1"), submitted_at=DUE - HOUR)
    put(gradebook, grade(points=39, submission="s2"), submitted_at=DUE + HOUR)
    late = Late(DUE, per_day=10)
    assert scores(gradebook, Rules("best", late)) == {"ada": 30}
    assert scores(gradebook, Rules("latest", late)) == {"ada": 29}
    assert scores(gradebook, Rules("last-before-deadline", late)) == {"ada": 30}


def test_adjustments_come_after_lateness(gradebook):
    put(gradebook, grade(points=30), submitted_at=DUE + HOUR)
    gradebook.adjust("ada", "attention", points=5, reason="waived", name="J. Novak", at=DUE)
    (found,) = gradebook.grades("attention", RULES)
    assert (found.score, [flag.kind for flag in found.flags]) == (25, ["late", "adjusted"])


def test_a_set_score_makes_the_latest_attempt_count_where_none_does(gradebook, said):
    for points, submission in ((30, "s1"), (39, "s2")):
        put(gradebook, grade(points=points, submission=submission), submitted_at=DUE + points * HOUR)
    rules = Rules("last-before-deadline", Late(DUE, per_day=10))
    change = {"name": "J. Novak", "at": DUE, "rules": rules}
    with pytest.raises(ValueError, match="no attempt of 'ada' counts, all came after the deadline, so there"):
        gradebook.adjust("ada", "attention", points=5, reason="typo", **change)
    assert gradebook.chosen("ada", "attention", rules) is None
    gradebook.adjust("ada", "attention", override=25, reason="extension", **change)
    gradebook.adjust("ada", "attention", points=5, reason="typo", **change)
    (found,) = gradebook.grades("attention", rules)
    assert (found.score, found.digests.submission) == (30, "s2")
    assert [flag.kind for flag in found.flags] == ["late", "adjusted", "adjusted"]
    assert gradebook.chosen("ada", "attention", rules).number == 2
    assert said == []
    put(gradebook, grade(points=10, submission="s3"), submitted_at=DUE - HOUR)
    assert gradebook.grade("ada", "attention", rules).digests.submission == "s3"


def test_a_grade_without_what_it_was_made_from_is_never_found(gradebook):
    gradebook.put(grade())
    assert gradebook.has("ada", "attention", "") is None
    assert scores(gradebook) == {"ada": 40}


SOURCE = Source((b"a = 1\r\n\xff\x00", b"b"), "ipynb", "s1")


def test_a_source_comes_back_byte_for_byte(gradebook):
    assert gradebook.source("s1") is None
    put(gradebook, grade(), source=SOURCE)
    assert gradebook.source("s1") == SOURCE


@pytest.mark.parametrize("damage", ["x''", "x'00'", "'text'", "substr(source, 1, 20)"])
def test_a_damaged_source_counts_as_missing_until_it_is_put_again(gradebook, damage):
    put(gradebook, grade(), source=SOURCE)
    with sqlite3.connect(gradebook.path) as other:
        other.execute(f"UPDATE sources SET source = {damage}")
    assert gradebook.source("s1") is None
    put(gradebook, grade(), source=SOURCE)
    assert gradebook.source("s1") == SOURCE


def dump(book):
    columns = "student, attempt, submission, score, submitted_at, grade, made_from"
    rows = book._db.execute(f"SELECT {columns} FROM grades ORDER BY student, attempt").fetchall()
    return rows, book._db.execute("SELECT * FROM sources ORDER BY digest").fetchall()


@pytest.fixture
def books(tmp_path, said):
    opened = [Gradebook(tmp_path / f"{name}.db", said.append) for name in "abc"]
    yield opened
    for book_ in opened:
        book_.close()


def test_shards_merge_into_what_one_run_gives(books):
    into, one, two = books
    for number in range(20):
        kept = grade(f"s{number:02}", submission=f"d{number}")
        put((one, two)[number % 2], kept, source=Source((b"%d" % number,), "py", f"d{number}"))
    assert merge(into, [one, two]) == []
    once = dump(into)
    assert len(once[0]) == len(once[1]) == 20
    assert merge(into, [two, one]) == []
    assert dump(into) == once
    assert into.has("s07", "attention", made_from(submission="d7")) == grade("s07", submission="d7")


def test_what_two_shards_graded_is_one_row(books):
    into, one, two = books
    for book_ in (one, two):
        put(book_, grade(), submitted_at=DUE)
    put(two, grade(points=5, submission="s2"), submitted_at=DUE + HOUR)
    assert merge(into, [one, two]) == []
    assert numbers(into) == [(1, 40), (2, 5)]


def test_a_contradiction_is_said_and_the_first_stays(books):
    into, one, two = books
    put(one, grade(points=10))
    put(two, grade(points=20, grader="g2"))
    (conflict,) = merge(into, [one, two])
    said = f"ada in attention: {two.path} and {into.path} or a gradebook before it grade one submission"
    assert conflict.startswith(said)
    assert numbers(into) == [(1, 10)]


@pytest.mark.parametrize("order", [1, -1])
def test_what_this_course_and_grader_made_takes_the_place_of_what_others_made(books, order):
    into, one, two = books
    put(one, grade(points=10, grader="old"))
    put(two, grade(points=20, grader="new"))
    assert merge(into, [one]) == []
    for _ in range(2):
        assert merge(into, [one, two][::order], ("c1", "new")) == []
        assert numbers(into) == [(1, 20)]
    assert into.has("ada", "attention", made_from(grader="new")) == grade(points=20, grader="new")


@pytest.mark.parametrize("order", [1, -1])
def test_where_one_part_knows_the_time_the_attempt_has_it(books, order):
    into, one, two = books
    put(one, grade(points=40))
    put(two, grade(points=40), submitted_at=DUE + HOUR)
    for _ in range(2):
        assert merge(into, [one, two][::order]) == []
        assert scores(into, RULES) == {"ada": 30}
    assert numbers(into) == [(1, 40)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_fault_of_a_known_time_takes_no_grade_of_another_grader_away(books, order):
    into, one, two = books
    put(one, grade(points=40))
    two.put(grade(points=0, grader="new"), "", submitted_at=DUE)
    assert merge(into, [one, two][::order]) == []
    assert numbers(into) == [(1, 40)]


@pytest.mark.parametrize("damage", ["2026-03-01T12:00:00.000000+00:0\ufffd", "x+00:00", "x"])
def test_a_damaged_time_is_one_that_nobody_knows(gradebook, damage):
    put(gradebook, grade(points=30), submitted_at=DUE)
    put(gradebook, grade("bob"), submitted_at=DUE)
    with sqlite3.connect(gradebook.path) as other:
        other.execute("UPDATE grades SET submitted_at = ? WHERE student = 'ada'", (damage,))
    assert scores(gradebook, RULES) == {"ada": 30, "bob": 40}


@pytest.mark.parametrize("when", [None, DUE])
def test_a_file_that_lies_there_again_counts_in_what_it_is_merged_into(books, when):
    into, one, two = books
    for submission, points in (("s1", 40), ("s2", 0), ("s1", 40)):
        put(one, grade(points=points, submission=submission), submitted_at=when)
        put(one, grade("bob", points=points, submission=submission), submitted_at=when)
        merge(into, [one])
        assert scores(into) == scores(one) == {"ada": points, "bob": points}
    put(two, grade(points=0, submission="s2"), submitted_at=when)
    for _ in range(2):  # the last that has the student
        merge(into, [one, two])
        assert scores(into) == {"ada": 0, "bob": 40}
        rows = dump(into)
    merge(into, [one, two])
    assert dump(into) == rows


def test_a_damaged_latest_moves_no_other(books, said):
    into, one, _ = books
    for submission, points in (("s1", 40), ("s2", 10)):
        put(one, grade(points=points, submission=submission))
    merge(into, [one])
    with sqlite3.connect(one.path) as other:
        other.execute("UPDATE grades SET grade = 'x' WHERE submission = 's2'")
    merge(into, [one])
    assert (scores(into), len(said)) == ({"ada": 10}, 1)


def test_a_time_without_a_zone_is_one_attempt_when_merged(books):
    into, one, two = books
    there = timezone(timedelta(hours=2))
    when = DUE.replace(tzinfo=None)
    put(one, grade(), submitted_at=when, zone=UTC)
    put(two, grade(), submitted_at=when, zone=there)
    put(two, grade("bob"), submitted_at=when.replace(tzinfo=there))  # as it was kept once
    put(one, grade("bob"), submitted_at=when, zone=there)
    for order in (1, -1, 1):
        assert merge(into, [one, two][::order], zone=there) == []
        for student in ("ada", "bob"):
            (attempt,) = into.attempts(student, "attention", Rules(late=Late(DUE.astimezone(there))))
            assert attempt.submitted_at[:13] == "2026-03-01T10"


@pytest.mark.parametrize("order", [1, -1])
def test_a_fault_gives_way_to_a_grade_in_any_order(books, order):
    into, one, two = books
    one.put(grade(points=0), "", submitted_at=DUE)
    put(two, grade(points=30), submitted_at=DUE)
    for _ in range(2):
        assert merge(into, [one, two][::order]) == []
    assert numbers(into) == [(1, 30)]
    assert into.has("ada", "attention", made_from()) == grade(points=30)


def test_adjustments_are_merged_once(books):
    into, one, two = books
    for book_ in (one, two):
        put(book_, grade(points=10))
    one.adjust("ada", "attention", points=1, reason="typo", name="J", at=DUE)
    for _ in range(2):
        merge(into, [one, two])
    assert [a.points for a in into.adjustments("ada", "attention")] == [1]


def test_what_was_taken_back_stays_so_when_merged(books):
    into, one, two = books
    for book_ in (one, two):
        put(book_, grade(points=10))
    one.adjust("ada", "attention", points=1, reason="typo", name="J", at=DUE)
    merge(two, [one])
    undo(one, "ada", "attention", reason="slip", name="K", at=DUE + HOUR)
    for _ in range(2):
        merge(into, [two, one, two])
        (found,) = into.adjustments("ada", "attention")
        assert (found.undone_why, found.undone_by) == ("slip", "K")
        assert scores(into) == {"ada": 10}


def test_a_score_that_is_taken_back_lets_no_attempt_count(gradebook):
    put(gradebook, grade(), submitted_at=DUE + HOUR)
    rules = Rules("last-before-deadline", Late(DUE))
    who = {"reason": "extension", "name": "J", "at": DUE}
    gradebook.adjust("ada", "attention", override=25, rules=rules, **who)
    undo(gradebook, "ada", "attention", **who)
    assert scores(gradebook, rules) == {}


def test_a_damaged_row_is_not_merged_over_a_sound_one(books, said):
    into, one, two = books
    for book_ in (one, two):
        put(book_, grade(points=10))
    with sqlite3.connect(one.path) as other:
        other.execute("UPDATE grades SET grade = 'x'")
    assert merge(into, [one, two]) == []
    assert scores(into) == {"ada": 10}
    assert "is damaged and counts as missing" in said[0]


def test_who_a_student_is_comes_along(books):
    into, one, two = books
    put(one, grade(), name="Ada Lee")
    put(two, grade(), email="ada@x.edu")
    put(two, grade("bob"), name="Bob")
    assert merge(into, [one, two]) == []
    assert (into.person("ada"), into.person("bob")) == (("Ada Lee", "ada@x.edu"), ("Bob", None))

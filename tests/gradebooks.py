"""Grades with one check, and what a gradebook holds, for the tests of it."""

from datetime import UTC, datetime, timedelta

from autograder.grade.model import CheckGrade, Diagnosis, Digests, Evidence, Grade, Isolation
from autograder.gradebook import book

DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def grade(
    student="ada",
    points=40.0,
    submission="s1",
    course="c1",
    grader="g1",
    mistake=None,
    assignment="attention",
):
    """A grade with one check of 40 points."""
    check = CheckGrade(
        id="gradcheck",
        title="gradients",
        verdict="passed" if points == 40 else "failed",
        points=points,
        max_points=40,
        evidence=(
            Evidence(part="Wq", verdict="passed", points=points, max_points=40, value=1.25e-9, at=(0, 3)),
        ),
        diagnosis=Diagnosis(mistakes=((mistake,),), sentence="The scale is missing.") if mistake else None,
    )
    return Grade(
        student=student,
        assignment=assignment,
        score=points,
        max_score=40,
        checks=(check,),
        isolation=Isolation(level="L3", detail=""),
        digests=Digests(submission=submission, course=course, grader=grader),
    )


def made_from(**parts):
    """What `grade(**parts)` was made from, in one string."""
    digests = grade(**parts).digests
    return "/".join((digests.submission, digests.course, digests.grader))


def put(gradebook, kept, **rest):
    digests = kept.digests
    gradebook.put(kept, "/".join((digests.submission, digests.course, digests.grader)), **rest)


def scores(gradebook, rules=book.LATEST):
    return {grade.student: grade.score for grade in gradebook.grades("attention", rules)}


def numbers(gradebook, student="ada"):
    return [(attempt.number, attempt.score) for attempt in gradebook.attempts(student, "attention")]

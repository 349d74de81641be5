"""Whose grade is whose in a class list: by id, else by email, else by a name that only one person has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autograder.grade.model import Grade
from autograder.submission.roster import Roster, Student, same_name

# By the id of a grade: the full name and the email of who handed in, as far as they are known.
People = Mapping[str, tuple[str | None, str | None]]

UNKNOWN = "not in the class list"
SHARED = "of a name that several have"
AGAIN = "of a student who has another grade"


@dataclass(frozen=True)
class Lost:
    """A grade that no one gets, and why."""

    grade: Grade
    why: str
    name: str | None = None

    def __str__(self) -> str:
        return f"{self.grade.student} ({self.name})" if self.name else self.grade.student


def match(
    grades: Iterable[Grade], roster: Roster, people: People
) -> tuple[list[tuple[Student, Grade]], list[Lost]]:
    """Students with their grades, no student twice; and the grades that nobody gets. In the order of grades.

    An id goes before an email, an email before a name, whatever the order of grades.
    """
    everyone = waiting = [(grade, *people.get(grade.student, (None, None))) for grade in grades]
    shared = Counter(same_name(name) for _, name, _ in waiting if name)
    taken: set[str] = set()
    found: dict[str, Student] = {}
    lost: dict[str, Lost] = {}

    def give(student: Student | None, grade: Grade, name: str | None) -> bool:
        if student is None:
            return False
        if student.id in taken:
            lost[grade.student] = Lost(grade, AGAIN, name)
        else:
            taken.add(student.id)
            found[grade.student] = student
        return True

    waiting = [w for w in waiting if not give(_by_id(roster, w[0].student, *w[1:]), w[0], w[1])]
    waiting = [w for w in waiting if not give(roster.find(w[2]) if w[2] else None, w[0], w[1])]
    for grade, name, _ in waiting:
        students = roster.named(name) if name else []
        if len(students) > 1 or (students and name and shared[same_name(name)] > 1):
            lost[grade.student] = Lost(grade, SHARED, name)
        elif not give(students[0] if students else None, grade, name):
            lost[grade.student] = Lost(grade, UNKNOWN, name)
    order = [grade for grade, _, _ in everyone]
    return (
        [(found[grade.student], grade) for grade in order if grade.student in found],
        [lost[grade.student] for grade in order if grade.student in lost],
    )


def _by_id(roster: Roster, student: str, name: str | None, email: str | None) -> Student | None:
    """A bare number beside a name is the platform's own, and no other column means the same by it.

    Without a name it may be that too, so where the roster has no such numbers its ids alone are asked.
    """
    if not student.isdigit() or email:
        return roster.find(student)
    if name or not roster.has_numbers:
        return roster.numbered(student) or (None if name else roster.with_id(student))
    return roster.find(student)

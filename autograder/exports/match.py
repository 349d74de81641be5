"""Whose grade is whose in a class list: by id, else by email, else by a name that only one person has.

All that is known of a hand-in has to fit one student; where it does not, nobody gets the grade.
"""

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
CROSSED = "whose number, id, email and name are not those of one student"
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
    waiting = [_Known(grade, *people.get(grade.student, (None, None)), roster) for grade in grades]
    shared = Counter(same_name(known.name) for known in waiting if known.name)
    taken: set[str] = set()
    found: dict[str, Student] = {}
    lost: dict[str, Lost] = {}
    for known in sorted(waiting, key=lambda known: known.rank):  # stable
        why, student = known.student(shared)
        if student is not None and student.id in taken:
            why, student = AGAIN, None
        if student is None:
            lost[known.grade.student] = Lost(known.grade, why, known.name)
        else:
            taken.add(student.id)
            found[known.grade.student] = student
    order = [known.grade for known in waiting]
    return (
        [(found[grade.student], grade) for grade in order if grade.student in found],
        [lost[grade.student] for grade in order if grade.student in lost],
    )


class _Known:
    """A hand-in and who fits all that is known of it. rank: 0 where an id says who, 1 an email, 2 a name."""

    def __init__(self, grade: Grade, name: str | None, email: str | None, roster: Roster):
        self.grade, self.name = grade, name
        # A bare number beside a name is the platform's own, and no other column means the same by it. With an
        # email it is an institution's: neither Moodle nor Canvas tells emails.
        number = grade.student.isdigit() and not email
        self._numbered = number and bool(name)
        ids = _ids(roster, grade.student, number, self._numbered)
        emails = roster.called(email) if email else []
        names = roster.named(name) if name else []  # one that nobody has may be another spelling
        signs = [sign for sign in (*ids, emails, names) if sign]
        self._anybody = bool(signs)
        self._fit = [s for s in (signs[0] if signs else []) if all(s in sign for sign in signs)]
        self.rank = 0 if any(len(sign) == 1 for sign in ids) else 1 if len(emails) == 1 else 2

    def student(self, shared: Mapping[str, int]) -> tuple[str, Student | None]:
        """Why it is nobody's, or the student. `shared`: how many hand-ins are of a name."""
        if not self._fit:
            return CROSSED if self._anybody else UNKNOWN, None
        student = self._fit[0]
        if self.rank == 2:
            if len(self._fit) > 1 or (self.name and shared[same_name(self.name)] > 1):
                return SHARED, None
            if self._numbered and student.numbers and self.grade.student not in student.numbers:
                return CROSSED, None
        return "", student


def _ids(roster: Roster, student: str, number: bool, own: bool) -> list[list[Student]]:
    """Who is known by the id of a hand-in; lists that are asked for apart from one another.

    A number without a name may be the platform's or an id, so both are asked; where the roster has no such
    numbers, of other columns its ids alone.
    """
    if not number:
        return [roster.called(student)]
    if own:
        return [roster.numbered(student)]
    others = roster.called(student) if roster.has_numbers else roster.with_id(student)
    return [roster.numbered(student), others]

"""Joining gradebooks that were filled apart, such as the shards of a class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from typing import Any

from autograder.gradebook.book import Gradebook
from autograder.gradebook.keeping import SAME
from autograder.submission.text import shown

_COPIED = (
    "student", "assignment", "submission", "course", "grader", "score", "max_score", "submitted_at", "path",
    "grade", "checksum", "made_from", "name", "email",
)  # fmt: skip


def merge(
    into: Gradebook,
    books: Sequence[Gradebook],
    current: tuple[str, str] = ("", ""),
    zone: tzinfo = UTC,
) -> list[str]:
    """Put every attempt and adjustment of `books` into `into`, in that order; a sentence for each conflict.

    One submission of one time is one attempt, wherever it was graded. Two that were made from the same are
    equal; else one that was made by the `current` (course, grader), both as digests, has the place of one
    that was not, and of others the grade that was there first stays, and the conflict is said. One to be made
    again, such as a fault of the grader, gives way to any other in silence. Where no time tells attempts
    apart, the latest in the last of `books` that has the student counts, as what was put last. Merging again
    changes nothing. `zone` is that of times without one.
    """
    conflicts = []
    for book in books:
        for row in _attempts(book):
            if not _put(into, row, current, zone):
                who = f"{shown(row['student'])} in {row['assignment']}"
                conflicts.append(
                    f"{who}: {book.path} and {into.path} or a gradebook before it grade one submission "
                    f"differently ({row['score']:g} here), made by another course, grader or level; the "
                    "first stays. Grade both with the same, or merge into a new folder"
                )
        _adjustments(into, book)
    _in_turn(into, books)
    return conflicts


def _in_turn(into: Gradebook, books: Sequence[Gradebook]) -> None:
    """Make what a student handed in last the last in `into` too, though it was there before."""
    columns = ("assignment", "student", "submission", "submitted_at")
    for number, book in enumerate(books, 1):
        with book._errors():
            # SQLite takes all columns from the row that has the largest.
            last = f"SELECT {', '.join(columns)}, max(attempt) FROM grades GROUP BY assignment, student"
            for *key, _ in book._db.execute(last):
                if not any(_has(later, *key[:2]) for later in books[number:]):
                    _make_last(into, dict(zip(columns, key, strict=True)))


def _has(book: Gradebook, assignment: str, student: str) -> bool:
    with book._errors():
        one = "SELECT 1 FROM grades WHERE assignment = ? AND student = ?"
        return book._one(one, assignment, student) is not None


def _make_last(into: Gradebook, row: dict[str, str]) -> None:
    with into._transaction():
        found = into._one(f"SELECT id, attempt FROM grades WHERE {SAME}", *row.values())
        if found is not None and into._overtaken(row, found[1]):
            into._move(found[0], row["assignment"], row["student"])


def _attempts(book: Gradebook) -> Iterator[dict[str, Any]]:
    """Sound rows in the order in which each student's attempts came, with their source."""
    columns = ", ".join(_COPIED)
    with book._errors():
        ids = book._db.execute("SELECT id FROM grades ORDER BY assignment, student, attempt")
        for (row,) in ids:
            if book._grade(row) is None:  # said by the gradebook itself
                continue
            values = book._one(f"SELECT {columns} FROM grades WHERE id = ?", row)
            found = dict(zip(_COPIED, values, strict=True))
            source = book._one("SELECT source FROM sources WHERE digest = ?", found["submission"])
            yield {**found, "source": source and source[0]}


def _put(into: Gradebook, row: dict[str, Any], current: tuple[str, str], zone: tzinfo) -> bool:
    """Put a row unless it is there; whether it does not contradict the one that is.

    Where one of the two knows the time, the attempt has it.
    """
    columns = {name: row[name] for name in _COPIED}
    with into._transaction():
        old = into._same(columns, zone) or (None if row["submitted_at"] else into._timed(columns))
        if row["source"] is not None:
            into._put_source(row["submission"], row["source"])
        if old is None or into._grade(old["id"]) is None:
            into._put(columns, zone=zone)
            return True
        ours, theirs = ((it["course"], it["grader"]) == current for it in (old, row))
        if row["made_from"] and (not old["made_from"] or (theirs and not ours)):
            into._put({**columns, "submitted_at": row["submitted_at"] or old["submitted_at"]}, zone=zone)
            return True
        into._db.execute(
            "UPDATE grades SET name = coalesce(name, ?), email = coalesce(email, ?), submitted_at = ? "
            "WHERE id = ?",
            (row["name"], row["email"], old["submitted_at"] or row["submitted_at"], old["id"]),
        )
    return old["grade"] == row["grade"] or not row["made_from"] or (ours and not theirs)


def _adjustments(into: Gradebook, book: Gradebook) -> None:
    made = ("student", "assignment", "kind", "points", "reason", "name", "made_at")
    columns = ", ".join((*made, "undone_at", "undone_by", "undone_why"))
    with book._errors():
        rows = book._db.execute(f"SELECT {columns} FROM adjustments ORDER BY id").fetchall()
    known = " AND ".join(f"{name} = ?" for name in made)
    with into._transaction():
        for row in rows:
            key, undone = row[: len(made)], row[len(made) :]
            if into._one(f"SELECT 1 FROM adjustments WHERE {known}", *key) is None:
                into._db.execute(f"INSERT INTO adjustments ({columns}) VALUES ({', '.join('?' * 10)})", row)
            elif undone[0]:  # here it may stand yet
                into._db.execute(
                    "UPDATE adjustments SET undone_at = ?, undone_by = ?, undone_why = ? "
                    f"WHERE undone_at = '' AND {known}",
                    (*undone, *key),
                )

"""Taking back an adjustment, which stays on record."""

from __future__ import annotations

from datetime import datetime

from autograder.gradebook.book import Gradebook
from autograder.gradebook.policy import utc


def undo(book: Gradebook, student: str, assignment: str, *, reason: str, name: str, at: datetime) -> None:
    """Take back the student's last adjustment that stands; again, the one before it.

    Raises ValueError without a reason and a name, and where no adjustment stands; GradebookError.
    """
    if not reason.strip() or not name.strip():
        raise ValueError("taking back an adjustment needs a reason and the name of who does it")
    last = "SELECT max(id) FROM adjustments WHERE assignment = ? AND student = ? AND undone_at = ''"
    with book._lasting():
        done = book._db.execute(
            f"UPDATE adjustments SET undone_at = ?, undone_by = ?, undone_why = ? WHERE id = ({last})",
            (utc(at), name.strip(), reason.strip(), assignment, student),
        )
    if not done.rowcount:
        raise ValueError(f"{student!r} has no adjustment of {assignment} that could be taken back")

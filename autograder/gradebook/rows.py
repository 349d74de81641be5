"""What a grade fills of its row, and whether a row is still what it filled."""

import hashlib
from typing import Any

from autograder.grade.model import Grade


def filled(grade: Grade) -> dict[str, Any]:
    """The columns that a grade itself fills."""
    text = grade.model_dump_json(by_alias=True)
    return {
        "student": grade.student,
        "assignment": grade.assignment,
        "submission": grade.digests.submission,
        "course": grade.digests.course,
        "grader": grade.digests.grader,
        "score": grade.score,
        "max_score": grade.max_score,
        "grade": text,
        "checksum": _checksum(text),
    }


def sound(text: object, checksum: object, score: object, max_score: object) -> Grade | None:
    """The grade in those columns of a row; None where one of them is not as it was filled."""
    try:
        if not isinstance(text, str) or _checksum(text) != checksum:
            return None
        grade = Grade.model_validate_json(text)
    except ValueError:  # pydantic's error is one, and so is a text that is no Unicode
        return None
    return grade if (grade.score, grade.max_score) == (score, max_score) else None


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

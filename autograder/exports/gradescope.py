"""Gradescope: the results.json of one submission."""

from __future__ import annotations

from typing import Any

from autograder.exports.words import words
from autograder.grade.model import Grade
from autograder.reports.inert import inert

VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")


def gradescope_results(
    grade: Grade, *, visibility: str = "visible", leaderboard: bool = False
) -> dict[str, Any]:
    """What Gradescope reads; one test a check. A hidden test hides the total as well.

    A fault of the grader gives no score at all, so that nobody is marked down for it.
    """
    tests = [
        {
            "name": check.title,
            "number": str(number),
            "score": check.points,
            "max_score": check.max_points,
            "status": "passed" if check.verdict == "passed" else "failed",
            "output": "\n".join(words(check)),
            "output_format": "text",
            "visibility": visibility,
            "extra_data": {"check": check.id, "verdict": check.verdict},
        }
        for number, check in enumerate(grade.checks, 1)
    ]
    notes = [f"{flag.kind}: {inert(flag.detail)}" for flag in grade.flags if flag.kind != "tampering"]
    results: dict[str, Any] = {
        "output": "\n".join(notes),
        "output_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            "flags": [{"kind": flag.kind, "detail": inert(flag.detail)} for flag in grade.flags],
            "isolation": grade.isolation.level,
            "digests": grade.digests.model_dump(),
        },
    }
    if any(flag.kind == "grader-fault" for flag in grade.flags):
        return results | {"tests": []}
    results["score"] = grade.score
    if leaderboard:
        results["leaderboard"] = [{"name": "score", "value": grade.score, "order": "desc"}]
    return results

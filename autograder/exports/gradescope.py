"""Gradescope: the results.json of one submission."""

from __future__ import annotations

from typing import Any

from autograder.grade.model import Grade
from autograder.reports.inert import inert
from autograder.reports.words import words

VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")


def gradescope_results(
    grade: Grade, *, visibility: str = "visible", leaderboard: bool = False
) -> dict[str, Any]:
    """What Gradescope reads; one test a check. A hidden test hides the total as well."""
    fault = next((flag.detail for flag in grade.flags if flag.kind == "grader-fault"), None)
    if fault is not None:
        return placeholder(inert(fault))
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
        "score": grade.score,
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
    if leaderboard:
        results["leaderboard"] = [{"name": "score", "value": grade.score, "order": "desc"}]
    return results


def placeholder(reason: str) -> dict[str, Any]:
    """Valid results where there is no grade. Gradescope wants a number; what it stands for is said."""
    text = "The autograder failed, not your work: this 0 holds the place of a mark until it is run again."
    return {
        "score": 0,
        "output": f"{text}\n{reason}",
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [],
        "extra_data": {"grader-fault": reason},
    }

"""Gradescope: the results.json of one submission, and of each of a class."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.exports.atomic import replacing
from autograder.exports.mark import faulted
from autograder.grade.model import Grade
from autograder.reports.inert import inert
from autograder.reports.words import words

VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")


def gradescope_results(
    grade: Grade, *, visibility: str = "visible", leaderboard: bool = False
) -> dict[str, Any]:
    """What Gradescope reads; one test a check. A hidden test hides the total as well."""
    if faulted(grade):
        fault = next(flag.detail for flag in grade.flags if flag.kind == "grader-fault")
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


def write_gradescope(grades: Mapping[str, Grade], folder: Path) -> None:
    """Write a file of each name; what an earlier export wrote there under any other is removed.

    Raises OSError.
    """
    for name, grade in grades.items():
        with replacing(folder / name) as file:
            json.dump(gradescope_results(grade), file, indent=2)
    for path in sorted(folder.glob("*.json")):
        if path.name not in grades and _is_ours(path):
            path.unlink(missing_ok=True)


def _is_ours(path: Path) -> bool:
    try:
        found = json.loads(path.read_bytes())
        return {"stdout_visibility", "tests"} <= found.keys() and bool(
            {"digests", "grader-fault"} & found["extra_data"].keys()
        )
    except (OSError, ValueError, AttributeError, LookupError, TypeError):
        return False


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

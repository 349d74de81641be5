"""Gradescope's container: reads /autograder/submission, always leaves a valid results.json.

python -m autograder.platforms.gradescope ROOT ASSIGNMENT VISIBILITY [leaderboard]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from autograder.exports.atomic import replacing
from autograder.exports.gradescope import gradescope_results, placeholder
from autograder.reports.inert import inert


def student(metadata: Path) -> str:
    """Whose submission it is, by e-mail; "submission" when nobody says."""
    try:
        users = json.loads(metadata.read_text(encoding="utf-8"))["users"]
        return ", ".join(str(user["email"]) for user in users) or "submission"
    except (OSError, ValueError, KeyError, TypeError):
        return "submission"


def results(root: Path, name: str, visibility: str, leaderboard: bool) -> dict[str, Any]:
    """Grade what is in `root`, the folder that Gradescope calls /autograder."""
    from autograder.course import load_course
    from autograder.platforms.grading import grade
    from autograder.submission.find import read_folder

    course = root / "source" / "grading.toml"
    limit = load_course(course).limits.submission_kib << 10
    whose = student(root / "submission_metadata.json")
    item = read_folder(root / "submission", whose, assignment=name, max_bytes=limit)
    return gradescope_results(grade(course, name, item), visibility=visibility, leaderboard=leaderboard)


def main(arguments: list[str]) -> int:
    root, name, visibility, *rest = arguments
    try:
        document = results(Path(root), name, visibility, leaderboard=rest == ["leaderboard"])
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        document = placeholder(inert(f"{type(error).__name__}: {error}"))
    with replacing(Path(root) / "results" / "results.json") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

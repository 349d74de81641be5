"""A class as the data of one page: what its script draws, as compact as it goes."""

from __future__ import annotations

import json
from collections import Counter
from statistics import median
from typing import Any

from ..course import Assignment
from ..grade.model import Picture
from ..gradebook.statistics import causes
from .entry import Entry
from .inert import inert
from .table import QUIET
from .words import words

BINS = 10  # of the distribution of scores
LISTED = 12  # students named beside a cause; all are found by its name in the table


class ClassData:
    """Takes students one by one; `page` is what the template shows, `script` what the page's script reads."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.checks = {id: (spec.title, spec.points) for id, spec in assignment.checks.present.items()}
        self._students: list[dict[str, Any]] = []
        self._verdicts: list[str] = []
        self._causes: dict[str, list[int]] = {}
        self._expected: dict[tuple[float, ...], int] = {}
        self._scores: list[float] = []
        self._given = {id: Counter[str]() for id in self.checks}
        self._points = dict.fromkeys(self.checks, 0.0)

    def add(self, entry: Entry) -> None:
        grade, number = entry.grade, len(self._students)
        self._scores.append(grade.score)
        found: list[str] = []
        for check in grade.checks:
            if check.id in self._given:
                self._given[check.id][check.verdict] += 1
                self._points[check.id] += check.points
            found += causes(check)
        for cause in dict.fromkeys(found):
            self._causes.setdefault(cause, []).append(number)
        self._students.append(self._student(entry, list(dict.fromkeys(found))))

    def _student(self, entry: Entry, found: list[str]) -> dict[str, Any]:
        grade = entry.grade
        by_id = {check.id: check for check in grade.checks}
        checks = [by_id.get(id) for id in self.checks]
        student: dict[str, Any] = {
            "n": inert(grade.student),
            "s": grade.score,
            "v": [self._verdict(check.verdict if check else "skipped") for check in checks],
            "p": [check.points if check else 0 for check in checks],
            "w": [words(check, entry.where) if check else [] for check in checks],
            "f": [[flag.kind, inert(flag.detail)] for flag in grade.flags],
            "c": found,
            "t": [list(attempt) for attempt in entry.attempts],
            "l": [
                [shown.where, [[n, text, int(hit)] for n, text, hit in shown.lines]]
                for shown in entry.shown()
            ],
        }
        if grade.figures:
            student["g"] = [self._picture(picture) for picture in grade.figures.pictures]
            if grade.figures.losses:
                curve = grade.figures.losses
                student["d"] = [self._yours(curve.yours, curve.expected), self._pool(curve.expected)]
        return student

    def _verdict(self, verdict: str) -> int:
        if verdict not in self._verdicts:
            self._verdicts.append(verdict)
        return self._verdicts.index(verdict)

    def _picture(self, picture: Picture) -> list[Any]:
        yours = self._yours(picture.yours, picture.expected)
        return [picture.name, picture.kind, picture.shape, yours, self._pool(picture.expected)]

    def _yours(self, yours: tuple[float | None, ...] | None, expected: tuple[float, ...]) -> Any:
        """Flat numbers; 0 where they are the expected ones, null where there are none."""
        return 0 if yours == expected else yours

    def _pool(self, expected: tuple[float, ...]) -> int:
        """Expected arrays are the same for most: each is written once."""
        return self._expected.setdefault(expected, len(self._expected))

    def page(self) -> dict[str, Any]:
        """Everything that is shown without a script."""
        count, top = len(self._scores), self.assignment.points
        bins = Counter(min(BINS - 1, max(0, int(BINS * score / top))) for score in self._scores)
        return {
            "title": self.assignment.title,
            "count": count,
            "points": top,
            "median": median(self._scores) if count else 0,
            "mean": sum(self._scores) / count if count else 0,
            "full": sum(score >= top for score in self._scores),
            "bins": [(top * i / BINS, top * (i + 1) / BINS, bins[i]) for i in range(BINS)],
            "checks": [
                {
                    "id": id,
                    "title": title,
                    "points": points,
                    "passed": self._given[id]["passed"],
                    "mean": self._points[id] / count if count else 0,
                    "others": [(v, n) for v, n in self._given[id].most_common() if v != "passed"],
                }
                for id, (title, points) in self.checks.items()
            ],
            "causes": self.causes(),
            "flagged": [
                (number, student["n"], [flag for flag in student["f"] if flag[0] not in QUIET])
                for number, student in enumerate(self._students)
                if any(flag[0] not in QUIET for flag in student["f"])
            ],
        }

    def causes(self) -> list[dict[str, Any]]:
        """Every mistake that was made, the most frequent first."""
        ranked = sorted(self._causes.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        return [
            {
                "name": name,
                "count": len(numbers),
                "some": [(number, self._students[number]["n"]) for number in numbers[:LISTED]],
                "more": max(0, len(numbers) - LISTED),
            }
            for name, numbers in ranked
        ]

    def script(self, page: dict[str, Any]) -> str:
        """JSON that may stand inside a script element."""
        content = {
            "points": self.assignment.points,
            "quiet": QUIET,
            "checks": [
                [check["id"], check["title"], check["points"], check["passed"]] for check in page["checks"]
            ],
            "bins": page["bins"],
            "verdicts": self._verdicts,
            "expected": list(self._expected),
            "students": self._students,
        }
        return embedded(content)


def embedded(content: Any) -> str:
    """JSON in ASCII with nothing in it that HTML could read as an end or a beginning of an element."""
    text = json.dumps(content, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

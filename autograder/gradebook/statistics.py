"""A class in numbers, from one pass over its grades."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.grade.model import CheckGrade, Grade


@dataclass
class CheckStatistics:
    """Of one check: how often each verdict was given, and the points."""

    title: str
    max_points: float
    points: float = 0.0  # of all grades together
    count: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    @property
    def mean(self) -> float:
        """Points a grade."""
        return self.points / self.count if self.count else 0.0

    def add(self, check: CheckGrade) -> None:
        self.points += check.points
        self.count += 1
        self.verdicts[check.verdict] += 1


@dataclass
class Statistics:
    """Of one assignment. `mistakes` counts the students who made each known mistake."""

    count: int = 0
    score: float = 0.0  # of all grades together
    lowest: float | None = None
    highest: float | None = None
    checks: dict[str, CheckStatistics] = field(default_factory=dict)
    mistakes: Counter[str] = field(default_factory=Counter)

    @property
    def mean(self) -> float:
        """Score a grade."""
        return self.score / self.count if self.count else 0.0


def statistics(grades: Iterable[Grade]) -> Statistics:
    """Statistics of grades of one assignment; keeps none of them."""
    total = Statistics()
    for grade in grades:
        total.count += 1
        total.score += grade.score
        total.lowest = grade.score if total.lowest is None else min(total.lowest, grade.score)
        total.highest = grade.score if total.highest is None else max(total.highest, grade.score)
        for check in grade.checks:
            if check.id not in total.checks:
                total.checks[check.id] = CheckStatistics(check.title, check.max_points)
            total.checks[check.id].add(check)
        total.mistakes.update({name for check in grade.checks for name in causes(check)})
    return total


def causes(check: CheckGrade) -> list[str]:
    """The mistakes recognised in a check, those that cannot be told apart as one."""
    return [" or ".join(group) for group in check.diagnosis.mistakes] if check.diagnosis else []

"""The gradebook: SQLite, every grade once, with what it was made from. Reads grades, never runs code."""

from autograder.gradebook.adjustments import Adjustment
from autograder.gradebook.book import Gradebook
from autograder.gradebook.errors import GradebookError
from autograder.gradebook.policy import Attempt, Late, Policy, Rules
from autograder.gradebook.statistics import CheckStatistics, Statistics

__all__ = [
    "Adjustment",
    "Attempt",
    "CheckStatistics",
    "Gradebook",
    "GradebookError",
    "Late",
    "Policy",
    "Rules",
    "Statistics",
]

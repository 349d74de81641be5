"""The grade: the neutral result that every report, export and gradebook reads.

No timing is in it, so that two runs give identical bytes.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Verdict = Literal[
    "passed",  # compared, agrees
    "failed",  # compared, differs
    "error",  # the student's exception
    "timeout",
    "memory",
    "crash",  # died before its reply
    "import",  # a module that the exercise does not allow
    "tampering",  # protocol violated
    "review",  # the score stands, a human should look
    "skipped",  # depends on a check that failed
    "grader-fault",  # ours; never marks the student down
]

Detail = Literal["evidence", "line", "name", "hints"]  # each with all before it
DETAILS: tuple[Detail, ...] = get_args(Detail)


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class Evidence(Record):
    """One measured fact about one part of a check. Numbers, no prose about mathematics."""

    part: str  # "values", "Wq at lesson"
    verdict: Verdict
    points: float
    max_points: float
    measure: str = ""  # what `value` is: "relative error", "type", "shape", "exception"
    value: float | str | None = None  # measured
    limit: float | str | None = None  # the threshold, or what was expected
    tensor: str = ""  # "dWq", "out"
    shape: tuple[int, ...] | None = None
    at: tuple[int, ...] | None = None  # the worst index
    yours: float | None = None
    expected: float | None = None
    line: int | None = None  # of the submission, 1-based


class Line(Record):
    """A line of the submission that a diagnosis points at."""

    number: int  # 1-based; of a notebook, counted over its code cells as they are graded
    text: str  # without its indentation
    proved: bool = False  # another value on this line, and nothing else, makes everything right


class Diagnosis(Record):
    """What the evidence says in words."""

    # Names from mistakes.toml, a group for each fault: names in one group cannot be told apart.
    mistakes: tuple[tuple[str, ...], ...] = ()
    lines: tuple[Line, ...] = ()  # where the fault is; several where the evidence does not decide
    sentence: str  # at most 12 lines: evidence, name, line with its text, next step
    kinds: tuple[Detail, ...] = ()  # what each line of the sentence is; one that is not listed is evidence
    hints: tuple[str, ...] = ()  # the recognised mistake's three

    def at(self, detail: Detail) -> Diagnosis:
        """As much of it as a course shows its students, with the command that a student has."""
        seen = DETAILS[: DETAILS.index(detail) + 1]
        lines = self.sentence.split("\n")
        kept = [
            (line.replace("autograder hint", "python check.py hint") if kind == "hints" else line, kind)
            for line, kind in zip_longest(lines, self.kinds[: len(lines)], fillvalue="evidence")
            if kind in seen
        ]
        return Diagnosis(
            mistakes=self.mistakes if "name" in seen else (),
            lines=self.lines if "line" in seen else (),
            sentence="\n".join(line for line, _ in kept),
            kinds=tuple(kind for _, kind in kept),
            hints=self.hints if "hints" in seen else (),
        )


class CheckGrade(Record):
    id: str
    title: str
    verdict: Verdict
    points: float
    max_points: float
    evidence: tuple[Evidence, ...] = ()
    diagnosis: Diagnosis | None = None


class Picture(Record):
    """An array of a failing submission beside the expected one, at the public input. Six digits, flat."""

    name: str  # "A", "dWq"
    kind: Literal["distribution", "gradient"]
    shape: tuple[int, ...]
    yours: tuple[float | None, ...] | None  # None: not a float array of this shape; an entry: not finite
    expected: tuple[float, ...]


class Curve(Record):
    """The loss before each step of the lesson's training."""

    yours: tuple[float | None, ...] | None
    expected: tuple[float, ...]


class Figures(Record):
    """What pictures of a failing submission are drawn from. Never a hidden input's."""

    pictures: tuple[Picture, ...] = ()
    losses: Curve | None = None


class Isolation(Record):
    level: str  # "L1" .. "L4"
    detail: str


class Flag(Record):
    """Something a human should look at."""

    kind: str  # "tampering", "review", "unreadable", "extra-file"
    detail: str


class Digests(Record):
    submission: str  # sha256 of the bytes graded
    course: str
    grader: str


class Grade(Record):
    """One student's result for one assignment."""

    schema_: Literal["autograder/grade/v1"] = Field(default="autograder/grade/v1", alias="schema")
    student: str
    assignment: str
    score: float
    max_score: float
    checks: tuple[CheckGrade, ...]
    isolation: Isolation
    flags: tuple[Flag, ...] = ()
    figures: Figures | None = None  # only where something failed
    digests: Digests

    def for_student(self, detail: Detail) -> Grade:
        """The same with as much of each diagnosis as a course shows its students."""
        checks = tuple(
            check.model_copy(update={"diagnosis": check.diagnosis and check.diagnosis.at(detail)})
            for check in self.checks
        )
        return self.model_copy(update={"checks": checks})

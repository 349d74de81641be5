"""What an audit found, as data. No time is in it: the same course gives the same bytes."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field


@dataclass
class Reference:
    score: float
    max_score: float
    forwards: int  # of all checks together
    backwards: int
    runs: int  # of correct layers, the reference and the styles by turns, each with its own seed and shapes
    worst: float  # largest relative error of a gradient in them
    worst_layer: str
    false_fails: list[str] = field(default_factory=list)


@dataclass
class Styles:
    total: int
    accepted: int
    refused: list[str] = field(default_factory=list)


@dataclass
class Mistakes:
    total: int
    killed: int
    by_check: dict[str, int]  # check -> how many mistakes lose points in it
    only: dict[str, list[str]]  # check -> the mistakes that lose points nowhere else
    wrong: list[str] = field(
        default_factory=list
    )  # one sentence a mistake that is not caught where it should be
    lesson: int = 0  # how many keep full marks if only the lesson's three tests run


@dataclass
class Survivor:
    kind: str
    method: str
    line: int
    before: str
    after: str
    diff: str


@dataclass
class Mutants:
    generated: int
    killed: int
    same: int  # the reference's bits in every life
    listed: int  # equivalent by hand, in equivalents.toml
    survivors: list[Survivor]
    wrongly_listed: list[str] = field(default_factory=list)
    lesson: int = 0  # how many of the killed ones keep full marks if only the lesson's three tests run


@dataclass
class Margin:
    """Room around the gradient check's threshold, at the inputs that are graded."""

    threshold: float
    worst_correct: float
    worst_layer: str
    smallest_wrong: float | None  # of layers whose forward is right: there the gradient check has to tell
    smallest_layer: str

    @property
    def decades(self) -> float | None:
        if not self.smallest_wrong or not self.worst_correct:
            return None
        return round(math.log10(self.smallest_wrong / self.worst_correct), 1)


@dataclass
class Audit:
    assignment: str
    missing: list[str]  # what an assignment still has to have, a sentence each
    reference: Reference | None = None
    stub: float | None = None  # its score
    styles: Styles | None = None
    mistakes: Mistakes | None = None
    mutants: Mutants | None = None
    margin: Margin | None = None
    faults: list[str] = field(default_factory=list)  # layers on which the grader itself broke

    def findings(self, decades: float) -> list[str]:
        """One sentence for each thing that is not as it has to be; empty when all is well."""
        found = list(self.missing)
        if self.reference is not None:
            if self.reference.score < self.reference.max_score:
                found.append(
                    f"the reference has {self.reference.score:g} of {self.reference.max_score:g} points"
                )
            found += [f"false fail: {text}" for text in self.reference.false_fails]
        if self.stub:
            found.append(f"the stub has {self.stub:g} points; expected 0")
        if self.styles is not None:
            found += [f"a correct style is refused: {text}" for text in self.styles.refused]
        if self.mistakes is not None:
            found += self.mistakes.wrong
        if self.mutants is not None:
            found += [f"line {s.line}: {s.before!r} may become {s.after!r}" for s in self.mutants.survivors]
            found += self.mutants.wrongly_listed
        room = self.margin.decades if self.margin is not None else None
        if room is not None and room < decades:
            found.append(f"{room:g} decades between the worst correct and the smallest wrong figure; "
                         f"expected at least {decades:g}")  # fmt: skip
        return found + [f"the grader itself broke: {text}" for text in self.faults]

    def json(self, decades: float) -> str:
        margin = None if self.margin is None else {**asdict(self.margin), "decades": self.margin.decades}
        document = {"schema": "autograder/audit/v1", **asdict(self), "margin": margin}
        return json.dumps({**document, "findings": self.findings(decades)}, indent=2, ensure_ascii=False)

"""What is wrong with a value, in the order in which a person would look: None, type, axes, dtype, shape,
finite, values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..grade.model import Evidence
from ..layer import Described, NotRun, Raised, Results
from . import fingerprint
from .pattern import pattern
from .questions import Array, Question, Questions

MOST = 4  # lines of evidence for one check
RANKS = ("raised", "missing", "None", "type", "axes", "dtype", "shape", "finite", "values", "state")


@dataclass(frozen=True)
class Fault:
    """One wrong answer."""

    question: Question
    rank: int  # in RANKS
    text: str
    raised: Raised | None = None
    predicate: str = ""  # of wrong values: what follows "dWq is"

    @property
    def is_none(self) -> bool:
        return RANKS[self.rank] == "None"


class Findings:
    """The answers of a submission beside the right ones."""

    def __init__(self, questions: Questions, results: Results, right: Results, changed: dict[str, Any]):
        self.questions, self.results, self.right, self.changed = questions, results, right, changed
        first = [q for q in questions.asked if q.prefix in ("first", "cache") and q.key != "cache.cache"]
        self.others = {
            q.tensor: value for q in first if isinstance(value := self._value(right, q), np.ndarray)
        }

    def _value(self, results: Results, question: Question) -> Any:
        value = results[question.ref]
        if question.how == "entry" and isinstance(value, (tuple, list)) and question.extra < len(value):
            return value[question.extra]
        return value

    def faults(self, check: str) -> list[Fault]:
        """What is wrong at the first place where this check's answers are, gravest first."""
        wrong = [q for q in self.questions.asked if q.check == check and q.key in self.changed]
        wrong = [q for q in wrong if not self._repeats(q.key)]
        # What is wrong from the start is wrong later too: first what is only wrong later.
        wrong.sort(key=lambda q: q.prefix != "first" and f"first.{q.tensor}" in self.changed)
        found: list[Fault] = []
        for question in wrong:
            if (not found or question.when == found[0].question.when) and (fault := self.fault(question)):
                found.append(fault)
        # Of gradients, those of parameters before the input's: they say more about where a fault is.
        return sorted(found, key=lambda f: (f.rank, f.question.tensor == self.questions.dinput))

    def _repeats(self, key: str) -> bool:
        """Whether this is a wrong first answer, given again."""
        base = self.questions.base.get(key, "")
        return base in self.changed and fingerprint.apart(self.changed[key], self.changed[base]) < 1e-9

    def fault(self, question: Question) -> Fault | None:
        yours, expected = self._value(self.results, question), self._value(self.right, question)
        name, when = question.tensor, f" {question.when}" if question.when else ""
        if isinstance(yours, NotRun) or self.changed.get(question.key) == "not run":
            return None
        if isinstance(yours, Raised):
            return self._raised(question, yours)
        if question.how == "changed":
            return Fault(
                question, RANKS.index("state"), f"NumPy's global generator has moved on {when.strip()}"
            )
        if not isinstance(expected, np.ndarray):
            return self._unlike(question, yours, expected)
        wanted = f"({', '.join(map(str, self.axes(question)))}) = {expected.shape}"

        def fault(rank: str, text: str, predicate: str = "") -> Fault:
            return Fault(question, RANKS.index(rank), f"{name} {text}{when}", None, predicate)

        if yours is None:
            return fault("None", f"is None; expected an array {wanted}")
        if type(yours) is not np.ndarray:
            return fault("type", f"is {kind(yours)}; expected an array {wanted}")
        if yours.ndim != expected.ndim:
            return fault("axes", f"has {yours.ndim} axes, {yours.shape}; expected {expected.ndim}, {wanted}")
        if yours.dtype != expected.dtype:
            return fault("dtype", f"{yours.shape} has dtype {yours.dtype}; expected {expected.dtype}")
        if yours.shape != expected.shape:
            turned = ", the transpose of what is" if yours.T.shape == expected.shape else ";"
            return fault("shape", f"has shape {yours.shape}{turned} expected, {wanted}")
        if not np.isfinite(yours).all():
            at = tuple(int(i) for i in np.argwhere(~np.isfinite(yours))[0])
            return fault("finite", f"{yours.shape} is not finite, first at {at}: {yours[at]}")
        if not np.isfinite(expected).all():
            return None
        return self._values(question, yours, expected, when)

    def axes(self, question: Question) -> Sequence[str | int]:
        return self.questions.axes.get(question.tensor, ())

    def _values(self, question: Question, yours: Array, expected: Array, when: str) -> Fault:
        apart = np.abs(yours - expected)
        at = tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), apart.shape))
        scale = float(np.max(np.abs(expected)))
        error = f"relative error {float(apart[at]) / scale:.1e}" if scale else "not zero"
        said = pattern(yours, expected, self.axes(question), self.questions.main, self.others)
        text = (
            f"{question.tensor} {yours.shape}{when}: {error}, worst at {at}: "
            f"yours {yours[at]:.4g}, expected {expected[at]:.4g}"
        )
        return Fault(question, RANKS.index("values"), text, None, said)

    def _raised(self, question: Question, yours: Raised) -> Fault:
        _, _, name, *_ = (*self.questions.script.ops[question.ref.index], "", "")
        if yours.kind == "missing":
            return Fault(question, RANKS.index("missing"), f"the layer has no {yours.name}", yours)
        if yours.kind == "unsettable":
            text = f"{yours.name} cannot be set in place: it is not an array of the expected shape"
            return Fault(question, RANKS.index("raised"), text, yours)
        message = " ".join(yours.message.split())[:160]
        text = f"{name or question.tensor} stops with {yours.name}: {message}".rstrip(": ")
        return Fault(question, RANKS.index("raised"), f"{text} {question.when}".rstrip(), yours)

    def _unlike(self, question: Question, yours: Any, expected: Any) -> Fault | None:
        """Where no array is expected: a cache of another form, a gradient that zero_grad left."""
        name, when = question.tensor, f" {question.when}" if question.when else ""
        if isinstance(expected, (tuple, list)):
            text = f"{name} is {kind(yours)}{when}; expected a tuple of {len(expected)}"
            return Fault(question, RANKS.index("type"), text)
        if question.how == "cleared" and isinstance(yours, np.ndarray):
            left = float(np.max(np.abs(yours), initial=0.0))
            shaped = f"largest entry {left:.4g}" if left else f"zeros of shape {yours.shape}"
            text = (
                f"{name} is not forgotten{when}: {shaped}; expected None, or zeros of the parameter's shape"
            )
            return Fault(question, RANKS.index("values"), text)
        text = f"{name} is {kind(yours)}{when}; expected {kind(expected)}"
        return Fault(question, RANKS.index("type"), text)


def kind(value: Any) -> str:
    """What a value is, in a few words."""
    if value is None:
        return "None"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, np.ndarray):
        return f"an array {value.shape}"
    if isinstance(value, Described):
        return f"a {value.kind}"
    return f"the {type(value).__name__} {value}"[:60]


def lines_of(faults: Sequence[Fault], right: Sequence[str]) -> list[str]:
    """The evidence as sentences: the first fault in full, then what the tensors have in common."""
    if not faults:
        return []
    firsts = {fault.question.tensor: fault for fault in reversed(faults)}
    faults = [fault for fault in faults if firsts[fault.question.tensor] is fault]
    lines = [faults[0].text]
    if faults[0].predicate:
        by: dict[str, list[str]] = {}
        for fault in faults:
            if fault.rank == faults[0].rank:
                by.setdefault(fault.predicate, []).append(fault.question.tensor)
        for predicate, tensors in by.items():
            if predicate:
                lines.append(f"{together(tensors)} {'is' if len(tensors) == 1 else 'are'} {predicate}.")
        if by.get(""):
            lines.append(f"{together(by[''])} {'is' if len(by['']) == 1 else 'are'} wrong without a pattern.")
    elif len(faults) > 1:
        rest = [f.question.tensor for f in faults[1:] if f.rank == faults[0].rank]
        if rest:
            lines.append(f"{together(rest)} {'is' if len(rest) == 1 else 'are'} wrong as well.")
    if right and len(lines) < MOST:
        lines.append(f"{together(right)} {'is' if len(right) == 1 else 'are'} right.")
    return lines[:MOST]


def together(names: Sequence[str]) -> str:
    """`dWq`, `dWq and dWk`, `dWq, dWk and dX`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def measured(evidence: Sequence[Evidence]) -> list[str]:
    """The same from a check's own evidence, where the diagnosis' questions show nothing."""
    for e in evidence:
        if e.verdict == "failed" and e.at is not None and e.yours is not None and e.expected is not None:
            return [
                f"{e.tensor} {e.shape}: {e.measure} {e.value}, worst at {e.at}: yours {e.yours:g}, "
                f"expected {e.expected:g}"
            ]
    return []

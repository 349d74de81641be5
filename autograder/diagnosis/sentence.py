"""A diagnosis as at most 11 lines of text: evidence, line, name, next step, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..grade.model import Detail, Diagnosis, Line
from ..reports.inert import inert
from ..submission import Source

MOST = 11  # with the line of the check itself, 12
SHOWN = 4  # lines of the submission


@dataclass(frozen=True)
class Said:
    """What there is to say of one check."""

    evidence: Sequence[str] = ()
    lines: Sequence[Line] = ()
    decided: bool = False  # the fault is on all of these lines, not on one of them
    calls: str = ""  # "called on line 34"
    names: Sequence[str] = ()  # sentences
    next: str = ""
    mistakes: tuple[tuple[str, ...], ...] = ()
    hints: tuple[str, ...] = ()


def compose(source: Source, said: Said) -> Diagnosis:
    """The diagnosis, every line of it harmless to print."""
    told: list[tuple[str, Detail]] = [(text, "evidence") for text in said.evidence]
    told += [(text, "line") for text in _lines(source, said)]
    told += [(text, "name") for text in said.names]
    if said.next:
        told = told[: MOST - 1]
        told.append((f"Next: {said.next}", "hints"))
    told = told[:MOST]
    return Diagnosis(
        mistakes=said.mistakes,
        lines=tuple(said.lines[:SHOWN]),
        sentence="\n".join(inert(text) for text, _ in told),
        kinds=tuple(kind for _, kind in told),
        hints=said.hints,
    )


def _lines(source: Source, said: Said) -> list[str]:
    shown = said.lines[:SHOWN]
    texts = [f"{_capital(source.where(line.number))}: {line.text}" for line in shown]
    if said.calls and texts:
        texts[0] += f"  ({said.calls})"
    if len(shown) == 1 and shown[0].proved:
        texts.append("With another value on this line, and nothing else changed, everything is right.")
    elif len(shown) > 1 and any(line.proved for line in shown):
        texts.append(
            "With another value on one of these lines, and nothing else changed, everything is right."
        )
    elif len(shown) > 1 and not said.decided:
        texts.append("The evidence does not decide between these lines.")
    return texts


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def readable(name: str, kinds: Sequence[str] = ("forward", "backward", "state", "zero-grad", "init")) -> str:
    """A mistake's name in words: `backward-scale-missing` is "scale missing" (backward)."""
    for kind in kinds:
        if name.startswith(kind + "-"):
            return f'"{name[len(kind) + 1 :].replace("-", " ")}" ({kind.replace("-", "_")})'
    return f'"{name.replace("-", " ")}"'

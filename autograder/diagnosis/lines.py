"""Where the fault is: the lines of a submission that the evidence allows, and the fault in formula terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..checks.problem import Problem
from ..grade.model import Line
from ..layer import Stopped, WalledLayer
from .derivation import Derivation, derivation
from .locate import confirmed, locate
from .watching import PARTS, Unusable, Watched


@dataclass(frozen=True)
class LineFinding:
    """What was found. The text of a line is empty: the caller has the submission's bytes and fills it in."""

    lines: tuple[Line, ...] = ()  # best first; several where the evidence does not decide
    words: tuple[str, ...] = ()  # the fault in terms of the derivation, cheapest explanation first
    tensors: tuple[str, ...] = ()  # the tensors that are wrong


def find_lines(
    make_layer: Callable[[], WalledLayer], problem: Problem, *, budget_seconds: float
) -> LineFinding:
    """The lines that a submission's fault can be on.

    `make_layer` gives a layer with a worker of its own. Empty when nothing is wrong, when the file
    does not load, and when the worker ends early: whatever a student does, nothing is raised.
    Raises ValueError when the reference itself does not run.
    """
    known = derivation(problem)
    layer = make_layer()
    try:
        with np.errstate(all="ignore"):  # what a layer answers may overflow anything
            return _found(Watched(layer, budget_seconds), known)
    except (Unusable, Stopped):
        return LineFinding()
    finally:
        layer.close()


def _found(watched: Watched, known: Derivation) -> LineFinding:
    for program in known.programs:
        record = watched.record(program, PARTS)
        if (record.errors > program.limit).any():
            break
    else:
        return LineFinding()
    located = locate(watched, program, record)
    other = known.confirmation.get(program.name)
    proved = confirmed(watched, located, other) if other else set()
    tensors = tuple(dict.fromkeys(program.watched[i][0] for i in sorted(located.wrong)))
    numbers = [unit.at.line for place in located.places for unit in place.units]
    if not numbers and record.raised is not None:
        numbers = list(record.raised.lines[-1:])
    lines = [Line(number=n, text="", proved=n in proved) for n in dict.fromkeys(numbers) if n > 0]
    return LineFinding(tuple(lines), (), tensors)

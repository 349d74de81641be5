"""The checks, one room each: `forward`, `gradcheck`, `monotone_loss`, `zero_grad`, `contract`."""

from __future__ import annotations

from typing import Any

from ..course import Assignment
from .contract import ContractCheck
from .forward import ForwardCheck
from .gradcheck import GradientCheck
from .monotone_loss import MonotoneLossCheck
from .outcome import Check
from .problem import Problem
from .zero_grad import ZeroGradCheck

KINDS: dict[str, Any] = {
    kind.id: kind for kind in (ForwardCheck, GradientCheck, MonotoneLossCheck, ZeroGradCheck, ContractCheck)
}


def prepare(assignment: Assignment, reference: bytes) -> list[Check]:
    """The assignment's checks with all their inputs and expected values, made once for a class.

    Raises ValueError when the reference does not define its class.
    """
    problem = Problem(assignment, reference)
    return [KINDS[name](problem, spec) for name, spec in assignment.checks.present.items()]

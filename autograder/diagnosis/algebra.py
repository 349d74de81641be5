"""The fault in formula terms: which single change of a step of the derivation gives the value that was found.

No list of mistakes is needed. The reference's own expression for the right value is changed in one place
at a time and evaluated on the recorded values; a change that gives the student's numbers, in whatever
order, describes the fault. Words name quantities and kinds of change, never code: what has to be written
instead is for the student to work out.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..layer import Array
from .constants import constant
from .derivation import Derivation
from .edits import Steps, edits
from .programs import Program, Value

LEVELS = 2  # how many steps of the derivation one line of a student may hold
CLOSE = 1e-8


def described(known: Derivation, program: Program, found: Array, right: Value) -> list[str]:
    """Words for how `found` differs from what belongs in its place; the cheapest explanations, or none."""
    result = next(
        (t for t, _ in program.watched if (e := expected(program, t)) is not None and alike(e, right.array)),
        "",
    )
    name = right.name or result or right.owner or "the value"
    if not np.isfinite(found).all():
        return [f"{name} is not finite"]
    if not found.any():
        return [f"{name} is zero everywhere"]
    ratio = factor(known, found, right.array)
    if ratio:
        return [f"{name} is {ratio} times what the derivation gives"]
    for level in range(LEVELS + 1):
        words = [
            t.format(name=name) for t, value in variants(known, program, right, level) if alike(found, value)
        ]
        if words:
            return list(dict.fromkeys(words))[:3]
    return other(program, found, right, name)


def variants(known: Derivation, program: Program, right: Value, level: int) -> list[tuple[str, Array]]:
    """What every single change of the steps that give `right` gives instead.

    Worked out once for all submissions.
    """
    key = (program.name, right.site, right.run, level)
    if key not in known.variants:
        steps = Steps(known, program, right.operation)
        expressions: dict[str, ast.expr] = {}
        for site in right.sites:
            expression = steps.expression(site, level)
            if expression is not None:
                expressions.setdefault(ast.dump(expression), expression)
        found = []
        for expression in expressions.values():
            for text, changed in edits(expression, steps):
                value = steps.value(changed)
                if not isinstance(value, (np.ndarray, np.floating)) or value.dtype.kind != "f":
                    continue
                if not np.array_equal(value, right.array):  # what changes nothing explains nothing
                    found.append((text, np.asarray(value)))
        known.variants[key] = found
    return known.variants[key]


def expected(program: Program, tensor: str) -> Array | None:
    """What a watched result should be."""
    for (name, _), (value, _) in zip(program.watched, program.expected, strict=True):
        if name == tensor:
            return value if isinstance(value, np.ndarray) else None
    return None


def factor(known: Derivation, found: Array, right: Array) -> str:
    """The constant, with its name where a size or its root explains it, or ""."""
    if found.size != right.size or found.size < 2:
        return ""
    for sign, mine in ((1.0, np.sort(found, axis=None)), (-1.0, -np.sort(found, axis=None)[::-1])):
        theirs = np.sort(right, axis=None)
        ratio = sign * float(np.linalg.norm(mine) / np.linalg.norm(theirs))
        if abs(ratio - 1.0) > 1e-6 and np.allclose(mine, abs(ratio) * theirs, rtol=1e-7, atol=1e-12):
            return constant(known.sizes, ratio)
    return ""


def other(program: Program, found: Array, right: Value, name: str) -> list[str]:
    """Another value of the derivation stands there, or only a part of the right one."""
    for value in program.values:
        if value.name and value.name != right.name and alike(found, value.array):
            return [f"the value here is {value.name}, where the derivation has {name}"]
    if found.shape == right.array.shape:
        same = np.isclose(found, right.array, rtol=1e-8, atol=1e-12)
        for axis in range(found.ndim):
            whole = same.all(axis=tuple(a for a in range(found.ndim) if a != axis))
            if whole.any() and not whole.all():
                kept = ", ".join(str(i) for i in np.flatnonzero(whole)[:4])
                return [f"{name} is right only at index {kept} of axis {axis}"]
        with np.errstate(all="ignore"):
            for value in program.values:
                if value.name and value.array.shape == found.shape:
                    for sign, text in ((1.0, "too much"), (-1.0, "missing")):
                        if alike(found - right.array, sign * value.array):
                            return [f"{name} has the term {value.name} {text}"]
    return []


def alike(found: Array, value: Any) -> bool:
    """Whether two arrays hold the same numbers, whatever their axes."""
    if not isinstance(value, (np.ndarray, np.floating)) or np.size(value) != found.size:
        return False
    mine, theirs = np.sort(found, axis=None), np.sort(np.asarray(value, dtype=float), axis=None)
    scale = float(np.max(np.abs(theirs), initial=0.0))
    return bool(np.isfinite(scale) and np.max(np.abs(mine - theirs), initial=0.0) <= CLOSE * scale)

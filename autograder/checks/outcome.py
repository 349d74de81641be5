"""What a check gives: one outcome a part, numbers as evidence, and the arrays they were read from."""

from __future__ import annotations

import builtins
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..grade.model import Evidence, Verdict
from ..layer import Described, Layer, NotRun, Raised, Ref, Results, Stopped

RANK: tuple[Verdict, ...] = (
    "grader-fault", "tampering", "crash", "memory", "timeout", "import", "error", "failed",
    "skipped", "passed",
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One thing that a check pays points for."""

    id: str
    points: float


@dataclass
class Outcome:
    """A check's evidence, in the order of its parts."""

    evidence: list[Evidence] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of the parts."""
        return min((e.verdict for e in self.evidence), key=RANK.index, default="passed")


class Check(Protocol):
    id: str
    parts: tuple[Part, ...]

    def run(self, layer: Layer, passed: Collection[str] = ()) -> Outcome:
        """Judge a layer that has `passed` the checks of these ids before. Raises Stopped."""
        ...


def largest(array: Any) -> float:
    """The largest entry by size; 0 of an empty array."""
    return float(np.abs(array).max(initial=0))


def rounded(value: float) -> float:
    """Two significant digits: the rest of an error figure is the machine's rounding."""
    return float(f"{value:.1e}") if np.isfinite(value) else value


def finite(value: float) -> float | str:
    """A number that JSON can hold, else its name."""
    return rounded(value) if np.isfinite(value) else str(value)


def judged(part: Part, findings: list[dict[str, Any]], passing: dict[str, Any] | None = None) -> Evidence:
    """Evidence of one part: the first finding against it, else `passing` with its points."""
    if findings:
        return Evidence(
            part=part.id, points=0.0, max_points=part.points, **{"verdict": "failed", **findings[0]}
        )
    return Evidence(
        part=part.id, verdict="passed", points=part.points, max_points=part.points, **(passing or {})
    )


def stopped(parts: tuple[Part, ...], error: Stopped) -> list[Evidence]:
    """Evidence for every part when the worker ended within the check."""
    verdict: Verdict = error.verdict  # type: ignore[assignment]
    return [
        Evidence(
            part=p.id, verdict=verdict, points=0.0, max_points=p.points, measure="process", value=error.detail
        )
        for p in parts
    ]  # fmt: skip


def skipped(parts: tuple[Part, ...], reason: str) -> list[Evidence]:
    """Evidence for every part of what depends on a failed check."""
    return [
        Evidence(
            part=p.id, verdict="skipped", points=0.0, max_points=p.points, measure="depends on", value=reason
        )
        for p in parts
    ]  # fmt: skip


# Names of exceptions that may be printed: a submission's own could carry anything.
KNOWN = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)  # fmt: skip


def exception(value: Raised) -> dict[str, Any]:
    """A finding for an exception: its kind, a name that is safe to print, the student's own line."""
    line = value.lines[-1] if value.lines and 0 < value.lines[-1] < 1_000_000 else None
    if value.kind == "import":
        return {"verdict": "import", "measure": "module", "value": identifier(value.name), "line": line}
    if value.kind in ("missing", "unsettable", "shape"):
        return {"measure": value.kind, "value": identifier(value.name), "line": line}
    if value.kind == "memory":
        return {"verdict": "memory", "measure": "exception", "value": "MemoryError", "line": line}
    name = value.name if value.name in KNOWN else "an exception of its own"
    return {"verdict": "error", "measure": "exception", "value": name, "line": line}


def identifier(text: str) -> str:
    """A dotted name if that is what it is, and nothing else."""
    return text if len(text) <= 60 and text.isascii() and text.replace(".", "_").isidentifier() else "unknown"


def structure(value: Any, tensor: str, shape: tuple[int, ...] | None) -> dict[str, Any] | None:
    """A finding if `value` is not a float64 array of `shape`, in the order a person would look; else None."""
    if type(value) is not np.ndarray:
        return {"tensor": tensor, **_no_array(value)}
    if value.dtype.kind not in "fiu":
        return {"tensor": tensor, "measure": "dtype", "value": value.dtype.name, "limit": "float64"}
    if shape is not None and value.shape != shape:
        found = sized(value.shape)
        return {"tensor": tensor, "measure": "shape", "value": found, "limit": "x".join(map(str, shape))}
    if not np.isfinite(value).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
        return {
            "tensor": tensor,
            "measure": "finite",
            "value": str(value[at]),
            "shape": value.shape,
            "at": at,
        }
    return None


def _no_array(value: Any) -> dict[str, Any]:
    if isinstance(value, Raised):
        return exception(value)
    if isinstance(value, NotRun):
        return {"verdict": "skipped", "measure": "depends on", "value": "an earlier call"}
    if value is None:
        kind = "None"
    else:
        kind = identifier(value.kind) if isinstance(value, Described) else type(value).__name__
    return {"measure": "type", "value": kind, "limit": "ndarray"}


def sized(shape: tuple[int, ...]) -> str:
    """A shape in words; one that no honest layer has is not told, for its numbers could say anything."""
    if len(shape) > 4:
        return f"of {len(shape)} dimensions"
    return "x".join(str(n) if n < 10_000 else "(over 9999)" for n in shape) or "scalar"


def cause(results: Results, ref: Ref) -> dict[str, Any] | None:
    """The exception of the same group that kept an operation from running."""
    for index in range(ref.index, -1, -1):
        value = results[Ref(index)]
        if isinstance(value, Raised):
            return structure(value, "", None)
    return None


def because(wrong: dict[str, Any], results: Results, ref: Ref) -> dict[str, Any]:
    """A finding as it is, or the exception behind it where the operation did not run."""
    return (cause(results, ref) or wrong) if wrong.get("verdict") == "skipped" else wrong


def difference(
    yours: Any, expected: Any, tensor: str, limit: float, measure: str = "relative error"
) -> dict[str, Any]:
    """How far `yours` is from `expected`, against their tensor's largest entry, and where most."""
    # float64, whatever crossed: float32 differences would be rounded away
    yours, expected = np.asarray(yours, dtype=float), np.asarray(expected, dtype=float)
    apart = np.abs(yours - expected)
    scale = max(largest(expected), 1e-300)
    error = float(apart.max(initial=0)) / scale
    found: dict[str, Any] = {"tensor": tensor, "measure": measure, "value": finite(error), "limit": limit}
    if not error <= limit:
        at = tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), apart.shape))
        found |= {
            "shape": yours.shape, "at": at, "yours": rounded4(yours[at]), "expected": rounded4(expected[at]),
        }  # fmt: skip
    return found


def rounded4(value: Any) -> float:
    return float(f"{float(value):.4g}")


def against(
    yours: Any, expected: Any, tensor: str, limit: float
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """(finding or None, measured) for an array that should equal `expected`."""
    wrong = structure(yours, tensor, expected.shape)
    if wrong:
        return wrong, wrong
    measured = difference(yours, expected, tensor, limit)
    return (measured if "at" in measured else None), measured

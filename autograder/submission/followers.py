"""Attempts of one moment, such as a minute of a platform's clock, in the order in which they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .model import Refusal, Submission


def followed(attempts: Sequence[Submission | Refusal]) -> list[Submission | Refusal]:
    """A student's attempts in order, each with its `followers`. The same file of one moment comes once."""
    result = []
    for number, item in enumerate(attempts, 1):
        later = [_digest(other) for other in attempts[number:] if other.submitted_at == item.submitted_at]
        if _digest(item) not in later:
            result.append(replace(item, followers=tuple(dict.fromkeys(later))))
    return result


def _digest(item: Submission | Refusal) -> str:
    return "" if isinstance(item, Refusal) else item.source.digest

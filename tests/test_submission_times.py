"""Moments as platforms write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from autograder.submission.times import spoken, stamp


@pytest.mark.parametrize(
    "text, moment",
    [
        ("2026-02-02 15:58:23.948203 UTC", datetime(2026, 2, 2, 15, 58, 23, 948203, tzinfo=UTC)),
        ("2026-02-02T15:58:23", datetime(2026, 2, 2, 15, 58, 23, tzinfo=UTC)),
        ("2026-02-02 15:58:23.5 +0530\n", datetime(2026, 2, 2, 10, 28, 23, 500000, tzinfo=UTC)),
        ("2026-02-02 15:58:23 ../../etc/passwd", None),
        ("2026-02-02 15:58:23 Nowhere/City", None),
        ("2026-02-30 15:58:23", None),
        ("9999-12-31 23:59:59 -0500", None),
        ("", None),
    ],
)
def test_time_stamps(text: str, moment: datetime | None) -> None:
    assert stamp(text) == moment


@pytest.mark.parametrize(
    "text, moment",
    [
        ("May 18, 2026 1224 PM", datetime(2026, 5, 18, 12, 24)),
        ("September 1, 2026 930 AM", datetime(2026, 9, 1, 9, 30)),
        ("Sept 1 2026 9:05 PM", datetime(2026, 9, 1, 21, 5)),
        ("Dec 31, 2026 1200 AM", datetime(2026, 12, 31)),
        ("Jan 1, 2026 1 AM", datetime(2026, 1, 1, 1)),
        ("Jan 1, 2026 12 PM", datetime(2026, 1, 1, 12)),
        ("Jan 1, 2026 1300 PM", None),
        ("Feb 30, 2026 100 PM", None),
        ("Mai 1, 2026 100 PM", None),
        ("r f 1, 2026 100 PM", None),
    ],
)
def test_spoken_times(text: str, moment: datetime | None) -> None:
    assert spoken(text) == moment

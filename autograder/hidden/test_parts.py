"""One item a check part."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autograder.hidden.conftest import Judged


def test_part(check: str, part: str, judged: Judged, record_property: Callable[[str, object], None]) -> None:
    evidence = judged.evidence[check, part]
    record_property("points", evidence.points)
    record_property("max_points", evidence.max_points)
    if evidence.verdict == "passed":
        return
    message = judged.message(evidence)
    if evidence.verdict == "skipped" and judged.reason is None:
        pytest.skip(message)
    pytest.fail(message, pytrace=False)

"""Progress: count, rate, time left, failures so far; the grades pass through unchanged."""

import re
from types import SimpleNamespace

import pytest

from autograder.cli import progress

FAULT = (SimpleNamespace(kind="grader-fault"),)


def graded(count, below=(), faults=()):
    for number in range(count):
        bad = number in below or number in faults
        grade = SimpleNamespace(score=0 if bad else 10, max_score=10, flags=FAULT if number in faults else ())
        yield number, grade


def test_lines_where_there_is_no_terminal(capsys):
    found = list(progress.tracked(graded(25, below={0, 1, 20}, faults={5}), 25, quiet=False))
    assert [number for number, _ in found] == list(range(25))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 9  # every third, and the last
    assert re.fullmatch(r"graded 3 of 25, [\d.]+/s, \d+ s left, 2 below full marks", lines[0])
    assert re.fullmatch(r"graded 6 of 25, [\d.]+/s, \d+ s left, 2 below full marks, 1 not graded", lines[1])
    assert re.fullmatch(r"graded 25 of 25, [\d.]+/s, 3 below full marks, 1 not graded", lines[-1])


@pytest.mark.parametrize("quiet", [False, True])
def test_a_bar_on_a_terminal_also_where_lines_would_disturb(capsys, monkeypatch, quiet):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    bars = []
    bar = progress._bar
    monkeypatch.setattr(progress, "_bar", lambda *given: bars.append(given[1]) or bar(*given))
    found = list(progress.tracked(graded(25, below={3}), 25, quiet=quiet))
    assert [number for number, _ in found] == list(range(25))
    assert bars == [25]


@pytest.mark.parametrize(("count", "quiet"), [(1, False), (25, True)])
def test_nothing_is_said_of_one_or_where_it_would_disturb(capsys, count, quiet):
    assert len(list(progress.tracked(graded(count), count, quiet=quiet))) == count
    assert capsys.readouterr().err == ""

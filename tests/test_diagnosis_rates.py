"""How often the diagnosis is right, on a sample; `make diagnosis` asks everything."""

import numpy as np
import pytest
from diagnosis_report import LEVEL, WAYS, Oracle, Report, chosen, submission
from judging import COURSE, NAME

from autograder.grade.grader import Grader

EVERY, PAIRS = 24, 8  # 8 known mistakes, each written in four ways; 50 mutants; pairs drawn with seed 0


@pytest.fixture(scope="module")
def report():
    found, oracle = Report(), Oracle()
    with np.errstate(all="ignore"), Grader(COURSE, NAME, level=LEVEL) as grader:
        for case in chosen(("known", "pairs", "mutants"), EVERY, PAIRS):
            found.add(case, grader.grade(submission(case.source)), oracle)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_known_mistakes_are_named_and_their_line_is_found(report, way):
    count = report.counts[way]
    assert count["all"] == 8
    assert count["named"] == 8, report.misses
    assert count["line"] >= 7, report.misses


def test_of_a_mutant_the_line_is_found_and_no_false_name_given(report):
    count = report.counts["mutants"]
    assert count["unknown"] >= 25
    assert count["false name"] == 0, report.misses
    assert count["line"] >= 0.9 * count["all"], report.misses


def test_of_a_pair_both_are_named_or_both_lines_found(report):
    count = report.counts["pairs"]
    assert count["named or line"] >= 0.8 * count["all"] > 5, report.misses

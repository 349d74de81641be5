"""What a person changes about a score, for good, and how it is taken back."""

import sqlite3
from datetime import timedelta

import pytest
from gradebooks import DUE, grade, made_from, put, scores

from autograder.gradebook import Gradebook, GradebookError, schema
from autograder.gradebook.policy import utc
from autograder.gradebook.undo import undo


def test_adjustments_apply_in_order_and_survive_regrading(gradebook):
    put(gradebook, grade(points=10))
    gradebook.adjust("ada", "attention", points=0.1, reason="typo in the handout", name="T. Lee", at=DUE)
    gradebook.adjust("ada", "attention", points=0.2, reason="again", name="T. Lee", at=DUE)
    put(gradebook, grade(points=12, grader="g2"))
    put(gradebook, grade(points=20, submission="s2"))
    (found,) = gradebook.grades("attention")
    assert found.score == 20.3
    assert found.checks == grade(points=20).checks
    assert [(flag.kind, flag.detail) for flag in found.flags] == [
        ("adjusted", "+0.1 points: typo in the handout (T. Lee, 2026-03-01)"),
        ("adjusted", "+0.2 points: again (T. Lee, 2026-03-01)"),
    ]
    assert gradebook.has("ada", "attention", made_from(submission="s2")) == grade(points=20, submission="s2")
    gradebook.adjust("ada", "attention", override=5, reason="oral", name="T. Lee", at=DUE)
    gradebook.adjust("ada", "attention", points=-7, reason="copied", name="T. Lee", at=DUE)
    assert scores(gradebook) == {"ada": 0}
    assert [change.kind for change in gradebook.adjustments("ada", "attention")] == [
        "add",
        "add",
        "set",
        "add",
    ]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({}, "either points to add or the score to set"),
        ({"points": 1, "override": 2}, "either points to add or the score to set"),
        ({"points": float("nan")}, "a finite number"),
        ({"override": -1}, "at least 0, not -1"),
        ({"points": 1, "reason": " "}, "needs a reason and the name"),
        ({"points": 1, "name": ""}, "needs a reason and the name"),
        ({"points": 1.7e308}, r"at most 10 times what the assignment is worth, 400 points, not 1\.7e\+308"),
        ({"points": -401}, "400 points, not 401"),
        ({"override": 401}, "400 points, not 401"),
    ],
)
def test_an_adjustment_that_says_too_little_is_refused(gradebook, change, error):
    put(gradebook, grade(points=1))
    with pytest.raises(ValueError, match=error):
        gradebook.adjust("ada", "attention", **{"reason": "r", "name": "n", "at": DUE, **change})
    assert scores(gradebook) == {"ada": 1}


def test_an_adjustment_is_taken_back_by_its_opposite(gradebook):
    put(gradebook, grade(points=30))
    for points in (-200, 200):
        gradebook.adjust("ada", "attention", points=points, reason="slip", name="T. Lee", at=DUE)
    assert scores(gradebook) == {"ada": 30}


def test_what_is_taken_back_has_no_effect_and_stays_on_record(gradebook):
    put(gradebook, grade(points=30))
    for points in (5, -2):
        gradebook.adjust("ada", "attention", points=points, reason="typo", name="T. Lee", at=DUE)
    back = {"reason": " slip ", "name": "J. Novak", "at": DUE + timedelta(days=1)}
    with pytest.raises(ValueError, match="needs a reason and the name"):
        undo(gradebook, "ada", "attention", **{**back, "reason": " "})
    left = []
    for _ in range(2):
        undo(gradebook, "ada", "attention", **back)
        left.append(scores(gradebook)["ada"])
    assert left == [35, 30]
    with pytest.raises(ValueError, match="'ada' has no adjustment of attention that could be taken back"):
        undo(gradebook, "ada", "attention", **back)
    gradebook.adjust("ada", "attention", points=1, reason="typo", name="T. Lee", at=DUE)
    (found,) = gradebook.grades("attention")
    assert found.score == 31
    assert [(flag.kind, flag.detail) for flag in found.flags] == [
        ("taken-back", "+5 points: typo (T. Lee, 2026-03-01), taken back: slip (J. Novak, 2026-03-02)"),
        ("taken-back", "-2 points: typo (T. Lee, 2026-03-01), taken back: slip (J. Novak, 2026-03-02)"),
        ("adjusted", "+1 points: typo (T. Lee, 2026-03-01)"),
    ]


def test_adjustments_of_an_older_file_stand(tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:2])
    path = tmp_path / "gradebook.db"
    Gradebook(path).close()
    with sqlite3.connect(path) as other:
        row = ("ada", "attention", "add", 5, "typo", "T. Lee", utc(DUE))
        other.execute("INSERT INTO adjustments VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", row)
    monkeypatch.undo()
    with Gradebook(path) as gradebook:
        put(gradebook, grade(points=30))
        assert scores(gradebook) == {"ada": 35}


def test_a_score_stays_what_can_be_shown(gradebook):
    """Also where amounts were kept that are refused now."""
    put(gradebook, grade(points=30))
    for points in (390, 390):
        gradebook.adjust("ada", "attention", points=points, reason="bonus", name="T. Lee", at=DUE)
    assert scores(gradebook) == {"ada": 400}
    with sqlite3.connect(gradebook.path) as other:
        other.execute("UPDATE adjustments SET points = 1.7e308")
    assert scores(gradebook) == {"ada": 400}


def test_who_has_no_grade_cannot_be_adjusted(gradebook):
    with pytest.raises(GradebookError, match="no grade of 'eve' for 'attention'"):
        gradebook.adjust("eve", "attention", points=1, reason="r", name="n", at=DUE)

"""Figures of a failing submission: the public inputs, the right expectation, nothing where there is none."""

import numpy as np
import pytest
from judging import ASSIGNMENT, COURSE, NAME, REFERENCE

from autograder.checks.problem import Problem
from autograder.grade.figures import Artist, _picture
from autograder.layer import trusted_layer

ARTIST = Artist(Problem(ASSIGNMENT, REFERENCE.encode()))
SEEDS = [spec.hidden_seed for spec in ASSIGNMENT.checks.present.values() if hasattr(spec, "hidden_seed")]


def drawn(*changes):
    source = REFERENCE
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    with np.errstate(all="ignore"):
        return ARTIST.draw(trusted_layer(source.encode(), ASSIGNMENT.class_name))


def by_name(figures):
    return {picture.name: picture for picture in figures.pictures}


NO_SCALE_FORWARD = ("scores = scores / np.sqrt(self.hs)", "scores = scores / 1.0")
NO_SCALE_BACKWARD = ("dscores = dS / np.sqrt(self.hs)", "dscores = dS")


def test_a_right_layer_is_drawn_as_the_reference():
    figures = drawn()
    assert [(p.name, p.kind, p.shape) for p in figures.pictures] == [
        ("A", "distribution", (2, 5, 5)),
        *((name, "gradient", (8, 4)) for name in ("dWq", "dWk", "dWv")),
        ("dX", "gradient", (2, 5, 8)),
    ]
    assert all(picture.yours == picture.expected for picture in figures.pictures)
    losses = (0.6470, 0.6077, 0.5770, 0.5530, 0.5340, 0.5190, 0.5070, 0.4974, 0.4897, 0.4835)
    assert figures.losses.yours == figures.losses.expected
    assert tuple(round(loss, 4) for loss in figures.losses.yours) == losses


def test_rounding_alone_shows_no_difference():
    """Also where the digits shown turn: 1.000005 and its neighbours below."""
    expected = np.array([1.000005 - 1e-12, 2.0])
    assert f"{expected[0]:.6g}" != f"{expected[0] + 2e-12:.6g}"
    picture = _picture("A", "distribution", expected + 2e-12, expected)
    assert picture.yours == picture.expected
    figures = drawn(("out = A @ V", 'out = np.einsum("bij,bjh->bih", A, V)'))
    assert all(picture.yours == picture.expected for picture in figures.pictures)


def test_a_wrong_backward_differs_where_it_is_wrong():
    pictures = by_name(drawn(NO_SCALE_BACKWARD))
    ratio = np.array(pictures["dWq"].yours) / np.array(pictures["dWq"].expected)
    assert ratio == pytest.approx(2.0, rel=1e-3)
    assert pictures["dWv"].yours == pictures["dWv"].expected
    assert pictures["A"].yours == pictures["A"].expected


def test_gradients_of_a_wrong_forward_are_held_against_that_forward():
    """Without the scale in both, backward is right for its own forward: only A differs."""
    pictures = by_name(drawn(NO_SCALE_FORWARD, NO_SCALE_BACKWARD))
    assert pictures["A"].yours != pictures["A"].expected
    for name in ("dWq", "dWk", "dWv", "dX"):
        yours, expected = np.array(pictures[name].yours), np.array(pictures[name].expected)
        assert yours == pytest.approx(expected, abs=2e-4 * np.max(np.abs(expected)))
    assert by_name(drawn())["dWq"].expected != pictures["dWq"].expected


def test_what_is_not_finite_or_of_another_form_is_said():
    pictures = by_name(
        drawn(
            ("self.dWv = np.sum(X.transpose(0, 2, 1) @ dV, axis=0)", "self.dWv = X.transpose(0, 2, 1) @ dV")
        )
    )
    assert pictures["dWv"].yours is None
    figures = drawn(("return dX\n", "return dX * np.inf\n"))
    assert set(by_name(figures)["dX"].yours) <= {None}


@pytest.mark.parametrize("answer", ["None", "np.zeros((2, 5, 4)) * 1j", "'out'", "[]", "np.zeros((9, 9))"])
def test_a_forward_of_any_form_draws_or_not(answer):
    figures = drawn(("return out\n", f"return {answer}\n"))
    assert figures is None or by_name(figures)["A"].yours == by_name(figures)["A"].expected


def test_a_layer_that_raises_has_no_figures():
    assert drawn(("scores = Q @ K.transpose(0, 2, 1)", "scores = Q @ K")) is None


def test_the_inputs_are_the_public_ones():
    assert ASSIGNMENT.public_case() == ("lesson", 42)
    assert SEEDS and 42 not in SEEDS
    assert np.array_equal(ARTIST.X, np.random.RandomState(42).randn(2, 5, 8))
    assert COURSE.assignments[NAME] is ASSIGNMENT

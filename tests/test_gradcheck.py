"""The numerics of the gradient check: exact where they should be, never against a correct layer."""

import math
from pathlib import Path

import numpy as np
import pytest

from autograder import gradcheck
from autograder.build.stub import cut
from autograder.checks import KINDS
from autograder.checks.gradcheck import GradientCheck
from autograder.checks.problem import Problem
from autograder.course import load_course
from autograder.grade.grader import Grader
from autograder.layer import trusted_layer
from autograder.sandbox.interpreter import load

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
ASSIGNMENT = COURSE.assignments[NAME]
REFERENCE = COURSE.solution_path(NAME).read_bytes()
SHAPES = ("lesson", "exercise_1")


class Once:
    """A layer that runs each script once: the check asks its reference, then the same layer again."""

    def __init__(self, layer):
        self.layer, self.script, self.results = layer, None, None

    def apart(self):
        return self

    def run(self, script, seconds=None):
        if script is not self.script:
            self.script, self.results = script, self.layer.run(script)
        return self.results


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1.0, 1.0, 0.0),
        (1.0, 3.0, 0.5),
        (1.0, -1.0, 1.0),
        (0.0, 0.0, 0.0),
        (1e-13, 0.0, 0.1),  # the denominator is at least 1e-12
        ([1.0, 2.0], [1.0, 6.0], 0.5),  # the worst entry counts
        ([], [], 0.0),
    ],
)
def test_the_relative_error_is_the_lessons(a, b, expected):
    assert gradcheck.relative_error(a, b) == pytest.approx(expected, rel=1e-12, abs=0)


def test_floored_error_judges_small_entries_against_their_tensor():
    a, b = [1.0, 1e-9], [1.0, 3e-9]
    assert gradcheck.relative_error(a, b) == pytest.approx(0.5)
    assert gradcheck.floored_error(a, b) == pytest.approx(2e-9 / 2e-3)
    assert gradcheck.floored_error([0.0], [1e-9], scale=1.0) == pytest.approx(1e-3)
    assert gradcheck.floored_error([], []) == 0.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_floored_error_is_infinite_where_an_entry_is_not_finite(bad):
    assert gradcheck.floored_error([1.0, bad], [1.0, 2.0]) == math.inf
    assert gradcheck.floored_error([1.0, 2.0], [1.0, bad]) == math.inf


@pytest.mark.parametrize("step", [0.5, 0.125])
def test_four_points_are_exact_on_a_cubic(step):
    def f(x):
        return 2 * x**3 - 3 * x**2 + 5 * x - 7

    values = np.array([f(2 + point * step) for point in gradcheck.STENCIL])
    assert gradcheck.combine(values, step) == 24 - 12 + 5


def test_four_points_are_exactly_zero_on_a_constant():
    assert np.array_equal(gradcheck.combine(np.full((4, 3), 0.1), 1e-3), np.zeros(3))


def test_derivatives_put_x_back():
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((2, 3)), rng.standard_normal((2, 3))
    before = x.copy()
    along = gradcheck.derivative(lambda: np.sum(x**2), x, w)
    assert along == pytest.approx(np.sum(2 * x * w), rel=1e-10)
    for gradient in (gradcheck.numerical_gradient, gradcheck.naive_gradient):
        np.testing.assert_allclose(gradient(lambda: x**2, x, w), 2 * x * w, rtol=1e-6, atol=1e-8)
    assert np.array_equal(x, before)


def test_the_correct_layer_stays_below_1e_7_over_1000_seeds_at_both_shapes():
    problem = Problem(ASSIGNMENT, REFERENCE)
    layer = Once(problem.reference)
    worst = dict.fromkeys(SHAPES, 0.0)
    for shape in SHAPES:
        for seed in range(1000):
            spec = ASSIGNMENT.checks.gradcheck.model_copy(
                update={"seed": seed, "hidden_seed": seed, "shapes": (shape,), "large_shape": None}
            )
            problem.reference = layer
            evidence = GradientCheck(problem, spec).run(layer).evidence
            assert [e.verdict for e in evidence] == ["passed"] * 4, (shape, seed)
            worst[shape] = max(worst[shape], *(e.value for e in evidence))
    print("worst figure over 1,000 seeds:", worst)
    assert 0 < max(worst.values()) < 1e-7


def naive_fails(shape, seeds):
    """How many seeds the correct layer fails by the lesson's own formula at 1e-5, weights 0.02."""
    cls, _, _ = load([REFERENCE], ASSIGNMENT.class_name, False)
    problem = Problem(ASSIGNMENT, REFERENCE)
    sizes = ASSIGNMENT.sizes(shape)
    failed = 0
    for seed in seeds:
        X, G = problem.lesson_arrays(shape, seed)
        layer = cls(sizes["C"], sizes["hs"], seed=seed)
        layer.forward(X)
        dX = layer.backward(G)
        pairs = [(X, dX), (layer.Wq, layer.dWq), (layer.Wk, layer.dWk), (layer.Wv, layer.dWv)]
        failed += any(
            gradcheck.relative_error(g, gradcheck.naive_gradient(lambda: layer.forward(X), x, G)) >= 1e-5  # noqa: B023
            for x, g in pairs
        )
    print(f"the naive formula fails {failed} of {len(seeds)} seeds at {shape}")
    return failed


@pytest.mark.parametrize("shape", SHAPES)
def test_the_naive_formula_fails_the_correct_layer_on_some_of_200_seeds(shape):
    assert 0 < naive_fails(shape, range(200)) < 200


@pytest.mark.sweep
@pytest.mark.parametrize("shape", SHAPES)
def test_the_naive_formula_fails_the_correct_layer_on_some_of_1000_seeds(shape):
    assert 0 < naive_fails(shape, range(1000)) < 200


def seeded(seed):
    """All five checks with another seed wherever there is one."""
    problem = Problem(ASSIGNMENT, REFERENCE)
    checks = []
    for name, spec in ASSIGNMENT.checks.present.items():
        update = {field: 1000 + seed for field in ("seed", "hidden_seed") if hasattr(spec, field)}
        if name == "monotone_loss":
            update["frozen_floor"] = 0.0  # the floor of grading.toml belongs to its seed
        checks.append(KINDS[name](problem, spec.model_copy(update=update)))
    return checks


def test_reference_100_and_stub_0_in_200_runs_with_other_seeds():
    titles = {task: t.title for task, t in ASSIGNMENT.tasks.items()}
    stub = trusted_layer(cut(REFERENCE.decode(), titles, NAME).encode(), ASSIGNMENT.class_name)
    grader = Grader(COURSE, NAME, level="L1")  # its zygote is never started
    for seed in range(200):
        checks = seeded(seed)
        reference = checks[0].problem.reference
        good = [e for check in checks for e in check.run(reference).evidence]
        assert sum(e.points for e in good) == 100.0, (seed, [e for e in good if e.verdict != "passed"])
        grades = {}
        for check in checks:  # as the grader does: what depends on a check that did not run is skipped
            grades[check.id] = grader._check(check, grader._run(check, stub, grades))
        assert sum(grade.points for grade in grades.values()) == 0.0, seed

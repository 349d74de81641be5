"""Over many seeds: a correct layer never fails, the stub never scores. In process: both are our own code."""

from pathlib import Path

import numpy as np
import pytest

from autograder import gradcheck
from autograder.checks import prepare
from autograder.checks.gradcheck import GradientCheck
from autograder.checks.problem import Problem
from autograder.course import load_course
from autograder.layer import trusted_layer

ROOT = Path(__file__).parents[1]
COURSE = load_course(ROOT)
ASSIGNMENT = COURSE.assignments["self_attention"]
REFERENCE = COURSE.solution_path("self_attention").read_bytes()
STUB = (ROOT / "assignments" / "self_attention" / "self_attention.py").read_bytes()


LOSSES = ["0.6470", "0.6077", "0.5770", "0.5530", "0.5340", "0.5190", "0.5070", "0.4974", "0.4897", "0.4835"]


def reseeded(seed):
    """The assignment with every seed of every check moved."""
    specs = {}
    for name, spec in ASSIGNMENT.checks.present.items():
        seeds = {"seed": spec.seed + seed}
        if hasattr(spec, "hidden_seed"):
            seeds["hidden_seed"] = spec.hidden_seed + 1000 * seed
        if name == "monotone_loss":
            seeds["frozen_floor"] = 0.0  # the lesson's figure belongs to the lesson's seed
        specs[name] = spec.model_copy(update=seeds)
    return ASSIGNMENT.model_copy(update={"checks": ASSIGNMENT.checks.model_copy(update=specs)})


def points(checks, layer):
    return sum(e.points for check in checks for e in check.run(layer).evidence)


def test_reference_has_all_points_and_the_stub_none_at_200_seeds():
    reference = trusted_layer(REFERENCE, "SelfAttention")
    stub = trusted_layer(STUB, "SelfAttention")
    scores = set()
    for seed in range(200):
        checks = prepare(reseeded(seed), REFERENCE)
        scores.add((points(checks, reference), points(checks, stub)))
    # The stub's constructor is given and right: in a whole grade `contract` is skipped with `forward`.
    assert {full for full, _ in scores} == {100.0}
    assert {none for _, none in scores} == {2.0}


def test_the_worst_figure_of_a_correct_layer_over_1000_seeds():
    worst = 0.0
    for seed in range(1000):
        spec = ASSIGNMENT.checks.gradcheck.model_copy(
            update={"seed": seed, "hidden_seed": 7 * seed, "large_shape": None}
        )
        problem = Problem(ASSIGNMENT, REFERENCE)
        evidence = GradientCheck(problem, spec).run(problem.reference).evidence
        assert {e.verdict for e in evidence} == {"passed"}, seed
        worst = max(worst, *(e.value for e in evidence))
    assert worst < 1e-7


def naive_failures(shape, seeds):
    """How many seeds fail the lesson's own check, two points at 1e-6, on a correct layer."""
    problem = Problem(ASSIGNMENT, REFERENCE)
    space = {}
    exec(compile(REFERENCE, "reference", "exec"), space)
    sizes = problem.sizes(shape)
    failed = 0
    for seed in seeds:
        X, G = problem.lesson_arrays(shape, seed)
        layer = space["SelfAttention"](sizes["C"], sizes["hs"], seed=seed)
        layer.forward(X)
        analytic = {"X": layer.backward(G), "Wq": layer.dWq, "Wk": layer.dWk, "Wv": layer.dWv}
        for name, gradient in analytic.items():
            x = X if name == "X" else getattr(layer, name)
            numeric = gradcheck.naive_gradient(lambda: layer.forward(X), x, G)  # noqa: B023
            if gradcheck.relative_error(gradient, numeric) >= 1e-5:
                failed += 1
                break
    return failed


def test_the_lessons_formula_fails_a_correct_layer_at_some_seeds():
    # Counts of about 18 and 68 in 1,000 were measured; the last digits belong to the machine.
    assert naive_failures("lesson", range(300)) > 0
    assert naive_failures("exercise_1", range(60)) > 0


@pytest.mark.sweep
def test_the_lessons_formula_over_1000_seeds(capsys):
    counts = {shape: naive_failures(shape, range(1000)) for shape in ("lesson", "exercise_1")}
    with capsys.disabled():
        print(counts)
    assert all(0 < count < 200 for count in counts.values())


def test_the_lessons_ten_losses():
    check = next(c for c in prepare(ASSIGNMENT, REFERENCE) if c.id == "monotone_loss")
    printed = [f"{loss:.4f}" for loss in check.expected]
    assert printed == LOSSES
    frozen = next(e for e in check.run(check.problem.reference).evidence if e.part == "frozen")
    assert frozen.value == pytest.approx(0.6470246, abs=2e-7)


def test_formulas():
    assert gradcheck.relative_error([1.0, 0.0], [1.0, 0.0]) == 0.0
    assert gradcheck.relative_error([3.0], [1.0]) == 0.5
    assert gradcheck.floored_error([np.nan], [1.0]) == float("inf")
    x = np.array([2.0])
    assert gradcheck.derivative(lambda: x**3, x, np.ones(1))[0] == pytest.approx(12.0, rel=1e-10)
    assert x[0] == 2.0

"""Wrong layers, each one substitution away from the reference, and exactly the parts that they lose."""

from pathlib import Path

import numpy as np
import pytest

from autograder.checks import prepare
from autograder.checks.inside import CALLS_FORWARD, SINGLE
from autograder.course import load_course
from autograder.course.mistakes import load_mistakes
from autograder.layer import Stopped, trusted_layer

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
ASSIGNMENT = COURSE.assignments[NAME]
REFERENCE = COURSE.solution_path(NAME).read_text(encoding="utf-8")
MISTAKES = load_mistakes(COURSE.mistakes_path(NAME), REFERENCE)


def both(*tensors):
    return {f"{tensor} at {shape}" for tensor in tensors for shape in ASSIGNMENT.checks.gradcheck.shapes}


@pytest.fixture(scope="module")
def checks():
    return prepare(ASSIGNMENT, REFERENCE.encode())


def judge(checks, old, new):
    """Evidence by check and part for the reference with every `old` replaced by `new`."""
    assert old in REFERENCE
    layer = trusted_layer(REFERENCE.replace(old, new).encode(), ASSIGNMENT.class_name)
    return {check.id: {e.part: e for e in check.run(layer).evidence} for check in checks}


def lost(evidence):
    found = {c: {p for p, e in parts.items() if e.points < e.max_points} for c, parts in evidence.items()}
    return {c: parts for c, parts in found.items() if parts}


BACKWARD = "        X, Q, K, V, A = self.cache\n"
FLOAT32 = (
    BACKWARD
    + """        X, Q, K, V, A = (entry.astype(np.float32) for entry in self.cache)
        dout = dout.astype(np.float32)
"""
)
DIFFERENCES = (
    BACKWARD
    + """        kept = self.cache
        found = []
        for x in (X.copy(), self.Wq, self.Wk, self.Wv):
            d = np.zeros(x.shape)
            for i in np.ndindex(x.shape):
                was = x[i]
                x[i] = was + 1e-5
                up = self.forward(x if x.shape == X.shape else X)
                x[i] = was - 1e-5
                down = self.forward(x if x.shape == X.shape else X)
                x[i] = was
                d[i] = (np.sum(up * dout) - np.sum(down * dout)) / 2e-5
            found.append(d)
        self.cache = kept
        dX, self.dWq, self.dWk, self.dWv = found
        return dX
"""
)
DRAW = "self.{} = rng.standard_normal((C, hs)) * 0.02  # (C, hs)\n        "
VALUES = {"values", "shapes", "large_logits"}
TRAINING = {"falls", "losses", "frozen"}

CASES = {  # name: (old, new, parts that lose points)
    "nothing": ("np.exp", "np.exp", {}),
    "scale missing in backward": (
        "dscores = dS / np.sqrt(self.hs)", "dscores = dS", {"gradcheck": both("Wq", "Wk", "X")}),
    "scale of C in backward": (
        "dscores = dS / np.sqrt(self.hs)", "dscores = dS / np.sqrt(self.C)",
        {"gradcheck": both("Wq", "Wk", "X")}),
    "softmax without its row term": (
        "dS = A * (dA - np.sum(dA * A, axis=-1, keepdims=True))", "dS = A * dA",
        {"gradcheck": both("Wq", "Wk", "X")}),
    "dK not transposed": (
        "dscores.transpose(0, 2, 1) @ Q", "dscores @ Q", {"gradcheck": both("Wk", "X")}),
    "dV not transposed": ("A.transpose(0, 2, 1) @ dout", "A @ dout", {"gradcheck": both("Wv", "X")}),
    "dWv a mean over the batch": (
        "self.dWv = np.sum(", "self.dWv = np.mean(",
        {"gradcheck": both("Wv"), "monotone_loss": {"losses"}}),
    "dX without V": ("dX = dX + dV @ self.Wv.T", "dX = dX + 0.0", {"gradcheck": both("X")}),
    "dWq from dK": (
        "X.transpose(0, 2, 1) @ dQ", "X.transpose(0, 2, 1) @ dK", {"gradcheck": both("Wq")}),
    "dWq accumulates": (
        "self.dWq = np.sum(", "self.dWq = (0 if self.dWq is None else self.dWq) + np.sum(",
        {"contract": {"again"}}),
    "softmax without the maximum": (
        "np.exp(x - np.max(x, axis=axis, keepdims=True))", "np.exp(x)", {"forward": {"large_logits"}}),
    "one maximum for all rows": (
        "np.max(x, axis=axis, keepdims=True)", "np.max(x)", {"forward": {"large_logits"}}),
    "scale missing in both passes": (" / np.sqrt(self.hs)", "", {"forward": VALUES | {"cache"}}),
    "degenerate zero layer": (
        "out = A @ V ", "out = 0.0 * V ",
        {"forward": VALUES, "gradcheck": both("Wq", "Wk", "Wv", "X"), "monotone_loss": TRAINING,
         "zero_grad": {"keeps", "loop"},
         "contract": {"initial", "dtype", "untouched", "again", "interleaved", "any_shape"}}),
    "zero_grad does nothing": (
        "        self.dWq = None\n        self.dWk = None\n        self.dWv = None\n", "        pass\n",
        {"zero_grad": {"clears", "keeps", "loop"}}),
    "V from Wk": (
        "V = X @ self.Wv", "V = X @ self.Wk",
        {"forward": VALUES | {"cache"}, "gradcheck": both("Wk", "Wv", "X"), "monotone_loss": TRAINING}),
    "float32 inside backward": (
        BACKWARD, FLOAT32, {"gradcheck": both("Wq", "Wk", "Wv", "X"), "contract": {"dtype"}}),
    "zero_grad forgets two of three": ("        self.dWk = None\n", "", {"zero_grad": {"clears"}}),
    "weights drawn in another order": (
        DRAW.format("Wq") + DRAW.format("Wk"), DRAW.format("Wk") + DRAW.format("Wq"),
        {"contract": {"initial"}}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CASES)
def test_a_wrong_layer_loses_exactly_these_parts(checks, name):
    old, new, expected = CASES[name]
    assert lost(judge(checks, old, new)) == expected


SCALE = "scores = scores / np.sqrt(self.hs)"
SINGLE_CACHE = BACKWARD + "        X, Q, K, V, A = (entry.astype(np.float32) for entry in self.cache)\n"
INSIDE = {  # name: (substitutions, what the evidence calls it, tensors that lose points)
    "float32 from the start": ([(BACKWARD, FLOAT32)], SINGLE, "Wq Wk Wv X"),
    "float32 in the scores": (
        [("dscores = dS / np.sqrt(self.hs)", "dscores = (dS / np.sqrt(self.hs)).astype(np.float32)")],
        SINGLE, "Wq Wk X"),
    "float32 from the cache": ([(BACKWARD, SINGLE_CACHE)], "precision", "Wq Wk Wv X"),
    "float32 weights in backward": (
        [("dQ @ self.Wq.T", "dQ @ self.Wq.T.astype(np.float32)")], "precision", "X"),
    "float32 out of forward": (
        [("out = A @ V", "out = (A @ V).astype(np.float32)")], "noise in forward", "Wq Wk Wv X"),
    "float32 input of forward": (
        [("Q = X @ self.Wq", "X = X.astype(np.float32)\n        Q = X @ self.Wq")], "noise in forward", "X"),
    "differences": ([(BACKWARD, DIFFERENCES)], CALLS_FORWARD, "Wq Wk Wv X"),
    "differences of a wrong forward": (
        [(BACKWARD, DIFFERENCES), (SCALE, "scores = scores * 1.0")], CALLS_FORWARD, "Wq Wk Wv X"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", INSIDE)
def test_what_makes_gradients_noisy_is_named(checks, name):
    changes, measure, tensors = INSIDE[name]
    source = REFERENCE
    for old, new in changes:
        assert source.count(old) == 1
        source = source.replace(old, new)
    [check] = [check for check in checks if check.id == "gradcheck"]
    evidence = check.run(trusted_layer(source.encode(), ASSIGNMENT.class_name)).evidence
    wrong = [e for e in evidence if e.points < e.max_points]
    assert {e.measure for e in wrong} == {measure}
    assert {e.part for e in wrong} == both(*tensors.split())


class Late:
    """A layer whose frames at the large shape end by the clock, as behind the wall."""

    def __init__(self, source):
        self.layer = trusted_layer(source.encode(), ASSIGNMENT.class_name)

    def apart(self):
        return self

    def run(self, script, seconds=None):
        if any(op[0] == "call" and np.size(op[3][0]) > 10_000 for op in script.ops):
            raise Stopped("timeout", "no answer within 1 s")
        return self.layer.run(script)


@pytest.mark.parametrize("factor", ["1.0", "0.5"], ids=["right forward", "wrong forward"])
def test_a_complex_step_is_named(checks, factor):
    """It is exact, so that only its time tells; and forward need not be right for that."""
    [mistake] = [m for m in MISTAKES if m.name == "backward-complex-step"]
    source = mistake.apply(REFERENCE).replace(SCALE, SCALE + f" * {factor}")
    [check] = [check for check in checks if check.id == "gradcheck"]
    evidence = check.run(Late(source)).evidence
    assert {(e.verdict, e.points, e.measure) for e in evidence} == {("timeout", 0.0, CALLS_FORWARD)}


def test_a_layer_that_is_only_slow_is_not_called_anything_else(checks):
    [check] = [check for check in checks if check.id == "gradcheck"]
    with pytest.raises(Stopped, match="no answer"):
        check.run(Late(REFERENCE))


def test_a_wrong_forward_keeps_the_points_of_a_backward_that_fits_and_is_told_so(checks):
    for name in ("forward-scale-missing-throughout", "forward-softmax-base-two"):
        [mistake] = [m for m in MISTAKES if m.name == name]
        layer = trusted_layer(mistake.apply(REFERENCE).encode(), ASSIGNMENT.class_name)
        evidence = {c.id: c.run(layer).evidence for c in checks if c.id in ("forward", "gradcheck")}
        assert sum(e.points for e in evidence["gradcheck"]) == 40.0
        assert {e.measure for e in evidence["gradcheck"]} == {"relative error to its own forward"}
        assert [e.verdict for e in evidence["forward"] if e.part == "values"] == ["failed"]
    right = trusted_layer(REFERENCE.encode(), ASSIGNMENT.class_name)
    [check] = [check for check in checks if check.id == "gradcheck"]
    assert {e.measure for e in check.run(right).evidence} == {"relative error"}


@pytest.mark.parametrize(
    "out", ["np.zeros(V.shape)", "np.ones(V.shape)", "0.0 * V", "V * 0.0 + 1.0"], ids=str
)
def test_a_degenerate_layer_earns_no_gradient_points(checks, out):
    """Zero or constant, with a backward of zeros that fits it exactly."""
    zeros = BACKWARD + "        dout = 0.0 * dout\n"
    source = REFERENCE.replace("out = A @ V", f"out = {out}").replace(BACKWARD, zeros)
    layer = trusted_layer(source.encode(), ASSIGNMENT.class_name)
    [check] = [check for check in checks if check.id == "gradcheck"]
    assert sum(e.points for e in check.run(layer).evidence) == 0.0


def test_a_tensor_that_forward_does_not_read_earns_nothing(checks):
    parts = judge(checks, "V = X @ self.Wv", "V = X @ self.Wk")["gradcheck"]
    assert {parts[p].measure for p in both("Wv")} == {"forward does not depend on it"}
    assert sum(parts[p].points for p in both("Wv")) == 0.0

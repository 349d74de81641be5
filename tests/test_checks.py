"""Wrong layers, each one substitution away from the reference, and exactly the parts that they lose."""

from pathlib import Path

import pytest

from autograder.checks import prepare
from autograder.course import load_course
from autograder.layer import trusted_layer

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
ASSIGNMENT = COURSE.assignments[NAME]
REFERENCE = COURSE.solution_path(NAME).read_text(encoding="utf-8")


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


@pytest.mark.parametrize("body", [FLOAT32, DIFFERENCES], ids=["float32", "differences"])
def test_noise_in_backward_is_not_linear(checks, body):
    [check] = [check for check in checks if check.id == "gradcheck"]
    layer = trusted_layer(REFERENCE.replace(BACKWARD, body).encode(), ASSIGNMENT.class_name)
    evidence = check.run(layer).evidence
    assert {(e.points, e.measure) for e in evidence} == {(0.0, "not linear in the upstream gradient")}
    assert len(evidence) == 8


def test_a_tensor_that_forward_does_not_read_earns_nothing(checks):
    parts = judge(checks, "V = X @ self.Wv", "V = X @ self.Wk")["gradcheck"]
    assert {parts[p].measure for p in both("Wv")} == {"forward does not depend on it"}
    assert sum(parts[p].points for p in both("Wv")) == 0.0

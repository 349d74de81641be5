"""The public checks judge rightly: the reference passes, the stub and wrong layers fail where they should."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HANDOUT = ROOT / "assignments" / "self_attention"
REFERENCE = ROOT / "solutions" / "self_attention" / "self_attention.py"


def run(folder, *arguments):
    """Python in `folder`, without pytest's plugins or this repository's settings; the finished process."""
    command, plain = [sys.executable, *arguments], {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plain.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        command, cwd=folder, env=plain, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def hand_in(tmp_path):
    """A student's folder around a given layer: `hand_in(source)` runs the public checks on it.

    Returns the outcome of each check by name, and everything pytest printed.
    """

    def judge(source):
        for name in ("gradcheck.py", "test_self_attention.py"):
            shutil.copy(HANDOUT / name, tmp_path)
        (tmp_path / "self_attention.py").write_text(source, encoding="utf-8")
        done = run(tmp_path, "-m", "pytest", "-v", "-rs", "--color=no", "-p", "no:cacheprovider")
        found = re.findall(
            r"^test_self_attention.py::(test_.+?) (PASSED|FAILED|SKIPPED)", done.stdout, re.MULTILINE
        )
        assert found, done.stdout + done.stderr
        return dict(found), done.stdout

    return judge


def reference():
    return REFERENCE.read_text(encoding="utf-8")


def with_mistake(old, new):
    """The reference with one substitution."""
    assert reference().count(old) == 1, old
    return reference().replace(old, new)


def outcomes(checks, verdict):
    return {name for name, found in checks.items() if found == verdict}


def test_the_reference_passes_every_public_check(hand_in):
    checks, _ = hand_in(reference())
    assert len(checks) == 29
    assert outcomes(checks, "PASSED") == set(checks)


def test_the_stub_fails_with_the_right_words(hand_in):
    checks, printed = hand_in((HANDOUT / "self_attention.py").read_text(encoding="utf-8"))
    assert outcomes(checks, "PASSED") == {"test_constructor_is_as_given"}
    assert outcomes(checks, "FAILED") == {"test_forward_runs", "test_zero_grad_runs"}
    assert "\ntask 1.1 (forward) is still to be written\n" in printed
    assert "\ntask 1.3 (zero_grad) is still to be written\n" in printed
    assert re.search(
        r"^SKIPPED \[26\] .*: task 1.1 \(forward\) is still to be written$", printed, re.MULTILINE
    )
    assert "Traceback" not in printed
    assert "During handling" not in printed


def test_with_forward_written_backward_is_next(hand_in):
    stub = (HANDOUT / "self_attention.py").read_text(encoding="utf-8")
    body = re.search(r"# BEGIN SOLUTION 1.1\n(.*?) *# END SOLUTION 1.1", reference(), re.DOTALL)[1]
    todo = '        # TODO(1.1): forward\n        raise NotImplementedError("1.1")\n'
    assert todo in stub
    checks, printed = hand_in(stub.replace(todo, body))
    assert outcomes(checks, "FAILED") == {"test_backward_runs", "test_zero_grad_runs"}
    assert len(outcomes(checks, "PASSED")) == 11
    assert "\ntask 1.2 (backward) is still to be written\n" in printed


Q_AND_K = {
    f"test_gradient_check[{shape}-{name}]" for shape in ("lesson", "exercise 1") for name in ("Wq", "Wk")
}
DX = {f"test_gradient_check[{shape}-X]" for shape in ("lesson", "exercise 1")}


@pytest.mark.parametrize(
    ("old", "new", "failed", "said"),
    [
        pytest.param(
            "scores = scores / np.sqrt(self.hs)",
            "scores = scores / 1.0",
            {"test_a_case_by_hand"},
            "task 1.1 (forward): out (1, 2, 4): relative error",
            id="no scale in forward",
        ),
        pytest.param(
            "A = softmax(scores, axis=-1)",
            "A = softmax(scores, axis=1)",
            {"test_a_case_by_hand", "test_forward_serves_any_shape[(4, 7, 5, 9)]"},
            "task 1.1 (forward): row sums of A (4, 7): relative error",
            id="softmax over the queries",
        ),
        pytest.param(
            "A = softmax(scores, axis=-1)",
            "A = softmax(np.where(np.tri(X.shape[1]), scores, -np.inf), axis=-1)",
            {"test_order_and_company_do_not_matter"},
            "(tokens in reverse order: the same rows, reversed)",
            id="a mask added",
        ),
        pytest.param(
            "self.cache = (X, Q, K, V, A)",
            "self.cache = (X, Q, K, V, A, scores)",
            {"test_backward_runs", "test_forward_serves_any_shape[(2, 4, 4, 4)]"},
            "task 1.1 (forward): cache is not a sequence of five",
            id="six in the cache",
        ),
        pytest.param(
            "return out\n",
            "return out.astype(np.float32)\n",
            {"test_forward_runs"},
            "task 1.1 (forward): out (2, 5, 4) has dtype float32; expected float64",
            id="float32",
        ),
        pytest.param(
            "Q @ K.transpose(0, 2, 1)",
            "Q @ K",
            {"test_forward_runs"},
            ", `scores = Q @ K  # (B, T, T)`: ValueError:",
            id="an exception",
        ),
        pytest.param(
            "dscores = dS / np.sqrt(self.hs)",
            "dscores = dS",
            Q_AND_K | DX,
            "task 1.2 (backward): dWq (8, 4): relative error 3.3e-01, limit 1e-05; largest difference at (",
            id="no scale in backward",
        ),
        pytest.param(
            "dA - np.sum(dA * A, axis=-1, keepdims=True)",
            "dA",
            Q_AND_K | DX,
            "task 1.2 (backward): dWq (16, 8): relative error",
            id="softmax gradient without its sum",
        ),
        pytest.param(
            "dX = dX + dK @ self.Wk.T",
            "dX = dX + 0.0",
            DX,
            "task 1.2 (backward): dX (2, 5, 8): relative error",
            id="a path of dX missing",
        ),
        pytest.param(
            "self.dWv = np.sum(X.transpose(0, 2, 1) @ dV, axis=0)",
            "self.dWv = X.transpose(0, 2, 1) @ dV",
            {"test_backward_runs"},
            "task 1.2 (backward): dWv has shape (2, 8, 4); expected (8, 4)",
            id="not summed over the batch",
        ),
        pytest.param(
            "return dX\n",
            "self.dX = dX\n",
            {"test_backward_runs"},
            "task 1.2 (backward): dX is None; expected an array (2, 5, 8)",
            id="dX not returned",
        ),
        pytest.param(
            "self.dWv = np.sum(X.transpose(0, 2, 1) @ dV, axis=0)",
            "self.dWv = (0.0 if self.dWv is None else self.dWv) + np.sum(X.transpose(0, 2, 1) @ dV, axis=0)",
            {"test_a_second_backward_gives_the_same", "test_the_ten_losses[as it is]"},
            "(second backward: store this call's gradient, add nothing)",
            id="gradients accumulate",
        ),
        pytest.param(
            "X, Q, K, V, A = self.cache",
            "X, Q, K, V, A = self.cache\n        dout *= 2.0",
            {"test_what_comes_in_stays_as_it_was"},
            "(backward changes it in place)",
            id="dout changed in place",
        ),
        pytest.param(
            "self.cache = (X, Q, K, V, A)\n        return",
            "SelfAttention.cache = property(lambda self: SelfAttention.kept, lambda self, value: None)\n"
            "        SelfAttention.kept = (X, Q, K, V, A)\n        return",
            {"test_two_layers_do_not_share"},
            "(another layer ran between forward and backward)",
            id="one cache for all layers",
        ),
        pytest.param(
            "        self.dWv = None\n        # END",
            "        # END",
            {"test_zero_grad_forgets_the_gradients_and_nothing_else"},
            "task 1.3 (zero_grad): dWv (8, 4): relative error",
            id="zero_grad forgets one",
        ),
        pytest.param(
            "        self.dWv = None\n        # END",
            "        self.dWv = 0.0\n        # END",
            {"test_zero_grad_forgets_the_gradients_and_nothing_else"},
            "task 1.3 (zero_grad): dWv is a float; expected a NumPy array (8, 4)",
            id="zero_grad leaves a number",
        ),
        pytest.param(
            "default_rng(seed)",
            "default_rng(seed + 1)",
            {"test_constructor_is_as_given", "test_the_ten_losses[as it is]"},
            "\nWq (8, 4): relative error",
            id="another seed",
        ),
        pytest.param(
            "def forward(self, X):",
            "def forward(self, X:",
            {"test_constructor_is_as_given"},
            "\nself_attention.py cannot be read: line ",
            id="a syntax error",
        ),
    ],
)
def test_a_wrong_layer_fails_the_check_it_should(hand_in, old, new, failed, said):
    checks, printed = hand_in(with_mistake(old, new))
    assert failed <= outcomes(checks, "FAILED"), printed
    assert said in printed
    assert "Traceback" not in printed

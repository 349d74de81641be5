"""What a hostile file gets from the wall: a verdict, and nothing else."""

import sys
from pathlib import Path

import pytest

from autograder.course import load_course
from autograder.course.mistakes import load_mistakes
from autograder.grade.grader import Grader
from autograder.sandbox.pool import Zygote
from autograder.submission import Source, Submission

ROOT = Path(__file__).parents[1]
COURSE = load_course(ROOT)
REFERENCE = COURSE.solution_path("self_attention").read_text()
MISTAKES = load_mistakes(COURSE.mistakes_path("self_attention"), REFERENCE)
LINUX = sys.platform == "linux"


@pytest.fixture(scope="module")
def grader():
    with Grader(COURSE, "self_attention", level="L3" if LINUX else "L1") as made:
        yield made


def graded(grader, text):
    source = Source((text.encode(),), "py", "0" * 64)
    grade = grader.grade(Submission("x", source, Path("x.py")))
    return grade, {check.id: check for check in grade.checks}


def with_backward(line):
    """The reference with a line put first in backward."""
    marker = "        X, Q, K, V, A = self.cache\n"
    assert REFERENCE.count(marker) == 1
    return REFERENCE.replace(marker, marker + f"        {line}\n")


@pytest.mark.skipif(not LINUX, reason="kernel levels are Linux's")
@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_a_level_is_proved_item_by_item(level):
    with Zygote(level) as zygote:
        worker = zygote.worker()
        items = {proof.item for proof in worker.proofs if proof.holds}
        assert len(items) == len(worker.proofs)
        worker.close()
    if level != "L1":
        assert {"read a file", "start a process", "make a socket", "trace the parent"} <= items
    assert ("landlock alone refuses a file" in items) == (level == "L3")


def test_an_unknown_level_is_never_taken_for_proved():
    with pytest.raises(ValueError, match="no isolation level 'L9'"):
        Zygote("L9")


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("import os; os._exit(0)", "crash"),
        ("import os; os.abort()", "crash"),
        ("import signal; signal.raise_signal(40)", "crash"),
        ("import sys; sys.exit()", "error"),
        ("raise KeyboardInterrupt", "error"),
        ("open('/etc/passwd')", "error"),
        ("import socket; socket.socket()", "error" if LINUX else "failed"),
        ("import os; os.fork()", "error"),
        ("bytearray(1 << 40)", "memory"),
        ("import torch", "import"),
        ("def f(): f()\n        f()", "error"),
    ],
)
def test_backward_that_leaves_costs_backward_only(grader, line, verdict):
    if not LINUX and verdict == "error" and ("open" in line or "fork" in line):
        pytest.skip("below L2 these are not refused")
    grade, checks = graded(grader, with_backward(line))
    assert (checks["forward"].verdict, checks["forward"].points) == ("passed", 25)
    assert checks["gradcheck"].verdict == verdict
    assert grade.score <= 25 + 4  # zero_grad by itself
    assert not [flag for flag in grade.flags if flag.kind == "grader-fault"]


@pytest.mark.parametrize(
    "value",
    [
        "np.zeros(X.shape, dtype=complex)", "np.zeros(X.shape, dtype=object)", "np.matrix([[1.0]])",
        "np.ma.masked_array(dX)", "np.array(1.0)", "np.zeros((0, 5, 8))",
        "np.broadcast_to(1.0, (10**6, 10**6))", "dX.astype(np.longdouble)", "dX * np.nan", "dX * np.inf",
        "np.full(X.shape, 1e200)", "dX > 0",
        "(dX,)", "[dX]", "None", "10**30", "'::error::'", "type('X', (), {'__eq__': lambda a, b: True})()",
        "dX if len(X) == 2 or len(X) == 3 else 7 * dX", "dX if X.shape[1] < 20 else 0 * dX",
    ],
)  # fmt: skip
def test_no_odd_value_for_dX_earns_its_points(grader, value):
    assert REFERENCE.count("        return dX\n") == 1
    grade, checks = graded(grader, REFERENCE.replace("        return dX\n", f"        return {value}\n"))
    evidence = {e.part: e for e in checks["gradcheck"].evidence}
    assert evidence["X at lesson"].points == evidence["X at exercise_1"].points == 0
    assert grade.score <= 90
    assert not [flag for flag in grade.flags if flag.kind in ("grader-fault", "tampering")]


def test_a_forged_second_reply_is_tampering(grader):
    forge = (
        "import gc, socket\n"
        "        for s in [o for o in gc.get_objects() if isinstance(o, socket.socket)]:\n"
        "            s.sendall(b'AGW1' + bytes(24))"
    )
    grade, checks = graded(grader, with_backward(forge))
    assert checks["gradcheck"].verdict == "tampering"
    assert "tampering" in {flag.kind for flag in grade.flags}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_each_known_mistake_loses_points_in_its_check(grader, mistake):
    grade, checks = graded(grader, mistake.apply(REFERENCE))
    assert checks[mistake.check].points < checks[mistake.check].max_points
    assert not [flag for flag in grade.flags if flag.kind == "grader-fault"]


COMPLEX_STEP = """        kept = self.cache
        found = []
        for which in ("X", "Wq", "Wk", "Wv"):
            real = kept[0] if which == "X" else getattr(self, which)
            d = np.zeros(real.shape)
            for i in np.ndindex(real.shape):
                moved = real.astype(complex)
                moved[i] += 1e-30j
                if which != "X":
                    setattr(self, which, moved)
                d[i] = np.sum(self.forward(moved if which == "X" else kept[0]).imag * dout) / 1e-30
                if which != "X":
                    setattr(self, which, real)
            found.append(d)
        self.cache = kept
        dX, self.dWq, self.dWk, self.dWv = found
        return dX
"""


def test_a_complex_step_in_backward_ends_at_the_deadline():
    # Exact and linear to rounding: only its tens of thousands of forwards give it away.
    limits = COURSE.limits.model_copy(update={"call_seconds": 3.0})
    marker = "        X, Q, K, V, A = self.cache\n"
    layer = REFERENCE.replace(marker, COMPLEX_STEP + marker)
    level = "L3" if LINUX else "L1"
    with Grader(COURSE.model_copy(update={"limits": limits}), "self_attention", level=level) as grader:
        _, checks = graded(grader, layer)
    assert (checks["forward"].verdict, checks["gradcheck"].verdict) == ("passed", "timeout")
    assert checks["gradcheck"].points == 0

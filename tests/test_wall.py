"""What a hostile file gets from the wall: a verdict, and nothing else."""

import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from autograder.course import load_course
from autograder.course.mistakes import load_mistakes
from autograder.grade.grader import Grader
from autograder.layer import Script, Stopped, WalledLayer
from autograder.sandbox import wire
from autograder.sandbox.interpreter import Interpreter
from autograder.sandbox.pool import IsolationError, Zygote
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
@pytest.mark.parametrize("level", ["L1", "L2", "L3", "L4"])
def test_a_level_is_proved_item_by_item(level):
    with zygote_at(level) as zygote:
        worker = zygote.worker()
        items = {proof.item for proof in worker.proofs if proof.holds}
        assert len(items) == len(worker.proofs)
        worker.close()
    if level != "L1":
        assert {"read a file", "start a process", "make a socket", "trace the parent"} <= items
    assert ("landlock alone refuses a file" in items) == (level in ("L3", "L4"))
    assert ({"parent out of sight", "no network", "no ipc"} <= items) == (level == "L4")


@contextmanager
def zygote_at(level):
    """A zygote; skips where the machine does not have level L4."""
    try:
        zygote = Zygote(level)
    except IsolationError as error:
        if level != "L4":
            raise
        pytest.skip(f"not to be had on this machine: {error}")
    with zygote:
        yield zygote


@pytest.mark.skipif(not LINUX or os.geteuid() != 0, reason="only root has users to give")
def test_workers_that_live_at_once_are_different_users_at_the_contained_level():
    def uid(worker):
        return next(proof.detail for proof in worker.proofs if proof.item == "is not root")

    with zygote_at("L4") as zygote, zygote_at("L4") as other:
        workers = [zygote.worker(), zygote.worker(), other.worker()]
        assert len({uid(worker) for worker in workers}) == 3
        freed = uid(workers[0])
        workers[0].close()
        again = zygote.worker()
        assert uid(again) == freed
        for worker in (*workers[1:], again):
            worker.close()


KILLED = """
import sys
from autograder.sandbox import wire
from autograder.sandbox.pool import Zygote
zygote = Zygote(sys.argv[1])
workers = [zygote.worker() for _ in range(2)]
print(zygote.pid, *[worker.pid for worker in workers], flush=True)
source = b"import signal; signal.signal(24, signal.SIG_IGN)\\nwhile True: pass"
program = wire.encode([[source], "C", False, [], False])
workers[0].request(wire.LOAD, program, 60.0)
"""


@pytest.mark.skipif(not LINUX, reason="elsewhere a worker ends when it next reads or at its processor limit")
@pytest.mark.parametrize("level", ["L1", "L3", "L4"])
def test_nothing_outlives_a_grader_that_is_killed(level):
    """A worker that loops, an idle one, and their zygote; each is waited for by its pidfd."""
    with zygote_at(level):
        pass
    grader = subprocess.Popen(
        [sys.executable, "-c", KILLED, level], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    pids = [int(pid) for pid in grader.stdout.readline().split()]
    waiting = {os.pidfd_open(pid) for pid in pids}
    assert len(waiting) == 3
    poll = select.poll()
    for fd in waiting:
        poll.register(fd, select.POLLIN)
    assert poll.poll(0) == []
    grader.send_signal(signal.SIGKILL)
    while waiting:
        ended = poll.poll(30_000)
        assert ended, f"{len(waiting)} processes are left"
        for fd, _ in ended:
            poll.unregister(fd)
            waiting.discard(fd)
            os.close(fd)
    grader.stdout.close()
    grader.wait()


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


def limited(**limits):
    """A grader of its own with other limits."""
    course = COURSE.model_copy(update={"limits": COURSE.limits.model_copy(update=limits)})
    return Grader(course, "self_attention", level="L3" if LINUX else "L1")


def test_a_complex_step_in_backward_ends_at_the_deadline():
    # Exact and linear to rounding: only its tens of thousands of forwards give it away.
    marker = "        X, Q, K, V, A = self.cache\n"
    with limited(call_seconds=3.0) as grader:
        _, checks = graded(grader, REFERENCE.replace(marker, COMPLEX_STEP + marker))
    assert (checks["forward"].verdict, checks["gradcheck"].verdict) == ("passed", "timeout")
    assert checks["gradcheck"].points == 0


def test_what_does_not_wait_is_graded_beside_a_backward_that_does():
    with limited(call_seconds=0.5) as grader:
        grade, checks = graded(grader, with_backward("import time; time.sleep(30)"))
    assert grade.score == 25 + 4
    assert {check.id: check.verdict for check in grade.checks} == {
        "forward": "passed", "gradcheck": "timeout", "monotone_loss": "skipped",
        "zero_grad": "timeout", "contract": "skipped",
    }  # fmt: skip
    assert {e.value for e in checks["gradcheck"].evidence} == {"no answer within 0.5 s"}
    found = {e.part: (e.verdict, e.value) for e in checks["zero_grad"].evidence}
    assert found["clears"] == ("passed", None)
    assert found["keeps"] == ("timeout", "no answer within 0.1 s")


class Clock:
    """Time that passes only by what a worker is said to have needed."""

    def __init__(self, needs):
        self.now, self.needs, self.allowed = 0.0, list(needs), []

    def monotonic(self):
        return self.now

    def worker(self):  # as a zygote
        return self

    def close(self):
        pass

    def request(self, kind, payload, seconds):
        need = self.needs.pop(0)
        self.allowed.append(seconds)
        self.now += min(need, seconds)
        if need > seconds:
            raise Stopped("timeout", f"no answer within {seconds:g} s")
        return (True, None, []) if kind == wire.LOAD else ()


def test_all_calls_of_a_submission_have_a_limit_together(monkeypatch):
    clock = Clock([1.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 5.0, 5.0, 0.0, 5.0])
    monkeypatch.setattr("autograder.layer.time", clock)
    walled = WalledLayer(clock, [b""], "C", lenient=False, stand_ins=(), load_seconds=10.0, call_seconds=10.0)
    for _ in range(8):  # with the load 69 of 70 seconds
        walled.run(Script())
    for _ in range(2):  # the second in a worker of its own, which loads first
        with pytest.raises(Stopped, match="all calls together took 70 s"):
            walled.run(Script())
    assert clock.allowed == [10.0] * 8 + [6.0, 1.0, 0.01, 0.01]


COUNTING = """
CALLS = []
class C:
    def forward(self):
        CALLS.append(0)
        return float(len(CALLS))
"""


def test_the_second_worker_knows_nothing_of_what_the_first_was_asked():
    script = Script()
    asked = script.call(script.new(), "forward")
    with Zygote("L1") as zygote:
        layer = WalledLayer(
            zygote,
            [COUNTING.encode()],
            "C",
            lenient=False,
            stand_ins=(),
            load_seconds=10.0,
            call_seconds=10.0,
        )
        answers = [one.run(script)[asked] for one in (layer, layer, layer.apart(), layer.apart(), layer)]
        assert layer.apart() is layer.apart() is not layer
        layer.close()
    assert answers == [1.0, 2.0, 1.0, 2.0, 3.0]


class Large:
    def __init__(self, count):
        self.array = np.zeros(count)


def test_answers_that_are_too_large_together_are_described():
    quarter, half = wire.MAX_PAYLOAD // 32, wire.MAX_PAYLOAD // 16  # in numbers of 8 bytes
    for count, crossing in ((quarter, 3), (half + 1, 0)):
        ops = [("new", [("count", count)]), *[("get", wire.Ref(0), "array")] * 5]
        encoded = Interpreter(Large).run(ops)
        assert sum(map(len, encoded)) < wire.MAX_PAYLOAD - 2**16
        answers = [wire.decode(value) for value in encoded[1:]]
        assert [type(answer) for answer in answers[:crossing]] == [np.ndarray] * crossing
        described = wire.Described("oversized_ndarray", "float64", (count,))
        assert answers[crossing:] == [described] * (5 - crossing)


def test_a_large_cache_costs_its_points_and_nothing_else(grader):
    layer = REFERENCE.replace(
        "        return out\n", "        self.cache += (BIG,) * 9\n        return out\n"
    )
    layer = layer.replace("A = self.cache\n", "A = self.cache[:5]\n") + "\nBIG = np.zeros(2**19)\n"
    grade, checks = graded(grader, layer)
    found = {e.part: (e.verdict, e.value) for e in checks["forward"].evidence}
    assert found["cache"] == ("failed", "oversized")
    assert (grade.score, grade.flags) == (95, ())


def test_names_of_numpy_that_a_submission_replaces_are_its_own_loss_only(grader):
    """Honest files do this by `np.random = ...` or a star import the wrong way round."""
    grade, _ = graded(grader, REFERENCE + "\nnp.random.get_state = np.random.seed = None\n")
    assert (grade.score, grade.flags) == (100, ())


def test_a_file_that_draws_at_random_draws_the_same_in_every_worker(grader):
    drawing = REFERENCE.replace("import numpy as np\n", "import random\n\nimport numpy as np\n", 1).replace(
        "self.cache = None\n", "self.cache = None\n        self.Wq += random.random() + np.random.rand()\n", 1
    )
    first, _ = graded(grader, drawing)
    assert first.score < 100
    assert graded(grader, drawing)[0] == first

"""The lock-down: each level is proved where it holds, denied by name where not, and lets honest code run.

`lockdown/driver.py` forks and locks, in a process of its own. Docker's capability set is simulated;
Docker's own seccomp profile is not, but each call of ours that such a profile may refuse is refused.
"""

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autograder.sandbox import levels, linux, lockdown

HERE = Path(__file__).parent
SOURCE = HERE.parent / "solutions" / "self_attention" / "self_attention.py"
NOBODY = 65534
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

on_linux = pytest.mark.skipif(not linux.supported, reason="Linux on x86-64 or aarch64 only")
as_root = pytest.mark.skipif(not ROOT, reason="needs root to begin with")
USERS = [
    pytest.param("self", NOBODY if ROOT else None, id="root" if ROOT else "user"),
    pytest.param("nobody", None, marks=as_root, id="nobody"),
    pytest.param("docker", NOBODY, marks=as_root, id="docker"),
]


@pytest.fixture(scope="module")
def canary():
    """A file that everyone may read, in a folder that everyone may enter."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).chmod(0o644)
        yield file.name


@pytest.fixture
def drive(canary):
    def driven(level="L3", *, expect_denied=False, **spec):
        spec.setdefault("uid", NOBODY if ROOT else None)
        spec = {"level": level, "canary": canary, **spec}
        done = subprocess.run(
            [sys.executable, "-I", "-B", str(HERE / "lockdown" / "driver.py"), json.dumps(spec)],
            capture_output=True,
            env={"SECRET": "of the grader"},
            timeout=120,
        )
        assert done.returncode == 0, done.stderr.decode()
        result = json.loads(done.stdout)
        error = result.get("error")
        if error and not expect_denied:
            if error[0] == "namespaces" or error[:2] in (["landlock", e] for e in ABSENT):
                pytest.skip(f"not to be had on this machine: {error[2]}")
            pytest.fail(f"the lock-down was denied: {error[2]}")
        return result

    return driven


ABSENT = (errno.ENOSYS, errno.EOPNOTSUPP)


def failing(result):
    return {item for item, holds, _ in result["proof"] if not holds}


def items(result):
    return {item for item, _, _ in result["proof"]}


@on_linux
@pytest.mark.parametrize(("user", "uid"), USERS)
@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_level_is_proved(drive, level, user, uid):
    result = drive(level, user=user, uid=uid)
    assert failing(result) == set()
    assert result["status"] == 0
    assert ("memory limit" in items(result)) == (level == "L1")
    assert ("landlock alone refuses a file" in items(result)) == (level == "L3")
    assert ("start a process" in items(result)) == (level != "L1")


@on_linux
@pytest.mark.parametrize(
    ("user", "uid"),
    [
        pytest.param("self", 200001 if ROOT else None, id="a-uid-of-its-own" if ROOT else "user"),
        pytest.param("nobody", None, marks=as_root, id="user-namespace"),
    ],
)
def test_contained_level_is_proved(drive, user, uid):
    result = drive("L4", user=user, uid=uid)
    assert failing(result) == set()
    assert {"parent out of sight", "no network", "no ipc", "landlock alone refuses a file"} <= items(result)
    if uid is not None:
        assert ["is not root", True, f"uid {uid}"] in result["proof"]


@on_linux
def test_namespaces_are_missed_where_they_were_not_entered(drive):
    """A worker that is told L4 outside of any namespace does not come up."""
    assert drive("L4", without=["namespaces"], expect_denied=True)["error"][0] in LONE


LONE = ("parent out of sight", "no network", "no ipc")


@on_linux
@as_root
def test_docker_lacks_the_contained_level_by_default(drive):
    error = drive("L4", user="docker", expect_denied=True)["error"]
    assert error == ["namespaces", errno.EPERM, "namespaces: Operation not permitted (EPERM)"]


@on_linux
@as_root
def test_root_without_the_capability_to_leave_root(drive):
    error = drive("L3", user="powerless", expect_denied=True)["error"]
    assert error[:2] == ["change of user", errno.EPERM]
    assert failing(drive("L1", user="powerless")) == set()


@on_linux
@as_root
def test_root_that_stays_root_is_seen(drive):
    assert failing(drive("L3", uid=None)) == {"is not root"}


@on_linux
@pytest.mark.parametrize(
    ("call", "item"),
    [
        ("landlock_create_ruleset", "landlock"),
        ("landlock_restrict_self", "landlock"),
        ("seccomp", "seccomp"),
        ("prctl", "parent-death signal"),
        ("capset", "capabilities"),
        ("prlimit64", "rlimits"),
    ],
)
def test_denied_call_is_named(drive, call, item):
    error = drive("L3", deny=[call], expect_denied=True)["error"]
    assert error == [item, errno.EPERM, f"{item}: Operation not permitted (EPERM)"]


@on_linux
def test_denied_landlock_leaves_the_level_below(drive):
    assert failing(drive("L2", deny=["landlock_create_ruleset"])) == set()


@on_linux
def test_denied_close_range_has_another_way(drive):
    result = drive("L1", deny=["close_range"], scenario="inherited")
    assert result["answer"]["open"] == [0, 1, 2, "channel"]


@on_linux
def test_lock_that_takes_no_effect_is_seen(drive):
    """A kernel that says yes to a filter and does nothing: each attempt shows it, and leaves nothing."""
    result = drive("L2", without=["seccomp"])
    # What rlimits refuse has another errno; these few are refused to an ordinary user in any case.
    assert items(result) - failing(result) <= {
        "environment is empty", "is not root", "parent lives", "raise a limit", "signal the parent",
        "read the parent's memory", "trace the parent", "use io_uring", "load a BPF program",
    }  # fmt: skip
    assert not list(Path("/tmp").glob("autograder-selftest-*"))
    error = drive("L3", without=["landlock"], expect_denied=True)["error"]
    assert error[2] == "landlock alone refuses a file: it did not take effect"


@on_linux
def test_nothing_is_inherited(drive):
    answer = drive("L1", scenario="inherited")["answer"]
    assert answer == {"open": [0, 1, 2, "channel"], "environment": {}}


@on_linux
def test_standard_input_must_lead_nowhere(drive):
    error = drive("L1", stdin="/dev/zero", expect_denied=True)["error"]
    assert error[0] == "descriptor 0 is not /dev/null"


@on_linux
@pytest.mark.parametrize(("user", "uid"), USERS)
def test_layer_computes_the_same_bits(drive, user, uid):
    result = drive("L3", user=user, uid=uid, scenario="layer", source=str(SOURCE))
    assert result["answer"] == result["unlocked"]


@on_linux
def test_honest_code_runs_or_gets_an_exception(drive):
    refused = "PermissionError"
    assert drive("L3", scenario="honest")["answer"] == {
        "divide": "ZeroDivisionError",
        "recursion": "RecursionError",
        "small allocations": "44850000",
        "64 MiB": "8388608.0",
        "growing": str(64 << 20),
        "list of 2e6": "2000000",
        "over the memory limit": "MemoryError",
        "print": "None",
        "print to stderr": "None",
        "warn": "None",
        "sleep": "None",
        "clock": "True",
        "random": "(3,)",
        "lock with a timeout": "False",
        "signal handler": "<Handlers.SIG_DFL: 0>",
        "matmul": "27000000.0",
        "svd": "50.0",
        "open": refused,
        "listdir": refused,
        "exists": "False",
        "load": refused,
        "system": refused,
        "fork": refused,
        "thread": "RuntimeError",
        "kill": refused,
        "kill itself": refused,
        "socket": refused,
        "receive": "b'hi'",
        "dup": refused,
        "close": refused,
        "read channel as a file": refused,
        "write channel as a file": refused,
        "pi futex": -errno.EPERM,
        "signal another's thread": -errno.EPERM,
        "fd with upper bits": -errno.EPERM,
        "mprotect exec": -errno.EPERM,
    }


@on_linux
def test_ends_that_are_signals(drive):
    assert drive("L3", scenario="abort")["status"] & 0x7F == signal.SIGABRT
    # It ignores SIGXCPU, so the hard limit ends it.
    assert drive("L3", scenario="loop", cpu_seconds=1)["status"] & 0x7F == signal.SIGKILL
    if linux.machine == "x86_64":
        assert drive("L3", scenario="x32")["status"] & 0x7F == signal.SIGSYS


@on_linux
def test_processor_limit_holds_in_a_pid_namespace(drive):
    """The first process of a pid namespace ignores SIGXCPU; a worker is never the first."""
    assert drive("L4", scenario="burn", cpu_seconds=1)["status"] & 0x7F == signal.SIGXCPU


@on_linux
@pytest.mark.parametrize("level", ["L1", "L3", "L4"])
def test_worker_dies_with_its_zygote(drive, level):
    """Also after the change of user, which clears the parent-death signal; also across a pid namespace."""
    assert drive(level, scenario="orphan") == {"ready": "ready\n", "after": ""}


def test_error_is_a_sentence():
    assert str(lockdown.LockdownError("seccomp", errno.EINVAL)) == "seccomp: Invalid argument (EINVAL)"
    assert str(lockdown.LockdownError("no ipc", 0)) == "no ipc: it did not take effect"


def test_levels_are_in_order():
    assert list(levels.LEVELS) == ["L1", "L2", "L3", "L4"]
    assert levels.at_least("L3", "L3") and levels.at_least("L4", "L3") and not levels.at_least("L2", "L3")
    with pytest.raises(ValueError, match="'L5' is not an isolation level; the levels are L1, L2, L3, L4"):
        levels.at_least("L5", "L3")

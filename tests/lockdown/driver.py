"""Plays the zygote for test_lockdown.py: forks one locked-in child, prints what became of it as JSON.

A process of its own, so that pytest's is never forked or locked. `python -I -B driver.py SPEC`,
SPEC being a JSON object: level; user (self, nobody, docker, powerless); uid of the worker; deny (names of
system calls that an outer filter refuses, as a container's would); without (parts of the lock that do
nothing); scenario; cpu_seconds; source (path of a layer); canary; stdin; repeat (adds the medians of
the microseconds that lock-down and self-test took).
"""

import ctypes
import hashlib
import json
import os
import signal
import socket
import statistics
import sys
import time
from pathlib import Path

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "autograder"), str(Path(__file__).parent)]

# Behind the lock no module can be found any more: all that the scenarios use is loaded here.
import subprocess  # noqa: E402
import threading  # noqa: E402
import warnings  # noqa: E402

import numpy as np  # noqa: E402
import numpy.linalg  # noqa: E402
import numpy.random  # noqa: E402
from lesser import become, deny  # noqa: E402
from sandbox import landlock, linux, lockdown, seccomp, selftest  # noqa: E402

GIB = 1 << 30


def passes(layer_class):
    """Digest of everything that one forward and one backward make, at the largest shape in use."""
    rng = np.random.default_rng(7)
    layer = layer_class(64, 32, seed=42)
    out = layer.forward(rng.standard_normal((4, 64, 64)))
    dX = layer.backward(rng.standard_normal(out.shape))
    made = (out, dX, layer.dWq, layer.dWk, layer.dWv, *layer.cache)
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in made)).hexdigest()


def scenario_none(_):
    return None


def scenario_layer(source):
    space = {"__name__": "submission"}
    exec(compile(source, "submission", "exec"), space)
    return passes(space["SelfAttention"])


def outcome(action):
    try:
        return repr(action())
    except BaseException as error:
        return type(error).__name__


def recurse():
    return recurse()


def scenario_honest(_):
    """What honest code does by intent or mistake: a value or a Python exception each time."""
    return {
        "divide": outcome(lambda: 1 / 0),
        "recursion": outcome(recurse),
        "small allocations": outcome(lambda: sum(len(bytes(n)) for n in range(0, 300_000, 1000))),
        "64 MiB": outcome(lambda: float(np.ones(1 << 23).sum())),
        "growing": outcome(lambda: len(b"".join(bytes(1 << 20) for _ in range(64)))),
        "list of 2e6": outcome(lambda: len(list(range(2_000_000)))),
        "over the memory limit": outcome(lambda: np.ones(1 << 29)),
        "print": outcome(lambda: print("hello", flush=True)),
        "print to stderr": outcome(lambda: print("hello", file=sys.stderr, flush=True)),
        "warn": outcome(lambda: warnings.warn("careful", stacklevel=1)),
        "sleep": outcome(lambda: time.sleep(0.001)),
        "clock": outcome(lambda: time.time() > 0 < time.perf_counter() + time.process_time()),
        "random": outcome(lambda: np.random.default_rng().standard_normal(3).shape),
        "lock with a timeout": outcome(lambda: held().acquire(timeout=0.001)),
        "signal handler": outcome(lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN)),
        "matmul": outcome(lambda: float((np.ones((300, 300)) @ np.ones((300, 300))).sum())),
        "svd": outcome(lambda: round(float(np.linalg.svd(np.eye(50))[1].sum()), 6)),
        "open": outcome(lambda: open("x")),
        "listdir": outcome(lambda: os.listdir("/")),
        "exists": outcome(lambda: os.path.exists("/etc/passwd")),
        "load": outcome(lambda: np.load("solution.npy")),
        "system": outcome(lambda: subprocess.run(["true"])),
        "fork": outcome(os.fork),
        "thread": outcome(threading.Thread(target=recurse).start),
        "kill": outcome(lambda: os.kill(os.getppid(), signal.SIGKILL)),
        "kill itself": outcome(lambda: os.kill(os.getpid(), signal.SIGKILL)),
        "socket": outcome(socket.socket),
        "receive": outcome(lambda: CHANNEL.recv(2)),
        "dup": outcome(lambda: os.dup(0)),
        "close": outcome(lambda: os.close(1)),
        "read channel as a file": outcome(lambda: os.read(CHANNEL.fileno(), 1)),
        "write channel as a file": outcome(lambda: os.write(CHANNEL.fileno(), b"x")),
        "pi futex": linux.call("futex", ctypes.create_string_buffer(8), 6, 0, None, None, 0),
        "signal another's thread": linux.call("tgkill", os.getppid() or 1, os.getppid() or 1, 0),
        "fd with upper bits": linux.call("write", (1 << 32) + 1, b"x", 1),
        "mprotect exec": linux.call("mprotect", 0, 0, 4),
    }


def held():
    lock = threading.Lock()
    lock.acquire()
    return lock


def scenario_abort(_):
    os.abort()


def scenario_x32(_):
    linux._syscall(seccomp.X32_BIT | linux.numbers["getpid"], 0, 0, 0, 0, 0, 0)


def scenario_burn(_):
    while True:
        pass


def scenario_loop(_):
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    scenario_burn(None)


def scenario_inherited(_):
    """Descriptors and environment that are left; for L1, where they can still be looked at."""

    def is_open(fd):
        try:
            os.fstat(fd)
        except OSError:
            return False
        return True

    names = {0: 0, 1: 1, 2: 2, CHANNEL.fileno(): "channel"}
    return {"open": [names.get(fd, fd) for fd in range(1024) if is_open(fd)], "environment": dict(os.environ)}


CHANNEL = None


def child(channel, spec, source):
    """Locks itself in and runs the scenario; sends a JSON answer."""
    global CHANNEL
    CHANNEL = channel
    fd = channel.fileno()
    parent = os.getppid()
    answer = {"error": None, "proof": [], "answer": None, "microseconds": None}
    try:
        for part in spec.get("without", ()):
            if part == "seccomp":
                seccomp.install = lambda code: 0
            elif part == "landlock":
                landlock.restrict = lambda: 7
        start = time.perf_counter()
        lockdown.apply(
            spec["level"], channel=fd, memory_bytes=GIB, cpu_seconds=spec.get("cpu_seconds", 20),
            uid=spec.get("uid"),
        )  # fmt: skip
        locked = time.perf_counter()
        answer["proof"] = selftest.prove(
            spec["level"], channel=fd, parent_pid=parent, canary_path=spec["canary"]
        )
        proved = time.perf_counter()
        answer["microseconds"] = [(locked - start) * 1e6, (proved - locked) * 1e6]
        scenario = globals()["scenario_" + spec.get("scenario", "none")]
        channel.sendall(b"ready\n")
        answer["answer"] = scenario(source)
    except lockdown.LockdownError as error:
        answer["error"] = [error.item, error.errno, str(error)]
        channel.sendall(b"ready\n")
    except BaseException as error:
        answer["error"] = ["the driver itself", 0, repr(error)]
    channel.sendall(json.dumps(answer).encode() + b"\n")


def run(spec, source):
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            ours.close()
            child(theirs, spec, source)
        finally:
            os._exit(0)
    theirs.close()
    if spec.get("scenario") == "honest":  # bytes left unread would turn the end of the channel into an error
        ours.sendall(b"hi")
    text = b""
    while part := ours.recv(1 << 16):
        text += part
    ours.close()
    status = os.waitpid(pid, 0)[1]
    lines = text.splitlines()
    return {"status": status, **(json.loads(lines[1]) if len(lines) > 1 else {})}


def orphan(spec):
    """Kill a zygote whose worker loops; whether the worker's end of the channel closed by itself."""
    ours, theirs = socket.socketpair()
    zygote = os.fork()
    if zygote == 0:
        try:
            ours.close()
            if spec["level"] == "L4":
                lockdown.enter_namespaces()
            if os.fork() == 0:
                child(theirs, {**spec, "scenario": "loop"}, None)
            theirs.close()
            signal.pause()
        finally:
            os._exit(1)
    theirs.close()
    ours.settimeout(30)
    ready = ours.recv(16)
    os.kill(zygote, signal.SIGKILL)
    os.waitpid(zygote, 0)
    return {"ready": ready.decode(), "after": ours.recv(16).decode()}


def main():
    spec = json.loads(sys.argv[1])
    source = Path(spec["source"]).read_bytes() if "source" in spec else None
    os.dup2(os.open(spec.get("stdin", os.devnull), os.O_RDWR), 0)
    os.dup2(1, 900)  # one more descriptor to be inherited, above the channel
    become(spec.get("user", "self"))
    # A child writes text that it has not flushed once more; nothing is pending here.
    if spec.get("scenario") == "orphan":
        result = orphan(spec)
    else:
        if "deny" in spec:
            deny(spec["deny"])
        try:
            if spec["level"] == "L4" and "namespaces" not in spec.get("without", ()):
                lockdown.enter_namespaces()
            runs = [run(spec, source) for _ in range(spec.get("repeat", 1))]
            result = runs[0]
            if len(runs) > 1:
                pairs = zip(*(r["microseconds"] for r in runs), strict=True)
                result["median_microseconds"] = [statistics.median(column) for column in pairs]
        except lockdown.LockdownError as error:
            result = {"error": [error.item, error.errno, str(error)]}
    if source is not None:
        space = {"__name__": "submission"}
        exec(compile(source, "submission", "exec"), space)
        result["unlocked"] = passes(space["SelfAttention"])
    print(json.dumps(result))


main()

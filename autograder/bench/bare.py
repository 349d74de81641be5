"""What a worker is measured against: a process that is loaded as a zygote is, and forks when told to.

`python -m autograder.bench.bare SOURCE CLASS C HS UID`. For each line on standard input one fork, and one
line of output: `fork` makes a layer, runs forward and backward and leaves (wall seconds, CPU seconds of
both processes); `lock` locks itself in and proves it (wall seconds, CPU seconds of that alone).
"""

import os
import socket
import struct
import sys
import time
from pathlib import Path

import numpy as np

from autograder.sandbox import lockdown, selftest, zygote

PAIR = struct.Struct("<dd")


def main(source: str, class_name: str, c: str, hs: str, uid: str) -> None:
    zygote.preload()
    space: dict[str, object] = {"__name__": "submission"}
    exec(compile(Path(source).read_text(encoding="utf-8"), source, "exec"), space)
    layer_class, sizes = space[class_name], (int(c), int(hs))
    assert isinstance(layer_class, type)
    rng = np.random.default_rng(0)
    X, G = rng.standard_normal((2, 5, sizes[0])), rng.standard_normal((2, 5, sizes[1]))

    def passes() -> None:
        layer = layer_class(*sizes)
        layer.forward(X)
        layer.backward(G)

    for line in sys.stdin:
        wall, cpu = lock(None if uid == "-1" else int(uid)) if line == "lock\n" else fork(passes)
        print(wall, cpu, flush=True)


def fork(passes) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    began, own = time.perf_counter(), time.process_time()
    pid = os.fork()
    if pid == 0:
        try:
            passes()
        finally:
            os._exit(0)
    _, _, usage = os.wait4(pid, 0)
    spent = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - began, time.process_time() - own + spent


def lock(uid: int | None) -> tuple[float, float]:
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            fd, parent = theirs.fileno(), os.getppid()
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            began, own = time.perf_counter(), time.process_time()
            lockdown.apply("L3", channel=fd, memory_bytes=1 << 30, cpu_seconds=60, uid=uid)
            selftest.prove("L3", channel=fd, parent_pid=parent, canary_path=os.devnull)
            theirs.sendall(PAIR.pack(time.perf_counter() - began, time.process_time() - own))
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        answer = ours.recv(PAIR.size)
    os.waitpid(pid, 0)
    wall, cpu = PAIR.unpack(answer)
    return wall, cpu


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The zygote: a clean process with NumPy loaded, forked once for every worker.

It holds nothing of the course. Its parent speaks to it over a sequenced-packet socket: one packet
asks for a worker and carries the worker's channel; another asks for a worker to be killed. A worker
is reaped only here and only when asked, so its pid cannot be taken by another process meanwhile.
"""

import ctypes
import importlib
import os
import signal
import socket
import struct
import sys
from dataclasses import dataclass

import numpy

from . import worker

REQUEST = struct.Struct("<BI")  # operation, pid or slot
ANSWER = struct.Struct("<iid")  # pid or -errno, wait status, CPU seconds
FORK, KILL = 1, 2
PR_SET_PDEATHSIG = 1

# What an honest submission may import: all of it is loaded here, for a worker can open no file.
PRELOADED = """
abc argparse array ast base64 bisect calendar cmath codecs collections collections.abc contextlib copy
copyreg csv dataclasses datetime decimal difflib enum fractions functools gc hashlib heapq hmac inspect io
itertools json keyword linecache locale logging math numbers operator os os.path pathlib pickle pkgutil
platform pprint random re reprlib secrets shutil signal statistics string struct sys tempfile textwrap
threading time timeit token tokenize traceback types typing unicodedata unittest uuid warnings weakref zlib
encodings.latin_1 encodings.utf_8_sig encodings.cp1252 encodings.ascii encodings.idna __future__
numpy numpy.linalg numpy.random numpy.testing numpy.typing numpy.fft numpy.polynomial numpy.ma
numpy.lib.stride_tricks numpy.ctypeslib numpy.exceptions numpy.strings numpy.char numpy.rec
""".split()  # noqa: SIM905


@dataclass(frozen=True)
class Settings:
    """What a worker is told about itself."""

    level: str
    memory_bytes: int
    cpu_seconds: int
    uid: int | None
    canary: str


def preload():
    for name in PRELOADED:
        importlib.import_module(name)
    exec("from numpy import *", {})  # loads NumPy's lazy submodules
    # Warm what is built on first use: error texts, matmul buffers, the exception path.
    a = numpy.ones((2, 3, 4))
    numpy.einsum("btc,bsc->bts", a, a @ numpy.ones((4, 4)))
    compile("try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\n", "<warm>", "exec")


def threads():
    """Threads of this process; more than one would leave a forked matmul waiting for the others."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def die_with_parent():
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def main(fd, settings):
    die_with_parent()
    control = socket.socket(fileno=fd)
    preload()
    control.send(struct.pack("<I", threads()))
    while True:
        packet, fds, _, _ = socket.recv_fds(control, REQUEST.size, 1)
        if not packet:
            break  # the grader is gone; the workers follow by their parent-death signal
        operation, argument = REQUEST.unpack(packet)
        if operation == FORK:
            control.send(fork(control, fds[0], settings))
        elif operation == KILL:
            control.send(kill(argument))
    os._exit(0)


def fork(control, fd, settings):
    try:
        pid = os.fork()
    except OSError as error:
        os.close(fd)
        return ANSWER.pack(-(error.errno or 1), 0, 0.0)
    if pid == 0:
        os.setsid()
        control.close()
        worker.main(socket.socket(fileno=fd), settings)
    os.close(fd)
    return ANSWER.pack(pid, 0, 0.0)


def kill(pid):
    for send in (os.killpg, os.kill):  # below L2 a submission may have forked
        try:
            send(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    _, status, usage = os.wait4(pid, 0)
    return ANSWER.pack(pid, status, usage.ru_utime + usage.ru_stime)


def start(arguments):
    """Entry: `arguments` are the control descriptor, level, memory, CPU seconds, uid or -1, canary path."""
    fd, level, memory, cpu, uid, canary = arguments
    uid = int(uid)
    lockdown_settings = Settings(level, int(memory), int(cpu), uid if uid >= 0 else None, canary)
    main(int(fd), lockdown_settings)

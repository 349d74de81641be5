"""The zygote: a clean process with NumPy loaded, forked once for every worker.

It holds nothing of the course. Its parent speaks to it over a socket, one fixed-size request and its
answer at a time: one asks for a worker and carries the worker's channel; another asks for a worker to
be killed. A worker is reaped only here and only when asked, so its pid cannot be taken by another
process meanwhile. Pids are those that the zygote and its parent see, also at L4.
"""

import ctypes
import errno
import gc
import importlib
import os
import signal
import socket
import struct
import sys
from collections import deque
from dataclasses import dataclass, replace

import numpy

from . import lockdown, worker

READY = struct.Struct("<ii")  # threads, or 0 and the errno of the denied namespaces
REQUEST = struct.Struct("<BI")  # operation, pid
ANSWER = struct.Struct("<iid")  # pid or -errno, wait status, CPU seconds
FORK, KILL = 1, 2
PR_SET_PDEATHSIG = 1
OWN_UIDS = 1 << 30  # at L4 root's workers are users from here on, far above any account
SLOTS = 64  # workers of one zygote at a time

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
    uid: int | None  # at L4 the first of SLOTS, one for each worker alive
    canary: str


def preload():
    for name in PRELOADED:
        importlib.import_module(name)
    exec("from numpy import *", {})  # loads NumPy's lazy submodules
    # Warm what is built on first use: error texts, matmul buffers, the exception path.
    a = numpy.ones((2, 3, 4))
    numpy.einsum("btc,bsc->bts", a, a @ numpy.ones((4, 4)))
    # Every worker begins with this state, so that a file graded twice draws the same numbers.
    numpy.random.seed(0)
    compile("try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\n", "<warm>", "exec")


def settled(largest=1 << 16, tries=64, huge=1 << 21):
    """Arrays to be kept while workers are forked, so that a worker's own lie together behind them.

    They would else lie in gaps all over the memory that it shares with the zygote, and every page that it
    writes to has to be copied first. The last arrays end just below a page of 2 MB: where one begins
    untouched a worker gets it whole, but piece by piece where the zygote has used a part.
    """
    gc.collect()
    gc.freeze()  # what a worker never frees it need not look through
    kept: deque[numpy.ndarray] = deque()  # grows without moving, as a list would
    size, last = largest, numpy.empty(2 * largest - 64, numpy.uint8).ctypes.data
    while size >= 24:
        for _ in range(tries):
            kept.append(numpy.empty(size, numpy.uint8))
            if kept[-1].ctypes.data > last:  # behind all that is there: no such gap is left
                break
        size -= max(8, size // 16)
    for _ in range(2 * huge // largest):
        kept.append(numpy.empty(largest // 2, numpy.uint8))
        last = max(last, kept[-1].ctypes.data)
        if kept[-1].ctypes.data == last and -(last + largest // 2) % huge < largest:
            break
    return kept


def first_to_go():
    """Where memory runs out the kernel is to end a worker, and not the grader."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


def threads():
    """Threads of this process; more than one would leave a forked matmul waiting for the others."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def die_with_parent(parent):
    """End this process with the one of pid `parent`, also where that has ended before this call."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def main(fd, parent, settings):
    die_with_parent(parent)
    first_to_go()
    control = socket.socket(fileno=fd)
    preload()
    os.environ.clear()  # NumPy has read its part
    _kept = settled()
    count = threads()
    # Behind the loading: in a user namespace of its own a process may read less than before.
    if settings.level == "L4" and count == 1:
        try:
            lockdown.enter_namespaces()
        except lockdown.LockdownError as error:
            control.send(READY.pack(0, error.errno))
            os._exit(0)
    control.send(READY.pack(count, 0))
    slots: dict[int, int] = {}  # pid of a worker -> its slot
    while True:
        packet, fds, _, _ = socket.recv_fds(control, REQUEST.size, 1, socket.MSG_WAITALL)
        if len(packet) < REQUEST.size:
            break  # the grader is gone; the workers follow by their parent-death signal
        operation, argument = REQUEST.unpack(packet)
        if operation == FORK:
            control.send(fork(control, fds[0], settings, slots))
        elif operation == KILL:
            control.send(kill(argument))
            slots.pop(argument, None)
    os._exit(0)


def fork(control, fd, settings, slots):
    slot = next((n for n in range(SLOTS) if n not in slots.values()), None)
    try:
        if slot is None:
            raise OSError(errno.EAGAIN, "all slots are taken")
        pid = os.fork()
    except OSError as error:
        os.close(fd)
        return ANSWER.pack(-(error.errno or 1), 0, 0.0)
    if pid == 0:
        os.setsid()
        control.close()
        if settings.level == "L4" and settings.uid is not None:
            settings = replace(settings, uid=settings.uid + slot)
        worker.main(socket.socket(fileno=fd), settings)
    os.close(fd)
    slots[pid] = slot
    return ANSWER.pack(pid, 0, 0.0)


def kill(pid):
    for send in (os.killpg, os.kill):  # below L2 a submission may have forked
        try:
            send(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        except PermissionError as error:
            if send is os.kill:
                return ANSWER.pack(-(error.errno or 1), 0, 0.0)
    _, status, usage = os.wait4(pid, 0)
    return ANSWER.pack(pid, status, usage.ru_utime + usage.ru_stime)


def start(arguments):
    """Entry: `arguments` are the control descriptor, the grader's pid, and the settings.

    At L4 the uids are this zygote's own: no other process of the machine has its pid while it lives.
    """
    fd, parent, *words = arguments
    settings = told(words)
    if settings.level == "L4" and settings.uid is not None:
        settings = replace(settings, uid=OWN_UIDS + os.getpid() * SLOTS)
    main(int(fd), int(parent), settings)


def told(words):
    """From level, memory, CPU seconds, uid or -1, canary path."""
    level, memory, cpu, uid, canary = words
    return Settings(level, int(memory), int(cpu), int(uid) if int(uid) >= 0 else None, canary)


def alone(arguments):
    """Entry of a worker without a zygote: `arguments` are a port of this host, a token, and the settings."""
    port, token, *words = arguments
    preload()
    channel = socket.create_connection(("127.0.0.1", int(port)))
    channel.sendall(bytes.fromhex(token))
    worker.main(channel, told(words))

"""The seccomp filter: a short list of calls that a locked-in worker may make, and no others.

All that honest code needs is loaded before the fork, so the list has no call that takes a path,
makes a process, thread, descriptor or socket, signals or traces another process, changes a limit,
or maps memory as code. Refused calls fail with EPERM, so that `open("x")` in an honest file is a
Python exception with a line number; only calls of a foreign ABI kill, as nothing honest makes them.

PyPI's pyseccomp (2021) needs libseccomp.so on the grading machine; these hundred lines need nothing.
Format of the program: `man 2 seccomp`, `linux/filter.h`.
"""

import ctypes
import errno
import struct

from . import linux

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # linux/audit.h
X32_BIT = 0x40000000  # calls of the x32 ABI, whose numbers overlap those of x86-64

SECCOMP_SET_MODE_FILTER = 1
RET_KILL_PROCESS = 0x80000000
RET_ALLOW = 0x7FFF0000
RET_EPERM = 0x00050000 | errno.EPERM

LOAD, AND, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
NUMBER, ARCH, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data, little-endian

WHOLE, INT = 2**64 - 1, 2**32 - 1
PROT_EXEC = 4
CLOCKS = 15  # numbers of the machine's clocks and of this process's own
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME = 128, 256  # a futex that is not private can be one of two processes
FUTEX_PLAIN = (0, 1, 9, 10)  # WAIT, WAKE, WAIT_BITSET, WAKE_BITSET: none that inherits or requeues

ALWAYS = (
    "gettimeofday", "time", "nanosleep", "times",
    "getrusage", "getrandom", "munmap", "mremap", "madvise", "brk",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
    "sched_yield", "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid",
    "exit", "exit_group",
)  # fmt: skip

Test = tuple[int, int, int]  # argument, mask, value
Rule = tuple[str, tuple[tuple[Test, ...], ...]]


def rules(channel: int, pid: int) -> list[Rule]:
    """Each allowed call with its alternatives, of which one must hold, and in it every test.

    A test (argument, mask, value) holds if `argument & mask == value` in all 64 bits.
    """
    no_code = (((2, PROT_EXEC, 0),),)
    # No flags: out-of-band data on a local socket has been a way into the kernel (CVE-2025-38236).
    plainly = (((0, WHOLE, channel), (3, INT, 0)),)
    futex = tuple(((1, INT & ~FUTEX_CLOCK_REALTIME, plain | FUTEX_PRIVATE),) for plain in FUTEX_PLAIN)
    conditional: list[Rule] = [
        # recvmsg is not here: a descriptor could arrive with it.
        ("recvfrom", plainly),
        ("sendto", plainly),
        ("read", (((0, WHOLE, 0),),)),
        ("write", (((0, WHOLE, 1),), ((0, WHOLE, 2),))),
        ("mmap", no_code),
        ("mprotect", no_code),
        ("futex", futex),
        # A clock by a larger number, or a negative one, is another process's.
        *(
            (name, (((0, INT & ~CLOCKS, 0),),))
            for name in ("clock_gettime", "clock_getres", "clock_nanosleep")
        ),
        ("tgkill", (((0, WHOLE, pid),),)),  # abort() and raise(): to itself only
    ]
    return conditional + [(name, ((),)) for name in ALWAYS]


def program(channel: int, pid: int, machine: str = linux.machine) -> bytes:
    """The filter as an array of struct sock_filter. Raises KeyError for an unknown architecture."""
    numbers = linux.NUMBERS[machine]
    code = [
        (LOAD, 0, 0, ARCH),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (RETURN, 0, 0, RET_KILL_PROCESS),
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        code += [(JUMP_AT_LEAST, 0, 1, X32_BIT), (RETURN, 0, 0, RET_KILL_PROCESS)]
    for name, alternatives in rules(channel, pid):
        if name not in numbers:  # `time` on aarch64
            continue
        # A block ends in RETURN, so what it loads does not disturb the blocks behind it.
        block = []
        for alternative in alternatives:
            block += _allow(alternative)
        if alternatives[-1]:  # it may not have held
            block.append((RETURN, 0, 0, RET_EPERM))
        code.append((JUMP_EQUAL, 0, len(block), numbers[name]))
        code += block
    code.append((RETURN, 0, 0, RET_EPERM))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _allow(alternative: tuple[Test, ...]) -> list[tuple[int, int, int, int]]:
    """Instructions that allow the call if every test holds, else go on behind themselves."""
    tests = []
    for argument, mask, value in alternative:
        for half in (0, 1):
            wanted, bits = value >> 32 * half & 0xFFFFFFFF, mask >> 32 * half & 0xFFFFFFFF
            if bits:
                tests.append((ARGUMENTS + 8 * argument + 4 * half, bits, wanted))
    code: list[tuple[int, int, int, int]] = [(RETURN, 0, 0, RET_ALLOW)]
    for offset, bits, wanted in reversed(tests):
        code.insert(0, (JUMP_EQUAL, 0, len(code), wanted))
        if bits != 0xFFFFFFFF:
            code.insert(0, (AND, 0, 0, bits))
        code.insert(0, (LOAD, 0, 0, offset))
    return code


# Assembled once; a fork only fills in the two values that no instruction has by itself.
_MARKS = (0x7A5B3C1D, 0x7A5B3C2E)
_TEMPLATE = program(*_MARKS) if linux.supported else b""


def filled(channel: int, pid: int) -> bytes:
    """`program(channel, pid)` for this machine, without assembling it again."""
    code = _TEMPLATE
    for mark, value in zip(_MARKS, (channel, pid), strict=True):
        code = code.replace(struct.pack("<I", mark), struct.pack("<I", value))
    return code


def install(code: bytes) -> int:
    """Put this thread under the filter for good: 0 or -errno. Needs no_new_privs."""
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    return linux.call("seccomp", SECCOMP_SET_MODE_FILTER, 0, head)

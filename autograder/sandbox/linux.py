"""Linux system calls by name, without any path to them but libc's `syscall`.

The numbers are those of the kernel's `arch/x86/entry/syscalls/syscall_64.tbl` and
`include/uapi/asm-generic/unistd.h` (aarch64). A name that an architecture lacks is absent there.
Imports on every platform; `supported` says whether calls can be made.
"""

import ctypes
import errno
import os
import sys

# name: (x86-64, aarch64)
_TABLE: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "statx": (332, 291),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "unlinkat": (263, 35),
    "close": (3, 57),
    "close_range": (436, 436),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    "memfd_create": (319, 279),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fork": (57, None),
    "execve": (59, 221),
    "unshare": (272, 97),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "capset": (126, 91),
    "socket": (41, 198),
    "connect": (42, 203),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "shmctl": (31, 195),
    "semctl": (66, 191),
    "msgctl": (71, 187),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
}

ARCHITECTURES = ("x86_64", "aarch64")
NUMBERS: dict[str, dict[str, int]] = {
    machine: {name: row[i] for name, row in _TABLE.items() if row[i] is not None}  # type: ignore[misc]
    for i, machine in enumerate(ARCHITECTURES)
}

machine = os.uname().machine if hasattr(os, "uname") else ""
numbers = NUMBERS.get(machine, {})
# A 32-bit Python on a 64-bit kernel speaks another ABI, whose numbers are not in the table.
supported = sys.platform == "linux" and bool(numbers) and sys.maxsize > 2**32

if supported:
    _syscall = ctypes.CDLL(None, use_errno=True).syscall
    _syscall.restype = ctypes.c_long
    _syscall.argtypes = [ctypes.c_long] + [ctypes.c_void_p] * 6


def call(name: str, *arguments: object) -> int:
    """Make a system call: its result, or -errno. An argument is an int, bytes, None or a ctypes array."""
    number = numbers.get(name)
    if number is None:
        return -errno.ENOSYS
    result: int = _syscall(number, *arguments, *(0,) * (6 - len(arguments)))
    return -ctypes.get_errno() if result == -1 else result

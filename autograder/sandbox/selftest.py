"""Shows from within a locked-in worker that the lock holds, by trying what it must refuse.

Nothing is inferred from a version number. Each attempt is a real one that would succeed, or fail in
another way, if its part of the lock were missing, and leaves nothing behind if it does succeed.
"""

import ctypes
import errno
import os
import sys

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

from . import linux, lockdown

AT_CWD = -100
SIGCHLD, CLONE_THREAD = 17, 0x10000
PTRACE_PEEKDATA = 2
RLIMIT_NOFILE = 7
CPU_CLOCK = 2  # of a process, whose pid stands above three bits, inverted
MSG_OOB, MSG_DONTWAIT = 1, 0x40
PROT_READ, PROT_EXEC, PRIVATE_ANONYMOUS = 1, 4, 0x22

Item = tuple[str, bool, str]

_secret = ctypes.create_string_buffer(b"a byte of the parent", 32)  # at the same address in the zygote


def prove(level: str, *, channel: int, parent_pid: int, canary_path: str) -> list[Item]:
    """Try everything that `level` must refuse: (item, holds, detail) for each; proved if all hold.

    `parent_pid` is `os.getppid()` as it was before the lock-down, `canary_path` a file that the
    worker's user may read if nothing forbids it.
    """
    if level == "L1":
        return _limits(canary_path)
    items: list[Item] = list(lockdown.witnessed)
    items.append(("environment is empty", not os.environ, ""))
    items.append(("is not root", os.geteuid() != 0, f"uid {os.geteuid()}"))
    items.append(("parent lives", os.getppid() == parent_pid, f"pid {parent_pid}"))
    for item, attempt in _attempts(channel, parent_pid, os.fsencode(canary_path)):
        items.append(_refused(item, attempt()))
    return items


def _refused(item: str, result: int) -> Item:
    # EPERM is the filter's answer; any other error would be an attempt that came too far.
    if result >= 0:
        return item, False, "it was allowed"
    return item, result == -errno.EPERM, errno.errorcode.get(-result, str(-result))


def _attempts(channel, parent, canary):
    """(item, function that makes the attempt and returns the kernel's answer)."""
    call = linux.call
    temporary = b"/tmp/autograder-selftest-%d" % os.getpid()
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    buffer = ctypes.create_string_buffer(256)
    local, remote = (_vector(text) for text in (buffer, _secret))
    return (
        ("read a file", lambda: _open(canary, os.O_RDONLY)),
        ("ask about a file", lambda: call("newfstatat", AT_CWD, canary, buffer, 0)),
        ("read a link", lambda: call("readlinkat", AT_CWD, b"/proc/self/exe", buffer, 256)),
        ("list a directory", lambda: _open(b"/", os.O_RDONLY | os.O_DIRECTORY)),
        ("read /proc", lambda: _open(b"/proc/self/status", os.O_RDONLY)),
        ("write a new file", lambda: _open(temporary, new, remove=True)),
        ("make a file in memory", lambda: _closed(call("memfd_create", b"selftest", 0))),
        ("make a socket", lambda: _closed(call("socket", 1, 1, 0))),
        ("connect", lambda: call("connect", channel, b"\x01\x00/dev/null", 11)),
        (
            "receive out of band",
            lambda: call("recvfrom", channel, buffer, 1, MSG_OOB | MSG_DONTWAIT, None, 0),
        ),
        ("receive a descriptor", lambda: call("recvmsg", channel, bytes(56), 0x40)),
        ("write to a closed descriptor", lambda: call("write", 3 if channel != 3 else 4, b"x", 1)),
        ("start a process", _fork),
        # Both would fail as malformed; a well-formed one would need a stack.
        ("start a thread", lambda: call("clone", CLONE_THREAD, 0, 0, 0, 0)),
        ("start a thread (clone3)", lambda: call("clone3", None, 0)),
        ("run a program", lambda: call("execve", b"/nonexistent", None, None)),
        ("signal the parent", lambda: call("kill", parent, 0)),
        ("trace the parent", lambda: call("ptrace", PTRACE_PEEKDATA, parent, 0, buffer)),
        ("read the parent's memory", lambda: call("process_vm_readv", parent, local, 1, remote, 1, 0)),
        ("read the parent's clock", lambda: call("clock_gettime", ~parent << 3 | CPU_CLOCK, buffer)),
        ("raise a limit", lambda: call("prlimit64", 0, RLIMIT_NOFILE, b"\xff" * 16, None)),
        ("map memory as code", lambda: _map(PROT_READ | PROT_EXEC)),
        ("use io_uring", lambda: _closed(call("io_uring_setup", 1, buffer))),
        ("load a BPF program", lambda: call("bpf", 0, None, 0)),
        ("change the filter", lambda: call("prctl", 22, 0, 0)),
    )


def _vector(buffer):
    return (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 16)


def _closed(fd):
    if fd >= 0:
        os.close(fd)
    return fd


def _open(path, flags, remove=False):
    fd = _closed(linux.call("openat", AT_CWD, path, flags, 0o600))
    if remove and fd >= 0:
        linux.call("unlinkat", AT_CWD, path, 0)
    return fd


def _fork():
    pid = linux.call("clone", SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        linux.call("exit_group", 0)
    if pid > 0:
        os.waitpid(pid, 0)
    return pid


def _map(protection):
    address = linux.call("mmap", 0, 4096, protection, PRIVATE_ANONYMOUS, -1, 0)
    if address > 0:
        linux.call("munmap", address, 4096)
    return address


def _limits(canary_path: str) -> list[Item]:
    """Level L1: that the limits are in force. Of files and processes it promises nothing."""
    if resource is None:
        return [("own process", True, f"{sys.platform} has no rlimits")]
    items: list[Item] = []
    try:
        os.close(os.open(canary_path, os.O_RDONLY))
        items.append(("descriptor limit", False, "a file was opened"))
    except OSError as error:
        items.append(
            ("descriptor limit", error.errno == errno.EMFILE, errno.errorcode.get(error.errno or 0, "?"))
        )
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        items.append(("raise a limit", False, "it was allowed"))
    except (OSError, ValueError) as error:
        items.append(("raise a limit", True, str(error)))
    for name, which in (("file size", resource.RLIMIT_FSIZE), ("core dump", resource.RLIMIT_CORE)):
        items.append((f"{name} limit", resource.getrlimit(which) == (0, 0), "0 bytes"))
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    items.append(("processor time limit", 0 <= soft <= hard, f"{soft} s"))
    if sys.platform == "linux":
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        items.append(("memory limit", 0 < soft == hard, f"{soft >> 20} MiB"))
    return items

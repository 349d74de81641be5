"""Locks the calling process in, for good. Called in a fresh fork, before a submission's bytes arrive.

Everything here is prepared at import, so that the fork opens no file and needs about a millisecond.
What each level is worth is in `levels`; that it holds is shown by `selftest`, not assumed.
"""

import errno
import os
import stat
import struct
import sys

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

from . import landlock, linux, namespaces, seccomp

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
SIGKILL = 9
CAPABILITY_VERSION_3 = 0x20080522
STACK_BYTES = 8 << 20  # so that deep recursion ends alike everywhere, whatever the shell had set
DEV_NULL = (1, 3)  # major, minor: Documentation/admin-guide/devices.txt

# What could be tried only while the lock was closing, as (item, holds, detail); `selftest` reports it.
witnessed: list[tuple[str, bool, str]] = []


class LockdownError(Exception):
    """A part of the lock-down was denied. `item` names it; `errno` is the kernel's answer or 0."""

    def __init__(self, item: str, number: int):
        super().__init__(item, number)
        self.item = item
        self.errno = number

    def __str__(self) -> str:
        reason = f"{os.strerror(self.errno)} ({errno.errorcode.get(self.errno, self.errno)})"
        return f"{self.item}: {reason if self.errno else 'it did not take effect'}"


def enter_namespaces() -> None:
    """Level L4 only: called once by the zygote before its first worker; see `namespaces`.

    Raises LockdownError("namespaces", errno).
    """
    _need("namespaces", namespaces.enter())


def apply(level: str, *, channel: int, memory_bytes: int, cpu_seconds: int, uid: int | None) -> None:
    """Lock this process in at `level` ("L4", "L3", "L2" or "L1"); it cannot be undone.

    Leaves descriptors 0, 1, 2 (all become descriptor 0, which must be /dev/null) and `channel`, a
    connected stream socket, on which recv and send go on working. `memory_bytes` bounds the address
    space, `cpu_seconds` the processor time (SIGXCPU; one second later SIGKILL). `uid` is the user
    (and group) to become, for a process that runs as root; None keeps the present one.

    Raises LockdownError if any part is denied; the process is then locked in part and must end. At
    L1 alone a denied change of user is let pass, as it is not part of what L1 promises.
    """
    witnessed.clear()
    parent = os.getppid()
    if os.environ:
        os.environ.clear()
    if sys.platform == "win32":
        return
    _close_descriptors(channel)
    try:
        _drop_privileges(uid)
    except LockdownError:
        if level != "L1":
            raise
    if not linux.supported:
        _limit(memory_bytes, cpu_seconds)
        if level != "L1":
            raise LockdownError("system calls of this platform", errno.ENOSYS)
        return
    # Only now: a change of user clears the signal and resets the dumpable flag.
    _need("parent-death signal", linux.call("prctl", PR_SET_PDEATHSIG, SIGKILL))
    if os.getppid() != parent:  # it died before the signal was armed
        raise LockdownError("parent-death signal", errno.ESRCH)
    _need("dumpable", linux.call("prctl", PR_SET_DUMPABLE, 0))
    _need("no_new_privs", linux.call("prctl", PR_SET_NO_NEW_PRIVS, 1))
    if level == "L4":
        witnessed.extend((item, holds, "") for item, holds in namespaces.alone())
    if level in ("L3", "L4"):
        abi = _need("landlock", landlock.restrict())
        witnessed.append(("landlock alone refuses a file", landlock.refuses(), f"ABI {abi}"))
    for item, holds, _ in witnessed:
        if not holds:
            raise LockdownError(item, 0)
    _limit(memory_bytes, cpu_seconds)  # behind Landlock, which is made through a descriptor
    if level != "L1":
        _need("seccomp", seccomp.install(seccomp.filled(channel, os.getpid())))


def _need(item: str, result: int) -> int:
    if result < 0:
        raise LockdownError(item, -result)
    return result


def _close_descriptors(channel: int) -> None:
    try:
        mode = os.fstat(0)
        is_null = stat.S_ISCHR(mode.st_mode) and (
            sys.platform != "linux" or (os.major(mode.st_rdev), os.minor(mode.st_rdev)) == DEV_NULL
        )
        if not is_null:
            raise LockdownError("descriptor 0 is not /dev/null", errno.EINVAL)
        os.dup2(0, 1)
        os.dup2(0, 2)
        for low, high in ((3, channel - 1), (channel + 1, 2**31 - 1)):
            if low <= high and (not linux.supported or linux.call("close_range", low, high) < 0):
                os.closerange(low, min(high, os.sysconf("SC_OPEN_MAX") - 1) + 1)
    except OSError as error:
        raise LockdownError("descriptors", error.errno or errno.EBADF) from None


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    limits = [
        # A second apart, for a process may ignore SIGXCPU but not what follows it.
        (resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_STACK, STACK_BYTES, STACK_BYTES),
        # Nothing new can be opened, whatever its kind; open descriptors go on working.
        (resource.RLIMIT_NOFILE, 0, 0),
        # No child: binds every user but root.
        (resource.RLIMIT_NPROC, 0, 0),
    ]
    if sys.platform == "linux":  # elsewhere it is refused or without effect
        limits.append((resource.RLIMIT_AS, memory_bytes, memory_bytes))
    for which, soft, hard in limits:
        try:
            highest = resource.getrlimit(which)[1]
            if highest != resource.RLIM_INFINITY:
                soft, hard = min(soft, highest), min(hard, highest)
            resource.setrlimit(which, (soft, hard))
        except (ValueError, OSError) as error:
            raise LockdownError("rlimits", getattr(error, "errno", None) or errno.EPERM) from None


def _drop_privileges(uid: int | None) -> None:
    """Become `uid`, and keep no capability, also none over a user namespace of one's own."""
    if uid is not None:
        try:
            os.setgroups([])
            os.setgid(uid)  # all of real, effective and saved, as root calls it
            os.setuid(uid)
        except OSError as error:
            raise LockdownError("change of user", error.errno or errno.EPERM) from None
    if linux.supported:
        head = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
        _need("capabilities", linux.call("capset", head, bytes(24)))

"""Namespaces of level L4: no process, network or IPC object of the machine is even nameable.

A process cannot move itself into another pid namespace, only its children. So the zygote enters
once, before it forks any worker, and every worker is then born inside with a single fork. The first
child inside is its init: while it lives workers can be forked, and when it dies the kernel kills all
that is left inside.
"""

import ctypes
import errno
import os
import signal
import socket
import struct

from . import linux

CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC = 0x10000000, 0x20000000, 0x40000000, 0x08000000
PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2
# The kernel's counts of what exists: (call, command, arguments before it, where the count is).
IPC_COUNTS = (("shmctl", 14, (0,), 0), ("semctl", 19, (0, 0), 7), ("msgctl", 12, (0,), 0))


def enter() -> int:
    """Move the children of this process into new pid, net and ipc namespaces: 0 or -errno.

    For the zygote, once, single-threaded, before its first worker. Root needs CAP_SYS_ADMIN; another
    user needs permission to create user namespaces, and keeps its one uid inside.
    """
    armed = ctypes.c_int(0)
    linux.call("prctl", PR_GET_PDEATHSIG, ctypes.byref(armed))
    wanted = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC
    uid, gid = os.geteuid(), os.getegid()
    done = linux.call("unshare", wanted if uid == 0 else wanted | CLONE_NEWUSER)
    if done < 0:
        return done
    if uid != 0:
        try:
            _map_to_itself(uid, gid)
        except OSError as error:
            return -(error.errno or errno.EPERM)
    # New credentials clear the signal that ends this process with its parent.
    linux.call("prctl", PR_SET_PDEATHSIG, armed.value)
    return _start_init()


def _map_to_itself(uid: int, gid: int) -> None:
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _start_init() -> int:
    reader, _writer = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        return -(error.errno or errno.EPERM)
    if pid == 0:
        try:
            linux.call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps orphans
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            for fd in [int(name) for name in os.listdir("/proc/self/fd")]:
                if fd > 2 and fd != reader:
                    try:
                        os.close(fd)
                    except OSError:  # the listing's own
                        pass
            # Only the zygote keeps the other end: this read ends with it, whenever it died.
            os.read(reader, 1)
        finally:
            os._exit(0)
    os.close(reader)  # the writer stays open, unused, as long as this process lives
    return 0


def alone() -> list[tuple[str, bool]]:
    """What a worker sees of the namespaces around it, tried before seccomp forbids to try."""
    return [("parent out of sight", os.getppid() == 0), ("no network", _no_network()), ("no ipc", _no_ipc())]


def _no_network() -> bool:
    """A new network namespace has a loopback that is down, so that even 127.0.0.1 is unreachable."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("127.0.0.1", 9))  # UDP: nothing is sent
    except OSError as error:
        return error.errno == errno.ENETUNREACH
    return False


def _no_ipc() -> bool:
    """No System V shared memory, semaphores or message queues of anyone exist in here."""
    info = ctypes.create_string_buffer(256)
    for name, command, before, index in IPC_COUNTS:
        # semctl's command is its third argument, shmctl's and msgctl's the second.
        if linux.call(name, *before, command, info) < 0 or struct.unpack_from("@i", info, 4 * index)[0]:
            return False
    return True

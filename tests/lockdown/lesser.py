"""A process that may do less: as another user, with fewer capabilities, or with calls refused.

`python -I lesser.py USER CALLS COMMAND...` becomes USER (self, nobody, docker, powerless, unkilling), has
every one of CALLS (names, comma-separated, or none) fail with EPERM, and then runs COMMAND. A nobody who
runs a command keeps the right to read, which an interpreter in root's own folder needs; workers drop it.
"""

import os
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "autograder"))

from sandbox import linux, lockdown, seccomp

NOBODY = 65534
# The fourteen capabilities of a default Docker container, by number in linux/capability.h.
DOCKER = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
KEPT = {"docker": DOCKER, "powerless": (), "unkilling": tuple(n for n in DOCKER if n != 5)}
READ = 2  # CAP_DAC_READ_SEARCH
KEEP_CAPABILITIES, DROP_BOUNDING, AMBIENT, RAISE = 8, 24, 47, 2  # of prctl


def hold(capabilities, inheritable=0):
    bits = sum(1 << number for number in capabilities)
    low, high = bits & 0xFFFFFFFF, bits >> 32
    head = struct.pack("=Ii", lockdown.CAPABILITY_VERSION_3, 0)
    assert linux.call("capset", head, struct.pack("=6I", low, low, inheritable, high, high, 0)) == 0


def become(user, reading=False):
    if user == "nobody":
        linux.call("prctl", KEEP_CAPABILITIES, int(reading), 0, 0, 0)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        # As after an exec; else /proc/self would still be root's.
        linux.call("prctl", lockdown.PR_SET_DUMPABLE, 1, 0, 0, 0)
        if reading:
            hold((READ,), inheritable=1 << READ)
            assert linux.call("prctl", AMBIENT, RAISE, READ, 0, 0) == 0
    elif user in KEPT:
        kept = KEPT[user]
        for number in range(41):
            if number not in kept:
                linux.call("prctl", DROP_BOUNDING, number, 0, 0, 0)
        hold(kept)


def deny(names):
    """An outer filter, as of a container: EPERM for `names`, all else allowed."""
    code = [(seccomp.LOAD, 0, 0, seccomp.NUMBER)]
    for name in names:
        code += [(seccomp.JUMP_EQUAL, 0, 1, linux.numbers[name]), (seccomp.RETURN, 0, 0, seccomp.RET_EPERM)]
    code.append((seccomp.RETURN, 0, 0, seccomp.RET_ALLOW))
    assert linux.call("prctl", lockdown.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert seccomp.install(b"".join(struct.pack("<HBBI", *c) for c in code)) == 0


if __name__ == "__main__":
    user, calls, *command = sys.argv[1:]
    become(user, reading=True)
    if calls:
        deny(calls.split(","))
    os.execv(command[0], command)

"""Landlock with an empty ruleset: no file, directory, TCP port or process outside is within reach.

Every right that the running kernel knows is handled and none is granted. The PyPI bindings
(landlock 1.0.0.dev5, alpha) grant paths, which is all that is not needed here. Source of the numbers:
`linux/landlock.h`; of the versions: docs.kernel.org/userspace-api/landlock.html.
"""

import errno
import os
import struct

from . import linux

CREATE_RULESET_VERSION = 1
# By ABI version: rights on files; on TCP (bind, connect); scopes (abstract sockets, signals).
FS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
NET_FROM, NET = 4, 0b11
SCOPE_FROM, SCOPE = 6, 0b11


def attributes(abi: int) -> bytes:
    """struct landlock_ruleset_attr that handles every right known to version `abi` (and here)."""
    fields = [FS[min(abi, max(FS))]]
    if abi >= NET_FROM:
        fields.append(NET)
    if abi >= SCOPE_FROM:
        fields.append(SCOPE)
    return struct.pack(f"={len(fields)}Q", *fields)


def restrict() -> int:
    """Put this thread under the empty ruleset for good: the ABI version, or -errno. Needs no_new_privs."""
    abi = linux.call("landlock_create_ruleset", None, 0, CREATE_RULESET_VERSION)
    if abi < 1:
        return abi if abi < 0 else -errno.EOPNOTSUPP
    attr = attributes(abi)
    ruleset = linux.call("landlock_create_ruleset", attr, len(attr), 0)
    if ruleset < 0:
        return ruleset
    done = linux.call("landlock_restrict_self", ruleset, 0)
    linux.call("close", ruleset)
    return abi if done == 0 else done


def refuses() -> bool:
    """Whether opening a file that everyone may read is refused; true of Landlock only before seccomp."""
    at_cwd = -100
    opened = linux.call("openat", at_cwd, b"/dev/null", os.O_RDONLY)
    if opened >= 0:
        linux.call("close", opened)
    return opened == -errno.EACCES

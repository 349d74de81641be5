"""The isolation levels: their order, what each is worth in a sentence, and which there are where.

A level is in force only when a worker has proved it; see `selftest`.
"""

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """One level: `made_of` in a few words, `worth` in a plain sentence, `needs` to reach it."""

    name: str
    title: str
    made_of: str
    worth: str
    needs: str


# Weakest first.
LEVELS: dict[str, Level] = {
    level.name: level
    for level in (
        Level(
            "L1",
            "separate",
            "own process, time limit, rlimits: fit for checking one's own work, marks are not proof",
            "A mistake in a submission cannot harm the grader, but a hostile one can: "
            "fit for checking one's own work, and marks are not proof.",
            "any system with Python",
        ),
        Level(
            "L2",
            "filtered",
            "seccomp, rlimits",
            "A submission can reach no file, process or network by any system call: "
            "one wall of the kernel stands between it and the marks.",
            "Linux on x86-64 or aarch64, where seccomp filters may be installed",
        ),
        Level(
            "L3",
            "locked",
            "seccomp, Landlock, rlimits, no new privileges",
            "A submission can reach no file, process or network, and two independent walls of the "
            "kernel say so: fit for marks.",
            "L2 on Linux 5.13 or later with Landlock switched on",
        ),
        Level(
            "L4",
            "contained",
            "seccomp, Landlock, rlimits, no new privileges, namespaces",
            "As L3, and nothing of the machine but its kernel is even nameable from within: "
            "for a server that grades strangers.",
            "L3 with root and CAP_SYS_ADMIN, or permission to create user namespaces",
        ),
    )
}


def at_least(level: str, required: str) -> bool:
    """Whether `level` is as strong as `required`. Raises ValueError for an unknown name."""
    order = list(LEVELS)
    for name in (level, required):
        if name not in order:
            raise ValueError(f"{name!r} is not an isolation level; the levels are {', '.join(order)}")
    return order.index(level) >= order.index(required)


def offered(platform: str = sys.platform) -> list[str]:
    """The levels that can be had on `platform` at all, strongest first."""
    return list(LEVELS)[::-1] if platform == "linux" else ["L1"]


def default(required: str, platform: str = sys.platform) -> str:
    """The level to grade at unless one is asked for: `required`, or L1 where there is nothing else."""
    return required if required in offered(platform) else offered(platform)[0]

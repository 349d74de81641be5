"""All attacks at each level, as root and as an ordinary user: `python -m tests.attacking`, one line each.

Exit code 1 unless nothing was gained, read, left, changed or stopped, and every grade is the expected one.
"""

from __future__ import annotations

import sys

from .run import ENDLESS, KERNEL, OTHERS, Impossible, run

PLAIN = "--no-diagnosis"
RUNS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("L3", "self", OTHERS, ()),
    ("L3", "self", ENDLESS, (PLAIN,)),
    ("L3", "nobody", OTHERS, (PLAIN,)),
    ("L3", "nobody", ENDLESS, (PLAIN,)),
    ("L4", "self", KERNEL, (PLAIN,)),
    ("L4", "nobody", KERNEL, (PLAIN,)),
    ("L2", "self", KERNEL, (PLAIN,)),
    ("L2", "nobody", KERNEL, (PLAIN,)),
)


def main() -> int:
    wrong = False
    for level, user, rooms, options in RUNS:
        try:
            figures = run(level, user, rooms, *options)
        except Impossible as reason:
            print(f"{level} as {user}: not run: {reason}", flush=True)
            continue
        print(figures, flush=True)
        for problem in figures.problems:
            print(f"    {problem}", flush=True)
        wrong = wrong or bool(figures.problems)
    return int(wrong)


if __name__ == "__main__":
    if not sys.platform.startswith("linux"):
        sys.exit("the attacks need a level above L1, which Linux alone has")
    sys.exit(main())

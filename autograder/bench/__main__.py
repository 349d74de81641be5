"""`python -m autograder.bench`: every table, in one run."""

import os
import platform

from . import grading, wall


def main() -> None:
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    print(f"{machine}, Python {platform.python_version()}")
    for table in (grading, wall):
        print(f"\n{table.lines()}", flush=True)


main()

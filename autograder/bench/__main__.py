"""`python -m autograder.bench`: every table, in one run, written to docs/bench.md."""

import argparse
import os
import platform
from pathlib import Path

import numpy as np

from . import batches, grading, wall

ROOT = Path(__file__).resolve().parents[2]


def machine() -> str:
    """What the figures depend on, in one line."""
    try:
        names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name")]  # fmt: skip
    except OSError:
        names = []
    load = f"load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else "load not known"
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    processor = f"{os.cpu_count()} x {names[0] if names else 'processor'}"
    return f"{system}, {processor}, Python {platform.python_version()}, NumPy {np.__version__}, {load}"


def main() -> None:
    def sizes(text: str) -> list[int]:
        return sorted(int(size) for size in text.split(",") if size)

    parser = argparse.ArgumentParser(prog="python -m autograder.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=sizes, default="1,20,200,1000,10000")
    parser.add_argument("--peer-sizes", type=sizes, default="1,20,200", help="otter and nbgrader, of --sizes")
    parser.add_argument("--write", type=Path, default=ROOT / "docs" / "bench.md")
    chosen = parser.parse_args()
    parts = [f"# What grading costs\n\nWritten by `make bench`. {machine()}"]
    print(parts[0], flush=True)
    tables = (
        grading.lines,
        wall.lines,
        lambda: batches.lines(chosen.sizes, chosen.peer_sizes, chosen.rounds),
    )
    for table in tables:
        parts.append(table())
        print(f"\n{parts[-1]}", flush=True)
    chosen.write.write_text("\n\n".join(parts) + "\n")


main()

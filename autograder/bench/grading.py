"""What grading one file costs, as ratios to `python -c "import numpy"` on the same machine.

Medians over several rounds, interleaved so that drift meets both alike.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROUNDS = 7
ROOT = Path(__file__).resolve().parents[2]


def once(command: list[str]) -> tuple[float, float, float]:
    """(wall seconds, CPU seconds, peak MiB of the largest process) of one whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, usage.ru_maxrss / 1024


def lines() -> str:
    """The table in Markdown."""
    file = ROOT / "solutions" / "self_attention" / "self_attention.py"
    with tempfile.TemporaryDirectory() as out:
        commands = {
            "import numpy": [sys.executable, "-c", "import numpy"],
            "grade one file": [
                sys.executable, "-m", "autograder", "grade", str(file), "--out", out,
                "--course", str(ROOT / "grading.toml"),
            ],
        }  # fmt: skip
        seen: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                seen[name].append(once(command))
    base = median(wall for wall, _, _ in seen["import numpy"])
    table = [
        f"Whole processes, medians of {ROUNDS} rounds", "",
        "| command | wall s | ratio | CPU s | peak MiB |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for name, rows in seen.items():
        wall, cpu, peak = (median(column) for column in zip(*rows, strict=True))
        table.append(f"| {name} | {wall:.2f} | {wall / base:.1f} | {cpu:.2f} | {peak:.0f} |")
    return "\n".join(table)

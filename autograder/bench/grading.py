"""What grading one file costs, as ratios to `python -c "import numpy"` on the same machine.

Medians over several rounds, interleaved so that drift meets both alike.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from autograder.bench.measure import Cost, cost, medians

ROUNDS = 7
ROOT = Path(__file__).resolve().parents[2]


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
        seen: dict[str, list[Cost]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                seen[name].append(cost(command, ROOT))
    base = medians(seen["import numpy"]).wall
    table = [
        f"Whole processes, medians of {ROUNDS} rounds", "",
        "| command | wall s | ratio | CPU s | peak MiB |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for name, costs in seen.items():
        c = medians(costs)
        table.append(f"| {name} | {c.wall:.2f} | {c.wall / base:.1f} | {c.cpu:.2f} | {c.largest:.0f} |")
    return "\n".join(table)

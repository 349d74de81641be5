"""A picture of what differs: characters here, an SVG file beside."""

import json
import math
import subprocess
import sys
from pathlib import Path

from . import svg
from .arrays import LIMIT
from .facts import FOLDER

SAME = 1e-8  # of the largest expected entry: below is rounding
WORST = 3  # entries in numbers
RAMPS = {True: "·░▒▓█", False: ".:+#@"}  # by whether block characters can be shown


def show(screen, facts, task):
    """Draw the arrays of a task. Returns the exit code: 0 when there is a picture."""
    entry = facts["tasks"][task]
    if entry["method"] not in facts["pictures"]:
        screen.text(
            f"There is no picture of {task} {entry['title']}, only of: {', '.join(facts['pictures'])}."
        )
        return 2
    try:
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("arrays.py")), entry["method"]],
            cwd=FOLDER, capture_output=True, timeout=LIMIT + 5, check=False,
        )  # fmt: skip
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        answer = {"problem": f"it does not end by itself in {LIMIT:g} s"}
    if "problem" in answer:
        screen.text(f"No picture of {task} {entry['title']}: {answer['problem']}. python check.py says more.")
        return 1
    screen.text(f"{task} {entry['title']} at the lesson's shape and seed: |yours - expected|")
    for name, array in answer["arrays"].items():
        screen.line()
        draw(screen, name, array, name in facts["distributions"])
    path = FOLDER / f"show-{task}.svg"
    path.write_text(svg.picture(f"{facts['title']}: {entry['title']}", answer["arrays"]), encoding="utf-8")
    screen.line()
    screen.text(f"The same with your values and the expected ones: {path.name}")
    return 0


def differences(array):
    """|yours - expected| of each entry, infinite where yours is not a number."""
    pairs = zip(array["yours"], array["expected"], strict=True)
    return [math.inf if yours is None else abs(yours - expected) for yours, expected in pairs]


def draw(screen, name, array, distribution):
    """One array: its largest differences in numbers, then all of them; a right distribution as it is."""
    shape = tuple(array["shape"])
    if array["yours"] is None:
        screen.text(f"{name}: yours is {array['form']}, expected a float array {shape}")
        return
    found, largest = differences(array), max(map(abs, array["expected"]), default=0.0)
    most = max(found, default=0.0)
    if most <= SAME * largest:
        screen.text(f"{name} {shape}: no difference beyond rounding")
        if distribution:
            values(screen, array["yours"], shape)
        return
    screen.text(f"{name} {shape}: largest difference {most:.2g}, largest expected entry {largest:.2g}")
    for flat in sorted(range(len(found)), key=lambda i: -found[i])[:WORST]:
        yours = "not finite" if array["yours"][flat] is None else f"{array['yours'][flat]:.4g}"
        screen.text(f"at {index(flat, shape)}: yours {yours}, expected {array['expected'][flat]:.4g}", "  ")
    ramp = RAMPS[screen.blocks]
    shares = "up to a quarter, half, three quarters, all of the largest"
    screen.text(f"{ramp[0]} none   {ramp[1:]} {shares}", "  ")
    grid(screen, [level(value, most) for value in found], shape, ramp)


def values(screen, array, shape):
    """The entries themselves, from the smallest to the largest."""
    low, high = min(array), max(array)
    ramp = RAMPS[screen.blocks]
    screen.line(f"  {ramp} from {low:.4g} to {high:.4g}")
    grid(screen, [round(4 * (value - low) / ((high - low) or 1.0)) for value in array], shape, ramp)


def level(value, most):
    """0 for nothing, else 1 to 4 by quarters of the largest difference."""
    if value == most:
        return 4
    share = 0.0 if math.isinf(most) else value / most
    return 0 if share < 1e-3 else min(4, 1 + int(4 * share))


def grid(screen, levels, shape, ramp):
    """Rows of characters, two a cell; blocks of the first axes side by side as far as there is room."""
    columns = shape[-1] if shape else 1
    rows = shape[-2] if len(shape) > 1 else 1
    lines = ["".join(ramp[v] * 2 for v in levels[i : i + columns]) for i in range(0, len(levels), columns)]
    blocks = [lines[i : i + rows] for i in range(0, len(lines), rows)]
    together = max(1, (screen.width - 2) // (2 * columns + 3))
    for start in range(0, len(blocks), together):
        for row in zip(*blocks[start : start + together], strict=True):
            screen.line("  " + "   ".join(row))
        if start + together < len(blocks):
            screen.line()


def index(flat, shape):
    """The index of entry number `flat`, as a tuple."""
    at = []
    for size in reversed(shape):
        at.append(flat % size)
        flat //= size
    return tuple(reversed(at))

"""What the wall costs: a worker's whole life against a bare fork, its memory, and the trusted process's.

Lives and bare forks take turns, so that whatever else the machine does meets both alike. Linux only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from ..course import load_course
from ..course.mistakes import load_mistakes
from ..layer import Script, WalledLayer
from ..sandbox import ONE_THREAD
from ..sandbox.pool import NOBODY, Zygote
from .grading import ROOT
from .measure import cost

NAME, CLASS, C, HS = "self_attention", "SelfAttention", 8, 4
SOURCE = ROOT / "solutions" / NAME / f"{NAME}.py"
TURNS, EACH = 10, 20
ALIVE, STUDENTS = 20, 200


def lines() -> str:
    """The table in Markdown."""
    if sys.platform != "linux":
        return "The wall: measured on Linux only"
    (life, life_cpu), (bare, bare_cpu), (_, lock_cpu) = turns()
    parts = [
        (f"worker's life, CPU ms ({life_cpu:.2f}) against a bare fork's ({bare_cpu:.2f})",
         f"{life_cpu / bare_cpu:.2f} x", "2.5 x"),
        (f"the same, wall ms ({life:.2f}, {bare:.2f}), medians", f"{life / bare:.2f} x", "2.5 x"),
        ("lock-down and self-test within it, CPU ms", f"{lock_cpu:.2f}", "2"),
        (f"PSS a worker, {ALIVE} alive, MB", memory(), "8"),
        (f"largest process of grading {STUDENTS}, MB", f"{class_peak():.0f}", "150"),
    ]  # fmt: skip
    table = [
        f"The wall at L3, {TURNS * EACH} lives and as many bare forks in {TURNS} turns", "",
        "| what | measured | at most |", "|---|---|---|",
    ]  # fmt: skip
    return "\n".join(table + [f"| {what} | {value} | {target} |" for what, value, target in parts])


def one_pass() -> Script:
    """Construct, forward, backward at the lesson's shape."""
    rng = np.random.default_rng(0)
    script = Script()
    layer = script.new(C=C, hs=HS)
    script.call(layer, "forward", rng.standard_normal((2, 5, C)))
    script.call(layer, "backward", rng.standard_normal((2, 5, HS)))
    return script


def walled(zygote: Zygote) -> WalledLayer:
    return WalledLayer(
        zygote,
        [SOURCE.read_bytes()],
        CLASS,
        lenient=False,
        stand_ins=(),
        load_seconds=10.0,
        call_seconds=10.0,
    )


def turns() -> list[tuple[float, float]]:
    """(median wall ms, mean CPU ms) of a life, a bare fork, a lock-down."""
    rows: list[list[tuple[float, float]]] = [[], [], []]
    script, uid = one_pass(), NOBODY if os.geteuid() == 0 else -1
    command = [sys.executable, "-B", "-m", "autograder.bench.bare", SOURCE, CLASS, C, HS, uid]
    forking = subprocess.Popen(
        list(map(str, command)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=ONE_THREAD,
        text=True,
    )
    with Zygote("L3") as zygote, forking as forker:
        for turn in range(TURNS + 1):
            before = processor(zygote)
            lives = [life(zygote, script) for _ in range(EACH)]
            cpu = (processor(zygote) - before) / EACH
            forks = [ask(forker, "fork") for _ in range(EACH)]
            locks = [ask(forker, "lock") for _ in range(EACH)]
            if turn:  # the first warms up
                rows[0] += [(wall, cpu) for wall in lives]
                rows[1] += forks
                rows[2] += locks
    columns = [tuple(zip(*pairs, strict=True)) for pairs in rows]
    return [(1e3 * median(wall), 1e3 * sum(cpu) / len(cpu)) for wall, cpu in columns]


def life(zygote: Zygote, script: Script) -> float:
    began = time.perf_counter()
    layer = walled(zygote)
    layer.load()
    layer.run(script)
    layer.close()
    return time.perf_counter() - began


def processor(zygote: Zygote) -> float:
    """CPU seconds so far of this process, of the zygote and of the workers that it has reaped."""
    own = int(Path(f"/proc/{zygote.pid}/schedstat").read_text().split()[0]) / 1e9
    return time.process_time() + own + zygote.cpu_seconds_spent


def ask(forker: subprocess.Popen[str], what: str) -> tuple[float, float]:
    assert forker.stdin and forker.stdout
    forker.stdin.write(what + "\n")
    forker.stdin.flush()
    wall, cpu = map(float, forker.stdout.readline().split())
    return wall, cpu


def memory() -> str:
    """Largest proportional set size of workers that have all run a layer and are all alive."""
    script, sizes = one_pass(), []
    with Zygote("L3") as zygote:
        layers = [walled(zygote) for _ in range(ALIVE)]
        for layer in layers:
            layer.load()
            layer.run(script)
        for pid in Path(f"/proc/{zygote.pid}/task/{zygote.pid}/children").read_text().split():
            try:
                text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except PermissionError:
                return "only root may read it"
            sizes.append(next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")))
        for layer in layers:
            layer.close()
    assert len(sizes) == ALIVE
    return f"{max(sizes) * 1024 / 1e6:.1f}"


def class_peak() -> float:
    """MB of the largest process while one grades a class: known mistakes, and right layers beside them."""
    course = load_course(ROOT)
    reference = SOURCE.read_text(encoding="utf-8")
    texts = [mistake.apply(reference) for mistake in load_mistakes(course.mistakes_path(NAME), reference)]
    texts += [reference] * STUDENTS
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts[:STUDENTS]):
            path = Path(folder) / "class" / f"student{number}" / SOURCE.name
            path.parent.mkdir(parents=True)
            path.write_text(f"{text}\n# {number}\n", encoding="utf-8")
        command = [
            sys.executable, "-m", "autograder", "grade", f"{folder}/class", "--out", f"{folder}/out",
            "--jobs", "1", "--course", str(ROOT / "grading.toml"), "--require-isolation", "L3",
        ]  # fmt: skip
        return cost(command, ROOT).largest * 2**20 / 1e6

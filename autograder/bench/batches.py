"""A class from 1 to 10,000 submissions: ours, the same checks without isolation, otter and nbgrader.

All on the same submissions in the same run; the tools take turns within a round, so that drift meets all.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.bench import sample
from autograder.bench.measure import Cost, cost, grading, medians
from autograder.bench.peers import Nbgrader, Otter
from autograder.course import load_course

ROOT = Path(__file__).resolve().parents[2]
NAME = "self_attention"
TOOLS = ROOT / ".venv-platforms" / "bin"
CHECKS, FULL, BARE = "autograder, checks alone", "autograder, with diagnosis", "same checks, not isolated"
PEERS = (Otter, Nbgrader)
SMALL, TARGET = 100, 200  # sizes at which memory and the ratios are stated
# Classes above these are run once, which takes minutes in which drift evens out; the longest, checks alone.
ONCE, ONCE_PEERS, LONG = 200, 20, 1000

Costs = dict[tuple[str, int], Cost]


class Bench:
    """A class of the largest size and the tools; a smaller class is its first submissions."""

    def __init__(self, folder: Path, count: int):
        self.folder, self.course = folder, load_course(ROOT)
        sample.make(self.course, NAME, ROOT / "tests" / "styles", folder / "all", count)
        self.files = sorted((folder / "all").glob(f"*/{NAME}.py"))
        self.peers = {}
        if TOOLS.is_dir():
            cls = self.course.assignments[NAME].class_name
            self.peers = {kind.title: kind(TOOLS, cls, NAME, folder / kind.__name__) for kind in PEERS}

    def ours(self, count: int, *options: str, jobs: int = 1) -> Cost:
        """`autograder grade` from nothing, on the first `count`."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        arguments = ["grade", str(self._first(count)), "--out", str(out), "--jobs", str(jobs), *options]
        return grading([*arguments, "--course", str(ROOT)], ROOT, self.folder)

    def bare(self, count: int) -> Cost:
        module = [sys.executable, "-m", "autograder.bench.unwalled"]
        return cost([*module, str(ROOT), NAME, str(self._first(count))], ROOT)

    def tools(self, count: int, peers: bool) -> dict[str, Callable[[], Cost]]:
        found: dict[str, Callable[[], Cost]] = {
            CHECKS: lambda: self.ours(count, "--no-diagnosis"),
        }
        if count <= LONG:
            found |= {FULL: lambda: self.ours(count), BARE: lambda: self.bare(count)}
        if peers:
            for title, peer in self.peers.items():
                found[title] = lambda peer=peer: peer.grade(self.files[:count])  # type: ignore[misc]
        return found

    def _first(self, count: int) -> Path:
        folder = self.folder / f"first-{count}"
        if not folder.exists():
            for file in self.files[:count]:
                shutil.copytree(file.parent, folder / file.parent.name)
        return folder


def measured(bench: Bench, sizes: Sequence[int], peer_sizes: Sequence[int], rounds: int) -> Costs:
    """Medians over the rounds."""
    seen: dict[tuple[str, int], list[Cost]] = {}
    for size in sizes:
        tools = bench.tools(size, size in peer_sizes)
        for number in range(rounds):
            for title, run in tools.items():
                if number and size > (ONCE_PEERS if title in bench.peers else ONCE):
                    continue
                seen.setdefault((title, size), []).append(run())
                print(f"{title}, {size}: {seen[title, size][-1]}", file=sys.stderr, flush=True)
    return {key: medians(costs) for key, costs in seen.items()}


def lines(sizes: Sequence[int], peer_sizes: Sequence[int], rounds: int) -> str:
    """The tables in Markdown."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        bench = Bench(Path(name), max(sizes))
        costs = measured(bench, sizes, peer_sizes, rounds)
        shared = max(size for size in sizes if size <= LONG)  # long enough for two processes to start in
        turns = [(bench.ours(shared, "--no-diagnosis"), bench.ours(shared, "--no-diagnosis", jobs=2))
                 for _ in range(rounds)]  # fmt: skip
        jobs = [medians(list(costs)) for costs in zip(*turns, strict=True)]
        memory = [bench.ours(SMALL, "--no-diagnosis").own, costs[CHECKS, max(sizes)].own]
    text = [
        f"A class of up to {max(sizes):,}, three in ten wrong, one process of each tool; medians of {rounds} "
        f"(one above {ONCE:,}, of otter and nbgrader above {ONCE_PEERS})", "",
        "| tool | submissions | CPU ms each | wall ms each | largest process MiB |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for (title, size), found in sorted(
        costs.items(), key=lambda pair: (pair[0][1], list(costs).index(pair[0]))
    ):
        cpu, wall = 1000 * found.cpu / size, 1000 * found.wall / size
        text.append(f"| {title} | {size:,} | {cpu:.1f} | {wall:.1f} | {found.largest:.0f} |")
    if not bench.peers:
        text.append(f"\notter and nbgrader were not measured: {TOOLS.relative_to(ROOT)} is not there")
    return "\n".join([*text, "", *_ratios(costs, sizes), *_scaling(jobs, shared, memory, max(sizes))])


def _ratios(costs: Costs, sizes: Sequence[int]) -> list[str]:
    """Each target of which both sides were measured, on the largest common class."""
    rows = ["| CPU a submission | ratio | at | wanted |", "|---|---|---|---|"]
    wanted = [
        (Otter.title, CHECKS, ">= 60"), (Nbgrader.title, CHECKS, ">= 20"), (CHECKS, BARE, "<= 2"),
        (Otter.title, FULL, ">= 30"), (Nbgrader.title, FULL, ">= 10"),
    ]  # fmt: skip
    for above, below, target in wanted:
        size = max((s for s in sizes if s <= TARGET and {(above, s), (below, s)} <= costs.keys()), default=0)
        if size:
            ratio = costs[above, size].cpu / costs[below, size].cpu
            rows.append(f"| {above} / {below} | {ratio:.1f} | {size} | {target} |")
    for peer in (Otter.title, Nbgrader.title):
        if (peer, 1) in costs and (FULL, 1) in costs:
            ratio = costs[peer, 1].wall / costs[FULL, 1].wall
            rows.append(f"| {peer} / {FULL}, wall, whole process | {ratio:.1f} | 1 | >= 5 |")
    large = [s for s in sizes if s >= 1000]
    if len(large) > 1:
        ratio = costs[CHECKS, large[-1]].cpu / costs[CHECKS, large[0]].cpu
        rows.append(f"| {CHECKS}: {large[-1]:,} / {large[0]:,} | {ratio:.2f} | | <= 10.5 |")
    return rows


def _scaling(jobs: Sequence[Cost], shared: int, memory: Sequence[float], largest: int) -> list[str]:
    one, two = jobs
    return [
        f"| wall, one job / two jobs | {one.wall / two.wall:.2f} | {shared:,} | >= 1.8 on two free cores |",
        f"| CPU, two jobs / one job | {two.cpu / one.cpu:.2f} | {shared:,} | |",
        f"| memory of the command's own process, {largest:,} / {SMALL} submissions | "
        f"{memory[1] / memory[0]:.2f} | {memory[0]:.0f} and {memory[1]:.0f} MiB | <= 1.2 |",
    ]

"""A class to measure on: correct layers in many styles, and three in ten with a known mistake."""

from __future__ import annotations

import random
from pathlib import Path

from autograder.course import Course
from autograder.course.mistakes import load_mistakes

WRONG = 0.3
# Plain Python loops take up to a second of forwards each, whoever grades them; otter reads only UTF-8.
LEFT_OUT = (
    "scalar_loops", "time_loop", "loop_over_batch", "online_softmax", "nested_functions", "fresh_zeros",
    "latin_1",
)  # fmt: skip


def make(course: Course, name: str, styles: Path, folder: Path, count: int, seed: int = 0) -> list[bytes]:
    """Write `count` submissions, a folder each; their texts in order. No two are the same file."""
    chance = random.Random(seed)
    reference = course.solution_path(name).read_text(encoding="utf-8")
    mistakes = load_mistakes(course.mistakes_path(name), reference)
    right = [path.read_bytes() for path in sorted(styles.glob("*.py")) if path.stem not in LEFT_OUT]
    texts = []
    for number in range(count):
        if chance.random() < WRONG:
            text = chance.choice(mistakes).apply(reference).encode()
        else:
            text = chance.choice(right)
        texts.append(text + b"\n# student %d\n" % number)
        path = folder / f"s{number:05}" / f"{name}.py"
        path.parent.mkdir(parents=True)
        path.write_bytes(texts[-1])
    return texts

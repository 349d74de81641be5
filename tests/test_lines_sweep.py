"""How often the line is found: the known mistakes, and single changes to layers of many styles.

`python tests/test_lines_sweep.py` prints the figures with every miss.
"""

import random
import sys
import time
import warnings

import numpy as np
import pytest
from judging import COURSE, REFERENCE, ROOT
from line_finding import Tally, allowed, changed, finder, problem

from autograder.audit.mutants import mutants
from autograder.course.mistakes import load_mistakes
from autograder.diagnosis.derivation import derivation
from autograder.sandbox.interpreter import load
from autograder.sandbox.tracing import Tracer, Tracing

STYLES = ROOT / "tests" / "styles"
UNSEEN = (
    "einsum", "helper_methods", "closures", "fused_qkv", "nested_functions", "walrus", "loop_over_batch",
    "gradient_buffers", "swapaxes", "time_loop", "views_of_one_matrix", "own_buffers",
)  # fmt: skip
EACH = 12  # changes to one style, drawn with SEED
SEED = 1


def behaves(source: str) -> str:
    """ "right" where all programs of the diagnosis come out, else "wrong" or "raises"; "" for no layer."""
    tracer = Tracer()
    cls, raised, _ = load([source.encode()], "SelfAttention", False, tracer)
    if cls is None or raised is not None:
        return ""
    with np.errstate(all="ignore"):
        for program in derivation(problem()).programs:
            asked = (program.script.ops, program.indices, program.expected, [], [], [], [])
            errors, raised, _ = Tracing(cls, tracer).op_record(*asked)
            if (errors > program.limit).any():
                return "wrong" if raised is None else "raises"
    return "right"


def of_mistakes():
    """(label, source, lines that count, whether it runs) for every known mistake."""
    for mistake in load_mistakes(COURSE.mistakes_path("self_attention"), REFERENCE):
        source = mistake.apply(REFERENCE)
        lines = changed(REFERENCE, source) | {mistake.line(REFERENCE)}
        method = "zero_grad" if mistake.task == "1.3" else ""
        yield mistake.name, source, allowed(source, lines, False, method), True


def of_changes(text: str, label: str, count: int):
    """The same for `count` single changes that make a layer wrong."""
    made = mutants(text)
    random.Random(SEED).shuffle(made)
    for mutant in made:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = behaves(mutant.source)
        if kind in ("wrong", "raises"):
            missing = mutant.kind == "statement dropped"
            truth = allowed(mutant.source, {mutant.line}, missing, mutant.method)
            title = f"{label} line {mutant.line}: {mutant.before} -> {mutant.after}"
            yield title, mutant.source, truth, kind == "wrong"
            count -= 1
            if count == 0:
                return


def of_styles(styles=UNSEEN, each=EACH):
    for style in styles:
        yield from of_changes((STYLES / f"{style}.py").read_text(encoding="utf-8"), style, each)


def tally(faults, shown=None) -> Tally:
    found, spent = Tally(), []
    with finder() as find:
        for label, source, truth, ran in faults:
            before = time.process_time() + find.worker_seconds
            finding = find(source)
            spent.append(time.process_time() + find.worker_seconds - before)
            if not found.count(finding, truth, ran) and shown:
                got = [line.number for line in finding.lines]
                print(f"  missed {label[:200]}; counts {sorted(truth)}, got {got}", file=shown)
    if shown:
        spent.sort()
        middle, most = spent[len(spent) // 2], spent[int(len(spent) * 0.95)]
        print(f"{found}; {1e3 * middle:.0f} ms of processor time, 95% below {1e3 * most:.0f}", file=shown)
    return found


@pytest.mark.sweep
def test_known_mistakes_have_their_line():
    found = tally(of_mistakes())
    assert found.found >= 0.95 * found.faults
    assert found.lines <= 2.5 * found.faults


@pytest.mark.sweep
def test_changes_to_the_reference_have_their_line_and_words():
    found = tally(of_changes(REFERENCE, "reference", 200))
    assert found.found >= 0.95 * found.faults
    assert found.told >= 0.6 * found.ran


@pytest.mark.sweep
def test_changes_to_other_styles_have_their_line():
    found = tally(of_styles())
    assert found.found >= 0.93 * found.faults


if __name__ == "__main__":
    for title, faults in (
        ("known mistakes", of_mistakes()),
        ("200 changes to the reference", of_changes(REFERENCE, "reference", 200)),
        (f"{EACH} changes to each of {len(UNSEEN)} styles", of_styles()),
    ):
        print(title)
        tally(faults, sys.stdout)

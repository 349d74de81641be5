"""Whatever a layer answers, a check judges it: it never raises, and says nothing that JSON or a log obeys.

600 answers, seeds 0 to 119 for each check: the reference's, one in twelve or nearly all replaced by others.
"""

import random

import numpy as np
import pytest
from judging import ASSIGNMENT, REFERENCE, checks

from autograder.grade.model import Evidence
from autograder.layer import NOT_RUN, Described, Raised, Results, trusted_layer

REFERENCE_LAYER = trusted_layer(REFERENCE.encode(), ASSIGNMENT.class_name)


def others(value, rng):
    """Something else than `value`, as the wire could carry it."""
    array = value if type(value) is np.ndarray else np.ones((2, 5, 4))
    return rng.choice(
        [
            None, True, -3, 2**62, 1.5, float("nan"), "", "::error::" * 50, NOT_RUN, [], (), [[]],
            (None,) * 16, Raised("raised", "ValueError", "x", (3,)), Raised("raised", "", "", (-1, 2**40)),
            Raised("import", "::error::"), Raised("missing", "dWq"), Raised("shape", "x" * 200),
            Raised("", ""), Raised("memory", "MemoryError"), Raised("unsettable", "Wq"),
            Described("ndarray", "object", (2**40, 0)), Described("\x1b[2J", "", ()),
            np.array(1.0), np.zeros(0), np.zeros((0, 5, 8)), np.zeros((1,) * 8),
            np.zeros((2, 5, 4), complex), np.zeros((2, 5, 4), bool), np.full((2, 5, 4), -(2**63)),
            np.zeros_like(array), np.full(array.shape, np.nan), np.full(array.shape, np.inf),
            np.full(array.shape, 1e308), np.full(array.shape, -5e-324), -array,
            array.astype(np.float16), array.astype(np.float32), array.astype(np.uint8, casting="unsafe"),
            array[..., :1], array[:0], array.T, array.ravel(), [array] * 5, (array, None, array),
        ]
    )  # fmt: skip


class Liar:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.share = 0.9 if seed % 4 == 0 else 1 / 12

    def run(self, script, seconds=None):
        right = REFERENCE_LAYER.run(script)
        return Results([others(v, self.rng) if self.rng.random() < self.share else v for v in right])

    def apart(self):
        return self


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.id)
def test_no_answer_breaks_a_check(check):
    for seed in range(120):
        with np.errstate(all="ignore"):
            outcome = check.run(Liar(seed))
        assert [e.part for e in outcome.evidence] == [part.id for part in check.parts], seed
        for evidence in outcome.evidence:
            assert evidence.points in (0.0, evidence.max_points)
            assert (evidence.points == evidence.max_points) == (evidence.verdict == "passed")
            written = evidence.model_dump_json()
            assert Evidence.model_validate_json(written) == evidence, seed
            assert "::" not in written.replace('":"', "") and "\\u001b" not in written

"""What a wrong submission's report says, whole: each case is frozen in tests/diagnosis/.

`python tests/test_diagnosis_transcripts.py` writes the transcripts anew; read what changed before you commit.
"""

import sys
from pathlib import Path

import pytest
from diagnosis_report import LEVEL, submission
from judging import COURSE, NAME, REFERENCE

from autograder.grade.grader import Grader
from autograder.reports.terminal import student_report

FOLDER = Path(__file__).with_name("diagnosis")


def wrong(*changes):
    source = REFERENCE
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


DEEP = """    def _scores(self, Q, K):
        return self._product(Q, K)

    def _product(self, Q, K):
        return Q @ K

    def zero_grad"""

CASES = {
    # what does not run
    "syntax_error": wrong(("    def forward(self, X):", "    def forward(self, X)")),
    "stops_while_loading": wrong(("class SelfAttention:", "print(weights)\n\n\nclass SelfAttention:")),
    "forbidden_module": wrong(("import numpy as np", "import numpy as np\nimport torch")),
    "near_miss_class": wrong(("class SelfAttention", "class Selfatention")),
    "other_class": wrong(("class SelfAttention", "class Layer")),
    "forward_with_a_capital": wrong(("def forward", "def Forward")),
    "zerograd": wrong(("def zero_grad", "def zerograd")),
    "no_zero_grad": REFERENCE[: REFERENCE.index("    def zero_grad")],
    "gradient_of_another_name": wrong(("self.dWq = np.sum", "self.dwq = np.sum")),
    "three_calls_deep": wrong(
        ("scores = Q @ K.transpose(0, 2, 1)", "scores = self._scores(Q, K)"), ("    def zero_grad", DEEP)
    ),
    "never_ends": wrong(("        dA = dout", "        while True:\n            pass\n        dA = dout")),
    # what has another form
    "returns_nothing": wrong(("        return out\n", "")),
    "backward_returns_nothing": wrong(("        return dX\n", "")),
    "returns_a_tuple": wrong(("        return out\n", "        return out, A\n")),
    "transposed_gradient": wrong((" @ dQ, axis=0)", " @ dQ, axis=0).T")),
    "cache_of_four": wrong(
        ("self.cache = (X, Q, K, V, A)", "self.cache = (X, Q, K, V)"),
        (
            "X, Q, K, V, A = self.cache",
            "X, Q, K, V = self.cache\n        A = softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(self.hs))",
        ),
    ),
    # what has other values
    "no_scale_in_backward": wrong(("dscores = dS / np.sqrt(self.hs)", "dscores = dS")),
    "sqrt_of_width": wrong(("np.sqrt(self.hs)", "np.sqrt(self.C)")),
    "no_row_maximum": wrong(("np.exp(x - np.max(x, axis=axis, keepdims=True))", "np.exp(x)")),
    "two_mistakes": wrong(
        ("scores = scores / np.sqrt(self.hs)", "scores = scores / self.hs"),
        ("dX = dX + dV @ self.Wv.T  # (B, T, C)", "pass"),
    ),
    "not_a_known_mistake": wrong(("dQ = dscores @ K", "dQ = dscores @ (K + 0.5 * V)")),
    # what is right once
    "accumulates": wrong(
        *(
            (f"self.{d} = np", f"self.{d} = (0 if self.{d} is None else self.{d}) + np")
            for d in ("dWq", "dWk", "dWv")
        )
    ),
    "zero_grad_forgets_one": wrong(("        self.dWv = None\n        # END", "        # END")),
    "another_seed": wrong(("default_rng(seed)", "default_rng(42)")),
}


def transcript(grader, source):
    report = student_report(grader.grade(submission(source)))
    return "".join(line + "\n" for line in report.splitlines() if not line.startswith("isolation"))


def new_grader():
    """With little patience, for what never ends."""
    limits = COURSE.limits.model_copy(update={"call_seconds": 1.5})
    return Grader(COURSE.model_copy(update={"limits": limits}), NAME, level=LEVEL)


@pytest.fixture(scope="module")
def grader():
    with new_grader() as grader:
        yield grader


@pytest.mark.parametrize("name", CASES)
def test_the_report_is_as_frozen(grader, name):
    assert transcript(grader, CASES[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_each_transcript_is_of_a_case_and_short():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)
    for path in FOLDER.glob("*.txt"):
        # A check's line, then what is said of it, indented: at most 12 together.
        longest = here = 0
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            here = here + 1 if line.startswith(" ") else 1
            longest = max(longest, here)
        assert longest <= 12, path.name


def write():
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    with new_grader() as grader:
        for name, source in CASES.items():
            (FOLDER / f"{name}.txt").write_text(transcript(grader, source), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())

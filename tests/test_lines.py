"""The line of a fault, proved where one repair is all it takes, and the fault in formula terms."""

import numpy as np
import pytest
from judging import COURSE, REFERENCE, ROOT
from line_finding import allowed, changed, finder, problem

from autograder.checks.problem import Problem
from autograder.course import load_course
from autograder.course.mistakes import load_mistakes
from autograder.diagnosis.derivation import derivation
from autograder.diagnosis.lines import LineFinding, find_lines
from autograder.layer import Loaded, Results, trusted_layer
from autograder.sandbox.interpreter import load
from autograder.sandbox.tracing import Tracer, Tracing
from autograder.sandbox.wire import decode

STYLES = sorted((ROOT / "tests" / "styles").glob("*.py"))
MISTAKES = {m.name: m for m in load_mistakes(COURSE.mistakes_path("self_attention"), REFERENCE)}


@pytest.fixture(scope="module")
def find():
    with finder() as found:
        yield found


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.stem)
def test_no_correct_layer_is_pointed_at(find, path):
    assert find(path.read_bytes()) == LineFinding()


@pytest.mark.parametrize(
    ("name", "lines", "words"),
    [
        ("forward-scale-sqrt-width", (47,), "scores is sqrt(hs)/sqrt(C) times what the derivation gives"),
        ("forward-keys-from-query-weights", (44,), "K: Wq stands where the derivation has Wk"),
        ("backward-scale-missing", (64, 63), "dscores is sqrt(hs) times what the derivation gives"),
        ("backward-scale-hs-without-root", (64,), "dscores is 1/sqrt(hs) times what the derivation gives"),
        (
            "backward-softmax-sum-over-queries",
            (63,),
            "dS: over axis -2 where the derivation has another axis",
        ),
        ("backward-dk-not-transposed", (66,), "dK: dscores is not transposed"),
        ("backward-dq-from-queries", (65,), "dQ: Q stands where the derivation has K"),
        ("backward-value-path-cut", (62,), "dV is zero everywhere"),
        ("backward-dx-key-path-through-query-weights", (71,), "dX: Wq stands where the derivation has Wk"),
        ("backward-weights-averaged-over-batch", (67, 68, 69), "dWq is 1/B times what the derivation gives"),
    ],
)
def test_a_known_mistake_is_on_its_line_and_in_words(find, name, lines, words):
    found = find(MISTAKES[name].apply(REFERENCE))
    assert tuple(line.number for line in found.lines) == lines
    assert words in found.words
    assert {line.proved for line in found.lines} == {
        len(found.lines) < 3
    }  # three faults prove no single line


@pytest.mark.parametrize(
    ("name", "lines", "tensors"),
    [
        ("forward-softmax-no-maximum", (15,), ("out",)),
        ("forward-cache-as-dictionary", (50,), ("cache",)),
        ("backward-gradient-misspelled", (68,), ("dWk",)),
        ("state-gradients-accumulate", (67,), ("dWq", "dWk", "dWv")),
        ("state-input-overwritten-by-backward", (72,), ("X",)),
        ("state-cache-changed-by-backward", (64,), ("dX", "dWq", "dWk", "dWv")),
        ("zero-grad-does-nothing", (76,), ("dWq", "dWk", "dWv")),
        ("init-seed-ignored", (27,), ("Wq", "Wk", "Wv")),
        ("init-global-generator-seeded", (27,), ("np.random",)),
    ],
)
def test_a_fault_of_state_has_a_line_too(find, name, lines, tensors):
    found = find(MISTAKES[name].apply(REFERENCE))
    assert tuple(line.number for line in found.lines)[: len(lines)] == lines
    assert set(tensors) <= set(found.tensors)


@pytest.mark.parametrize(
    ("style", "right", "wrong"),
    [
        ("einsum", 'dA = np.einsum("bih,bjh->bij", dout, V)', 'dA = np.einsum("bih,bjh->bij", dout, K)'),
        ("helper_methods", "return a * (da - (a * da).sum(axis=-1, keepdims=True))", "return a * da"),
        ("fused_qkv", "/ np.sqrt(self.hs)", "/ self.hs"),
        ("loop_over_batch", "dv @ self.Wv.T", "dv @ self.Wk.T"),
        ("closures", "dq, dkt = s_back(a_back(da) * scale)", "dq, dkt = s_back(a_back(da))"),
        ("matmul_out", "np.matmul(dA, K, out=dQ)", "np.matmul(dA, Q, out=dQ)"),
        ("nested_functions", "np.sum(g * A, axis=-1, keepdims=True)", "np.sum(g, axis=-1, keepdims=True)"),
        ("flat_tokens", "np.sqrt(self.hs)", "np.sqrt(self.C)"),
    ],
)  # fmt: skip
def test_whatever_the_names_and_the_style(find, style, right, wrong):
    source = (ROOT / "tests" / "styles" / f"{style}.py").read_text(encoding="utf-8")
    assert right in source
    faulty = source.replace(right, wrong, 1)
    found = find(faulty)
    assert found.lines[0].number in allowed(faulty, changed(source, faulty), False, "")


def test_the_same_file_gives_the_same_lines(find):
    source = MISTAKES["forward-values-from-key-weights-throughout"].apply(REFERENCE)
    assert find(source) == find(source)


@pytest.mark.parametrize(
    "body",
    [
        "import os; os._exit(3)",
        "raise SystemExit",
        "raise KeyboardInterrupt",
        "globals()['__at__'] = None; return X",
        "globals()['__at__'].events = 7; return X",
        "self.__class__.__init__ = None; return X",
        "return X[0]",
        "return [[0.0]]",
    ],
)
def test_nothing_that_a_student_does_is_raised(find, body):
    source = REFERENCE.replace("        Q = X @ self.Wq  # (B, T, hs)\n", f"        {body}\n", 1)
    assert isinstance(find(source), LineFinding)


@pytest.mark.parametrize(
    "source", ["", "class SelfAttention: pass", "def forward(:", "raise ValueError", "while"]
)
def test_a_file_without_the_layer_gives_nothing(find, source):
    assert find(source).words == ()


class Liar:
    """Answers like a watched layer, with some of the values replaced by others."""

    def __init__(self, layer, rng):
        self.layer, self.rng = layer, rng

    def load(self, *, traced):
        return Loaded(True, None, ())

    def run(self, script, seconds):
        results = [decode(value) for value in self.layer.run(script.ops)]
        return Results([self.bent(value) for value in results])

    def bent(self, value):
        if self.rng.random() < 0.002:
            other = [None, -1, 10**9, 1.5, "x" * 9, (), [], np.zeros((2, 0)), np.full((3, 4), np.nan), True]
            return other[self.rng.integers(len(other))]
        if isinstance(value, (tuple, list)):
            return type(value)([self.bent(item) for item in value])
        if isinstance(value, np.ndarray) and value.dtype == float and self.rng.random() < 0.01:
            return np.where(self.rng.random(value.shape) < 0.2, np.inf, value)
        return value


@pytest.mark.parametrize("seed", range(25))
def test_a_worker_that_lies_gives_a_finding_or_none(seed):
    tracer = Tracer()
    source = MISTAKES["backward-softmax-sum-missing"].apply(REFERENCE).encode()
    cls, _, _ = load([source], "SelfAttention", False, tracer)
    liar = Liar(Tracing(cls, tracer), np.random.default_rng(seed))
    assert isinstance(find_lines(liar, problem(), budget_seconds=60.0), LineFinding)


def test_right_numbers_in_other_places_are_no_other_factor(find):
    mixed = "(X.reshape(-1, self.C) @ self.Wq).reshape(X.shape[1], X.shape[0], self.hs).swapaxes(0, 1)"
    found = find(REFERENCE.replace("Q = X @ self.Wq", f"Q = {mixed}"))
    assert [line.number for line in found.lines] == [43]
    assert found.words == ()


class Cut(Liar):
    """Answers as it is, without the last `rows` of what was tried: as when time runs out amid it."""

    def __init__(self, layer, rows):
        super().__init__(layer, None)
        tried = layer.op_trials
        layer.op_trials = lambda *arguments: tried(*arguments)[: -rows or None]

    def bent(self, value):
        return value


@pytest.mark.parametrize(("rows", "lines"), [(0, [63, 64]), (1, [])])
def test_a_search_that_is_cut_by_time_points_at_no_other_line(rows, lines):
    source = REFERENCE.replace("dS = A * (dA - np", "dS = (dA - np").encode()
    tracer = Tracer()
    cls, _, _ = load([source], "SelfAttention", False, tracer)
    found = find_lines(Cut(Tracing(cls, tracer), rows), problem(), budget_seconds=60.0)
    assert [line.number for line in found.lines] == lines


@pytest.mark.parametrize("name", ["linear", "layernorm"])
def test_any_layer(name):
    course = load_course(ROOT / "tests" / "courses" / "layers")
    reference = course.solution_path(name).read_text(encoding="utf-8")
    looked_into = Problem(course.assignments[name], reference.encode())
    mistakes = load_mistakes(course.mistakes_path(name), reference)
    with finder(course, name, looked_into) as find:
        assert find(reference) == LineFinding()
        for mistake in mistakes:
            source = mistake.apply(reference)
            truth = allowed(
                source, changed(reference, source), False, "zero_grad" if "zero" in mistake.name else ""
            )
            assert truth & {line.number for line in find(source).lines}, mistake.name


def answers(layer_class, program):
    results, raised = Tracing(layer_class, Tracer()).play(program.script.ops)
    assert raised is None
    return [results[index] for index in program.indices]


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.stem)
def test_a_rewritten_layer_computes_the_same(path):
    program = derivation(problem()).programs[0]
    rewritten, raised, _ = load([path.read_bytes()], "SelfAttention", False, Tracer())
    assert raised is None
    plain = trusted_layer(path.read_bytes(), "SelfAttention").cls
    for mine, theirs in zip(answers(rewritten, program), answers(plain, program), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_no_words_hold_a_line_of_the_solution(find):
    """Words name quantities and kinds of change; a line of code is nowhere in them."""
    code = {"".join(line.split("#")[0].split()) for line in REFERENCE.splitlines()}
    code = {line for line in code if len(line) >= 8}
    for name in ("backward-dk-not-transposed", "backward-dx-only-value-path", "forward-scale-sqrt-width"):
        said = "".join("".join(find(MISTAKES[name].apply(REFERENCE)).words).split())
        assert said
        assert not [line for line in code if line in said]

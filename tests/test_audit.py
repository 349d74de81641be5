"""The audit: that it makes every small change, tells right from wrong, and says what it found."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from judging import COURSE, NAME, REFERENCE, ROOT

from autograder.audit.behaviour import Behaviour
from autograder.audit.equivalents import load_equivalents
from autograder.audit.judge import Judge, Timed
from autograder.audit.model import Audit, Margin
from autograder.audit.mutants import Mutant, mutants
from autograder.audit.seeded import Seeds
from autograder.cli.main import group
from autograder.course import load_course
from autograder.course.errors import CourseError
from autograder.course.mistakes import load_mistakes
from autograder.layer import InProcessLayer, Script, Stopped, trusted_layer

LAYERS = ROOT / "tests/courses/layers"
MISTAKES = {m.name: m for m in load_mistakes(COURSE.mistakes_path(NAME), REFERENCE)}
STYLES = {path.stem: path.read_bytes() for path in (ROOT / "tests/styles").glob("*.py")}
STRIDE = 7  # every seventh mutant here; `make audit` judges all of them


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(COURSE, NAME)


@pytest.fixture(scope="module")
def made() -> list[Mutant]:
    return mutants(REFERENCE)


def run(*arguments: str) -> tuple[int, str]:
    """The command's exit code and standard output; a known error is raised."""
    result = CliRunner().invoke(group, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


# ---- mutants ----

SMALL = '''
class Layer:
    """Text is left alone."""

    def __init__(self, C, seed=42):
        self.W = self.b = None
        self.C = C

    def forward(self, X, axis=-1):
        if axis == 2:
            X = X.T
        out = X @ self.W  # (B, C)
        out += np.sum(X, axis=axis, keepdims=True)
        return out.transpose(0, 2, 1)
'''


def test_each_kind_of_change_is_made() -> None:
    made = {(m.kind, m.before, m.after) for m in mutants(SMALL)}
    transposed = "return out.transpose(0, 2, 1)"
    total = "out += np.sum(X, axis=axis, keepdims=True)"
    assert made >= {
        ("constant", "def __init__(self, C, seed=42)", "def __init__(self, C, seed=43)"),
        ("constant", "def forward(self, X, axis=-1)", "def forward(self, X, axis=0)"),
        ("constant", "def forward(self, X, axis=-1)", "def forward(self, X, axis=1)"),
        ("target dropped", "self.W = self.b = None", "self.b = None"),
        ("attribute", "self.C = C", "self.W = C"),
        ("statement dropped", "self.C = C", "pass"),
        ("+= for =", "self.C = C", "self.C += C"),
        ("transpose", "X = X.T", "X = X"),
        ("constant", "if axis == 2", "if axis == 0"),
        ("operand", "if axis == 2", "if X == 2"),
        ("operator", "out = X @ self.W", "out = X * self.W"),
        ("operands swapped", "out = X @ self.W", "out = self.W @ X"),
        ("operand dropped", "out = X @ self.W", "out = X"),
        ("operand", "out = X @ self.W", "out = axis @ self.W"),
        ("attribute", "out = X @ self.W", "out = X @ self.b"),
        ("= for +=", total, "out = np.sum(X, axis=axis, keepdims=True)"),
        ("keyword dropped", total, "out += np.sum(X, axis=axis)"),
        ("constant", total, "out += np.sum(X, axis=axis, keepdims=False)"),
        ("function", total, "out += np.mean(X, axis=axis, keepdims=True)"),
        ("call dropped", total, "out += X"),
        ("arguments swapped", transposed, "return out.transpose(2, 0, 1)"),
        ("transpose", transposed, "return out.transpose(1, 2, 0)"),
        ("transpose", transposed, "return out"),
        ("operand", transposed, "return X.transpose(0, 2, 1)"),
    }


def test_mutants_are_distinct_small_and_always_the_same(made: list[Mutant]) -> None:
    assert mutants(REFERENCE) == made
    assert len({m.source for m in made} | {REFERENCE}) == len(made) + 1 > 900
    for mutant in made:
        before, after = REFERENCE.splitlines(), mutant.source.splitlines()
        changed = [n for n, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]]
        assert changed[0] >= mutant.line and len(changed) <= (2 if ";" in mutant.before else 1)


def test_what_people_get_wrong_is_among_the_changes(made: list[Mutant]) -> None:
    assert {m.after for m in made} >= {
        "scores = scores / np.sqrt(self.C)",
        "scores = scores * np.sqrt(self.hs)",
        "scores = scores / self.hs",
        "A = softmax(scores, axis=1)",
        "V = X @ self.Wk",
        "dV = A @ dout",
        "dQ = dscores @ Q",
        "dscores = dA / np.sqrt(self.hs)",
        "dS = A * dA",
        "dS = A * (dA - np.sum(dA * A, axis=-1))",
        "self.dWq += np.sum(X.transpose(0, 2, 1) @ dQ, axis=0)",
        "self.dWk = np.mean(X.transpose(0, 2, 1) @ dK, axis=0)",
        "dX = dK @ self.Wk.T",
    }


def test_no_mutant_survives(judge: Judge, made: list[Mutant]) -> None:
    """Every seventh one: full marks only for what gives the same bits, or is listed with its reason."""
    chosen = made[::STRIDE]
    listed = load_equivalents(COURSE.solution_path(NAME).with_name("equivalents.toml"), made)
    judged = [judge(mutant.source.encode()) for mutant in chosen]
    assert [j.fault for j in judged if j.fault] == []
    full = [(m, j) for m, j in zip(chosen, judged, strict=True) if j.score == 100.0]
    assert [(m.line, m.before, m.after) for m, j in full if not j.same and m not in listed] == []
    assert not [m for m, j in zip(chosen, judged, strict=True) if m in listed and j.score < 100.0]
    print(f"{len(chosen)} of {len(made)} mutants: {len(chosen) - len(full)} killed")
    assert 0 < len(full) < 0.1 * len(chosen)


# ---- what the verdicts rest on ----


def test_the_reference_passes_everything_and_is_the_same_as_itself(judge: Judge) -> None:
    judged = judge(REFERENCE.encode())
    assert (judged.score, judged.lost, judged.lesson, judged.same) == (100.0, {}, True, True)
    assert 0 < judged.figure < 1e-9


def test_a_last_bit_is_a_difference(judge: Judge) -> None:
    changed = REFERENCE.replace("out = A @ V", "out = np.nextafter(A @ V, 9.0)")
    judged = judge(changed.encode())
    assert (judged.score, judged.same) == (100.0, False)


def test_the_number_of_calls_is_counted(judge: Judge) -> None:
    forwards, backwards = judge.forwards()
    assert 150 < forwards < 500 and 40 < backwards < 100


@pytest.mark.parametrize(
    ("name", "passes"),
    [
        ("forward-scale-missing-throughout", True),
        ("state-input-gradient-buffer-reused", True),
        ("forward-softmax-no-maximum", True),
        ("init-generator-shared-by-all-layers", True),
        ("backward-scale-missing", False),
        ("zero-grad-does-nothing", False),
    ],
)
def test_what_the_lessons_three_tests_let_through(judge: Judge, name: str, passes: bool) -> None:
    judged = judge(MISTAKES[name].apply(REFERENCE).encode())
    assert judged.score < 100.0
    assert judged.lesson is passes


def test_a_layer_that_never_ends_is_ended() -> None:
    class Endless(InProcessLayer):
        def run(self, script, seconds=None):
            while True:
                try:
                    while True:
                        pass
                except TimeoutError:
                    return super().run(script)

    layer = Timed(Endless(trusted_layer(REFERENCE.encode(), "SelfAttention").cls), 0.05)
    with pytest.raises(Stopped, match=r"no answer within 0\.05 s"):
        layer.run(Script())


def test_a_mutant_that_does_not_load_scores_nothing(judge: Judge) -> None:
    judged = judge(b"import nowhere")
    assert judged.score == 0.0 and set(judged.lost) == set(COURSE.assignments[NAME].checks.present)


def test_a_global_generator_left_changed_does_not_matter_to_the_next(judge: Judge) -> None:
    np.random.seed(99)
    behaviour = Behaviour(COURSE.assignments[NAME], REFERENCE.encode())
    layer = trusted_layer(REFERENCE.encode(), "SelfAttention")
    assert behaviour.same(layer)
    np.random.seed(7)
    assert behaviour.same(layer)


def test_correct_layers_lose_nothing_under_other_seeds_and_shapes() -> None:
    """88 seeds, the reference and a style by turns: every style once."""
    seeds = Seeds(COURSE, NAME, STYLES)
    runs = [seeds(seed) for seed in range(2 * len(STYLES))]
    assert {run.layer for run in runs} == {"reference", *STYLES}
    assert [(r.seed, r.layer, r.judged.lost) for r in runs if r.judged.score < 100.0] == []
    assert len({str(run.shapes) for run in runs}) == len(runs)
    assert max(run.judged.figure for run in runs) < 1e-7


# ---- equivalents.toml ----


def entry(folder: Path, **changes: str) -> Path:
    fields = {
        "method": '"__init__"', "before": '"self.C = C"', "after": '["pass"]', "reason": '"Nobody reads it."',
    } | changes  # fmt: skip
    path = folder / "equivalents.toml"
    path.write_text("[[equivalent]]\n" + "\n".join(f"{k} = {v}" for k, v in fields.items()), encoding="utf-8")
    return path


def test_listed_equivalents_are_found_by_function_and_statement(tmp_path: Path, made: list[Mutant]) -> None:
    [(mutant, reason)] = load_equivalents(entry(tmp_path), made).items()
    assert (mutant.line, mutant.kind, reason) == (28, "statement dropped", "Nobody reads it.")
    assert load_equivalents(tmp_path / "none.toml", made) == {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"after": '["self.C = 7"]'}, "no change to __init__ makes 'self.C = C' into 'self.C = 7'"),
        ({"method": '"forward"'}, "no change to forward"),
        ({"reason": '""'}, "reason"),
        ({"after": "[]"}, "after"),
        ({"line": "3"}, "line"),
        ({"after": '["pass"'}, "cannot be read"),
    ],
)
def test_an_entry_that_fits_nothing_is_an_error(
    tmp_path: Path, made: list[Mutant], changes: dict[str, str], message: str
) -> None:
    with pytest.raises(CourseError) as error:
        load_equivalents(entry(tmp_path, **changes), made)
    assert message in str(error.value) and str(tmp_path) in str(error.value)


# ---- the next layers: a course of their own, and no line of Python for it ----


@pytest.mark.parametrize("name", ["linear", "layernorm"])
def test_another_layer_is_audited_the_same_way(name: str) -> None:
    code, printed = run("audit", name, "--course", str(LAYERS), "--seeds", "6", "--json")
    found = json.loads(printed)
    assert (code, found["findings"]) == (0, [])
    assert found["reference"]["score"] == 100.0 and found["stub"] == 0.0
    assert found["styles"]["accepted"] == found["styles"]["total"] == 2
    assert found["mistakes"]["killed"] == found["mistakes"]["total"] >= 12
    numbers = found["mutants"]
    assert numbers["survivors"] == [] and numbers["killed"] > 150
    assert numbers["killed"] + numbers["same"] + numbers["listed"] == numbers["generated"]
    assert found["margin"]["decades"] >= 6


def weakened(folder: Path, old: str, new: str) -> Path:
    """The course of layers, its policy changed."""
    shutil.copytree(LAYERS, folder / "course")
    path = folder / "course/grading.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return folder / "course"


def test_a_weak_check_is_found_and_the_same_course_gives_the_same_bytes(tmp_path: Path) -> None:
    course = weakened(tmp_path, "tolerance = 1e-8", "tolerance = 1e3")  # forward, of both layers
    wrong = (
        (course / "solutions/linear/linear.py").read_text().replace("dout @ self.W.T", "2 * dout @ self.W.T")
    )
    (course / "tests/styles/linear/wrong.py").write_text(wrong)
    (course / "assignments/linear/README.md").unlink()
    arguments = ("audit", "linear", "--course", str(course), "--seeds", "0")
    code, printed = run(*arguments, "--json")
    found = json.loads(printed)
    assert code == 1
    text = "\n".join(found["findings"])
    assert "mistake forward-bias-subtracted-throughout keeps full marks" in text
    assert "mistake forward-bias-missing loses nothing in forward, which it names, but gradcheck" in text
    assert "a correct style is refused: wrong: loses gradcheck (X at lesson, X at wide)" in text
    assert "README.md: there is no handout for students yet" in text
    survivors = found["mutants"]["survivors"]
    assert {s["after"] for s in survivors} >= {"return X @ self.W - self.b"} or survivors == []
    assert run(*arguments, "--json", "--jobs", "1") == (code, printed)


def test_the_text_says_what_the_document_holds(tmp_path: Path) -> None:
    code, printed = run("audit", "linear", "--course", str(LAYERS), "--seeds", "0", "--jobs", "1")
    assert code == 0
    lines = printed.splitlines()
    assert all(len(line) <= 110 for line in lines) and lines[-1] == "findings    none"
    for line in ("stub        0 points", "styles      2 of 2 accepted"):
        assert line in lines
    assert "mistakes    16 of 16 lose points, 16 of them in the check that they name" in lines
    assert any(line.startswith("lesson      its three tests alone would pass 4 of 16") for line in lines)


def test_a_narrow_margin_and_a_false_fail_are_findings() -> None:
    found = Audit("x", [], margin=Margin(1e-5, 1e-9, "a", 1e-4, "b"))
    assert found.margin is not None and found.margin.decades == 5.0
    assert found.findings(5.0) == []
    assert found.findings(6.0) == [
        "5 decades between the worst correct and the smallest wrong figure; expected at least 6"
    ]
    assert Audit("x", [], stub=4.0).findings(6.0) == ["the stub has 4 points; expected 0"]


def test_an_unknown_assignment_is_a_usage_error() -> None:
    code, printed = run("audit", "convolution", "--course", str(LAYERS))
    assert (code, printed) == (2, "")


# ---- a new assignment ----


def test_new_lays_a_skeleton_and_its_audit_says_what_is_missing(tmp_path: Path) -> None:
    shutil.copytree(LAYERS, tmp_path / "course")
    course = str(tmp_path / "course")
    before = (tmp_path / "course/grading.toml").read_text(encoding="utf-8")
    assert run("new", "group_norm", "--course", course)[0] == 0
    assert (tmp_path / "course/grading.toml").read_text(encoding="utf-8").startswith(before)
    loaded = load_course(Path(course))
    assert loaded.assignments["group_norm"].class_name == "GroupNorm"
    assert list(loaded.assignments["group_norm"].tasks) == ["3.1", "3.2"]
    code, printed = run("audit", "group_norm", "--course", course, "--json")
    missing = json.loads(printed)["missing"]
    assert code == 1 and len(missing) == 4
    assert "group_norm.py: still to be written, on line 18, 24" in missing[0]
    assert "mistakes.toml: holds no known mistake yet" in missing[1]
    assert "README.md: the handout still has a TODO" in missing[2]
    assert "no correct styles" in missing[3]

    # The rest is the layer itself: with it, with one mistake and a handout, one gap is left to fill.
    solution = loaded.solution_path("group_norm")
    text = solution.read_text(encoding="utf-8")
    forward = "self.cache = (X,)\n        return X @ self.W"
    backward = "X = self.cache[0]\n        self.dW = X.T @ dout\n        return dout @ self.W.T"
    for task, body in (("forward", forward), ("backward", backward)):
        text = text.replace(f'raise NotImplementedError("TODO: write {task}")', body)
    solution.write_text(text, encoding="utf-8")
    mistakes = loaded.mistakes_path("group_norm")
    example = [line[2:] for line in mistakes.read_text(encoding="utf-8").splitlines()[9:]]
    mistakes.write_text("\n".join(example), encoding="utf-8")
    code, printed = run("audit", "group_norm", "--course", course, "--seeds", "2", "--jobs", "1", "--json")
    found = json.loads(printed)
    assert [text.split(": ")[-1] for text in found["missing"]] == [
        "no mistake for task 3.1, forward",
        "the handout still has a TODO",
        "write the layer in other ways, so that false fails show",
    ]
    assert found["mistakes"]["killed"] == 1 and found["mutants"]["survivors"] == []


def test_new_writes_over_nothing(tmp_path: Path) -> None:
    shutil.copytree(LAYERS, tmp_path / "course")
    handout = tmp_path / "course/assignments/softmax/README.md"
    handout.parent.mkdir()
    handout.write_text("mine")
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    for name, message in (
        ("linear", "assignments.linear is there already"),
        ("softmax", "README.md is there already"),
        ("Soft-Max", "cannot name an assignment"),
        ("../up", "cannot name an assignment"),
    ):
        with pytest.raises(ValueError, match=message):
            run("new", name, "--course", str(tmp_path / "course"))
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_students_of_the_other_layers_get_a_stub_and_public_tests(tmp_path: Path) -> None:
    shutil.copytree(LAYERS, tmp_path / "course")
    course = str(tmp_path / "course")
    assert run("build", "--course", course)[0] == 0
    assert run("build", "--check", "--course", course)[0] == 0
    stub = (tmp_path / "course/assignments/linear/linear.py").read_text(encoding="utf-8")
    assert stub.count("# TODO(") == 3 and "X @ self.W" not in stub

"""The list of known mistakes: read strictly, and each mistake loses points in the check that it names."""

import shutil
import warnings
from pathlib import Path

import pytest
from judging import ASSIGNMENT, REFERENCE, ROOT, checks, lost

from autograder.checks.inside import CALLS_FORWARD
from autograder.course import load_course
from autograder.course.errors import CourseError
from autograder.course.mistakes import Mistake, load_mistakes
from autograder.layer import WalledLayer
from autograder.sandbox.pool import Zygote

PATH = ROOT / "solutions/self_attention/mistakes.toml"
MISTAKES = load_mistakes(PATH, REFERENCE)
BY_NAME = {mistake.name: mistake for mistake in MISTAKES}
ENDLESS = "backward-complex-step"  # exact where it ends at all: seen by the time it takes, behind the wall

# Wrong forwards that their backward fits: they lose forward points, and keep those for the gradient.
FITTING = {name for name in BY_NAME if name.endswith("-throughout")} | {
    "forward-scale-constant",
    "forward-softmax-base-two",
    "forward-causal-mask-added",
    "forward-mask-inverted",
    "forward-mask-of-ones-added",
    "forward-cache-in-another-order",
    "forward-cache-without-weights",
    "forward-cache-with-output",
    "forward-cache-as-dictionary",
    "forward-softmax-no-maximum",
    "forward-softmax-one-maximum-for-all",
    "forward-softmax-maximum-not-below-zero",
    "forward-softmax-clipped",
    "forward-softmax-mean-subtracted",
}
BLIND = "forward-values-from-key-weights-throughout"  # fits as well, but Wv is never read


def loses(mistake: Mistake) -> dict[str, set[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow and 0/0 are what some of them are about
        return lost(mistake.apply(REFERENCE).encode())


def test_the_reference_loses_nothing() -> None:
    assert lost(REFERENCE.encode()) == {}


def test_the_list_is_long_enough_and_named_by_kind() -> None:
    assert len(MISTAKES) >= 95
    kinds = ("forward-", "backward-", "state-", "zero-grad-", "init-")
    assert [name for name in BY_NAME if not name.startswith(kinds)] == []


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != ENDLESS])
def test_a_mistake_loses_points_in_the_check_it_names(name: str) -> None:
    found = loses(BY_NAME[name])
    assert BY_NAME[name].check in found
    if name in FITTING:
        assert found.get("gradcheck", set()) == (
            {"Wv at lesson", "Wv at exercise_1"} if name == BLIND else set()
        )
    if name.startswith("backward-"):
        assert "forward" not in found
    if name.startswith("backward-dx-") and name != "backward-dx-weights-not-transposed":  # that one raises
        assert found == {"gradcheck": {"X at lesson", "X at exercise_1"}}
    if name.endswith(("-accumulate", "-accumulates")):
        assert found == {"contract": {"again"}}
    if name.startswith("zero-grad-"):
        assert set(found) == {"zero_grad"}


def test_a_complex_step_is_ended_by_the_clock_and_named() -> None:
    [check] = [check for check in checks() if check.id == BY_NAME[ENDLESS].check]
    source = BY_NAME[ENDLESS].apply(REFERENCE).encode()
    with Zygote("L1", memory_mib=1024, cpu_seconds=20) as zygote:
        layer = WalledLayer(
            zygote,
            (source,),
            ASSIGNMENT.class_name,
            lenient=False,
            stand_ins=(),
            load_seconds=10.0,
            call_seconds=1.0,
        )
        evidence = check.run(layer).evidence
        layer.close()
    assert len(evidence) == 8
    assert {(e.verdict, e.points, e.measure) for e in evidence} == {("timeout", 0.0, CALLS_FORWARD)}


def test_no_two_mistakes_are_the_same_text() -> None:
    assert len({mistake.apply(REFERENCE) for mistake in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_text_is_prose_and_formulas(name: str) -> None:
    mistake = BY_NAME[name]
    question, _, where = mistake.hints
    assert question.endswith("?") and where.endswith(".") and mistake.why.endswith(".")
    for text in (*mistake.hints, mistake.why):
        assert not [code for code in ("np.", "self.", "@", "`", "axis=") if code in text]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("forward-scale-missing", "scores = Q @ K.transpose(0, 2, 1)  # query times key"),
        ("backward-scale-missing", "dscores = dS  # (B, T, T)"),
        ("backward-finite-differences", "X, h = self.cache[0].copy(), 1e-5"),
        ("zero-grad-does-nothing", "pass"),
    ],
)
def test_the_line_of_a_mistake(name: str, text: str) -> None:
    mistake = BY_NAME[name]
    lines = mistake.apply(REFERENCE).splitlines()
    assert lines[mistake.line(REFERENCE) - 1].strip() == text


SOURCE = """
class Layer:
    def forward(self, X):
        # BEGIN SOLUTION 1.1
        out = X @ self.W  # (B, hs)
        return out
        # END SOLUTION 1.1
"""
ENTRY = {
    "name": '"wrong-weight"',
    "task": '"1.1"',
    "check": '"forward"',
    "find": '"out = X @ self.W"',
    "replace": '"out = X @ self.V"',
    "why": '"A letter."',
    "hints": '["Which matrix?", "out = X W", "Look at forward."]',
}


def write(folder: Path, *entries: dict[str, str]) -> Path:
    path = folder / "mistakes.toml"
    tables = (
        "[[mistake]]\n" + "\n".join(f"{key} = {value}" for key, value in entry.items()) for entry in entries
    )
    path.write_text("\n".join(tables), encoding="utf-8")
    return path


def test_a_good_entry_loads(tmp_path: Path) -> None:
    (mistake,) = load_mistakes(write(tmp_path, ENTRY), SOURCE)
    assert mistake.apply(SOURCE) == SOURCE.replace("self.W", "self.V")
    assert mistake.line(SOURCE) == 5
    assert mistake.hints == ("Which matrix?", "out = X W", "Look at forward.")
    assert mistake.reported == ()


def test_several_substitutions_apply_in_order(tmp_path: Path) -> None:
    entry = {key: value for key, value in ENTRY.items() if key not in ("find", "replace")}
    pair = '[{find = "return out", replace = "return 2 * out"}, {find = "self.W", replace = "self.V"}]'
    (mistake,) = load_mistakes(write(tmp_path, entry | {"substitutions": pair}), SOURCE)
    assert mistake.apply(SOURCE) == SOURCE.replace("self.W", "self.V").replace("return out", "return 2 * out")
    assert mistake.line(SOURCE) == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": "3"}, "key 'points': Extra inputs are not permitted"),
        ({"why": None}, "key 'why': Field required"),
        ({"task": '"2.7"'}, "unknown task '2.7'; expected one of 1.1, init"),
        ({"check": '"rows"'}, "key 'check'"),
        ({"hints": '["One?", "Two."]'}, "key 'hints"),
        ({"hints": '["Why?", "out = X  @ self.W", "There."]'}, "hint 2 holds a line of the solution"),
        ({"name": '"Wrong weight"'}, "key 'name'"),
        ({"find": '"absent"'}, "occurs 0 times in the reference, expected exactly once: 'absent'"),
        ({"find": '"out"'}, "occurs 2 times in the reference"),
        ({"replace": None}, "key 'substitutions[0].replace': Field required"),
        ({"replace": '"out = X @ self.W"'}, "change nothing"),
        ({"replace": '"out = X @"'}, "does not compile"),
        ({"substitutions": "[]"}, "keep one of the two forms"),
    ],
)
def test_a_bad_entry_is_refused_with_its_name(
    tmp_path: Path, change: dict[str, str | None], message: str
) -> None:
    entry = {key: value for key, value in (ENTRY | change).items() if value is not None}
    with pytest.raises(CourseError) as error:
        load_mistakes(write(tmp_path, entry), SOURCE)
    assert message in str(error.value)
    assert str(tmp_path / "mistakes.toml") in str(error.value)
    assert entry["name"].strip('"') in str(error.value)


def test_a_name_used_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="'wrong-weight' is listed twice"):
        load_mistakes(write(tmp_path, ENTRY, ENTRY), SOURCE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mistake = 3", r"a list of \[\[mistake\]\] tables"),
        ("a = [", "not valid TOML"),
        ("b = 1", "'b'"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mistakes.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match=message):
        load_mistakes(path, SOURCE)


def test_a_file_of_comments_holds_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "mistakes.toml"
    path.write_text("# none yet\n", encoding="utf-8")
    assert load_mistakes(path, SOURCE) == ()


def test_loading_a_course_refuses_a_mistake_that_no_longer_fits(tmp_path: Path) -> None:
    shutil.copy(ROOT / "grading.toml", tmp_path)
    folder = tmp_path / "solutions/self_attention"
    shutil.copytree(PATH.parent, folder)
    assert load_course(tmp_path).mistakes_path("self_attention").is_file()
    changed = REFERENCE.replace("dV = A.transpose(0, 2, 1) @ dout", "dV = A.swapaxes(1, 2) @ dout")
    (folder / "self_attention.py").write_text(changed, encoding="utf-8")
    with pytest.raises(CourseError) as error:
        load_course(tmp_path)
    lines = str(error.value).splitlines()
    assert len(lines) > 1 and all(line.startswith(f"{folder / 'mistakes.toml'}: mistake ") for line in lines)
    assert "'backward-dv-not-transposed': `find` of substitution 1 occurs 0 times" in str(error.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="cannot be read"):
        load_mistakes(tmp_path / "mistakes.toml", SOURCE)


def test_every_known_mistake_fails_loudly_on_a_changed_reference() -> None:
    changed = REFERENCE.replace("dscores = dS / np.sqrt(self.hs)", "dscores = dS * self.hs**-0.5")
    with pytest.raises(
        CourseError, match="'forward-scale-missing-throughout': `find` of substitution 2 occurs 0 times"
    ):
        load_mistakes(PATH, changed)

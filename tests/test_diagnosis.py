"""Recognising mistakes, patterns of wrong arrays, and what a diagnosis may never do."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from diagnosis_report import LEVEL, MISTAKES, SLOW, STYLES, Oracle, submission
from judging import ASSIGNMENT, COURSE, NAME, REFERENCE, ROOT

from autograder.batch.worker import graded
from autograder.checks.problem import Problem
from autograder.course import load_course
from autograder.diagnosis import diagnostician, failing, fingerprint
from autograder.diagnosis.known import FILE, SLIGHT, Known, mistakes_of
from autograder.diagnosis.match import Matcher
from autograder.diagnosis.pattern import constant, pattern
from autograder.diagnosis.questions import Questions
from autograder.grade.grader import Grader
from autograder.grade.model import Diagnosis
from autograder.layer import trusted_layer
from autograder.sandbox.values import Raised
from autograder.submission import Source

PATH = COURSE.root / "assignments" / NAME / FILE
SIZES = {"B": 3, "T": 5, "C": 23, "hs": 7}
# Mistakes that do the same on any input, or whose only trace is rounding.
GROUPS = [
    {"forward-scale-missing", "forward-scaled-scores-unused"},
    {"forward-scale-hs-without-root", "forward-scale-applied-twice"},
    {"backward-scale-hs-without-root", "backward-scale-applied-twice"},
    {"zero-grad-does-nothing", "zero-grad-local-names"},
]
ROUNDING = {name for name in MISTAKES if name.endswith("-single-precision")} | {"backward-finite-differences"}


@pytest.fixture(scope="module")
def known():
    return Known(
        Questions(Problem(ASSIGNMENT, REFERENCE.encode())), tuple(MISTAKES.values()), PATH.read_bytes()
    )


def answers(known, source):
    with np.errstate(all="ignore"):
        layer = trusted_layer(source.encode(), ASSIGNMENT.class_name)
        return known.questions.answers(layer.run(known.questions.script))


def matched(known, source):
    given = answers(known, source)
    return Matcher(known).match(given, fingerprint.changed(given, known.right, SLIGHT)).groups


# ---- recognising ----


def test_the_written_fingerprints_are_of_these_sources(known):
    assert json.loads(PATH.read_text())["made from"] == known.stamp
    assert known.changes.keys() == MISTAKES.keys()


def test_each_known_mistake_is_named_alone_or_in_its_group(known):
    for name in MISTAKES.keys() - set(SLOW):
        [group] = matched(known, MISTAKES[name].apply(REFERENCE))
        allowed = next((g for g in GROUPS if name in g), {name})
        assert name in group
        assert set(group) <= (allowed if name not in ROUNDING else ROUNDING), name


def test_both_of_a_pair_are_named(known):
    for one, other in (
        ("backward-scale-missing", "backward-dx-value-path-missing"),  # dX is of both
        ("forward-scale-hs-without-root", "backward-scale-missing"),  # all gradients are of both
        ("forward-causal-mask-added", "zero-grad-forgets-values"),  # nothing is of both
        ("state-gradients-accumulate", "init-seed-ignored"),
    ):
        source = MISTAKES[other].apply(MISTAKES[one].apply(REFERENCE))
        groups = matched(known, source)
        assert len(groups) == 2
        assert all(any(name in group for group in groups) for name in (one, other))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dQ = dscores @ K", "dQ = dscores @ (K + 0.5 * V)"),
        ("dscores = dS / np.sqrt(self.hs)", "dscores = dS / 3.3"),
        ("standard_normal((C, hs)) * 0.02", "standard_normal((C, hs)) * 0.2"),  # seeded all the same
        ("self.cache = (X, Q, K, V, A)", "self.cache = (Q, X, K, V, A)"),
        ("self.dWk = None\n        self.dWv", "self.Wk = None\n        self.dWv"),
    ],
)
def test_what_is_not_in_the_list_is_not_named(known, old, new):
    assert matched(known, REFERENCE.replace(old, new)) == ()


def test_mistakes_of_other_layers_are_named_without_new_code():
    course = load_course(ROOT / "tests" / "courses" / "layers")
    for name in ("linear", "layernorm"):
        reference = course.solution_path(name).read_text()
        problem = Problem(course.assignments[name], reference.encode())
        found = Known(Questions(problem), mistakes_of(course, name))
        for mistake in found.mistakes.values():
            layer = trusted_layer(mistake.apply(reference).encode(), course.assignments[name].class_name)
            with np.errstate(all="ignore"):
                given = found.questions.answers(layer.run(found.questions.script))
            changed = fingerprint.changed(given, found.right, SLIGHT)
            assert Matcher(found).match(given, changed).groups == ((mistake.name,),)
        assert len(found.mistakes) > 15


@pytest.mark.parametrize("name", STYLES)
def test_a_correct_layer_changes_no_answer(known, name):
    layer = trusted_layer(STYLES[name].read_bytes(), ASSIGNMENT.class_name)
    with np.errstate(all="ignore"):
        given = known.questions.answers(layer.run(known.questions.script))
    found = fingerprint.changed(given, known.right, SLIGHT)
    # 1e-9 in the softmax denominator is seen as rounding, and is what that style is about.
    assert set(found.values()) <= ({fingerprint.ROUNDING} if name == "epsilon_in_denominator" else set())


def test_a_file_made_from_something_else_is_not_used(known):
    content = json.loads(PATH.read_text())
    content["made from"], content["mistakes"] = "something else", {}
    few = tuple(MISTAKES.values())[:2]
    again = Known(known.questions, few, json.dumps(content).encode())
    assert list(again.changes) == [mistake.name for mistake in few]
    for damaged in (b"", b"[]", b"{", b'{"made from": 3}', b"\xff"):
        assert Known(known.questions, few, damaged).changes == again.changes


# ---- what students receive ----


def test_students_and_grader_ask_alike(known):
    program = json.loads(PATH.read_text())["program"]
    for name in ("backward-scale-missing", "forward-returns-nothing", "state-gradients-share-one-array",
                 "init-shape-transposed", "zero-grad-sets-numbers"):  # fmt: skip
        source = MISTAKES[name].apply(REFERENCE)
        cls = trusted_layer(source.encode(), ASSIGNMENT.class_name).cls
        given, asked = answers(known, source), fingerprint.ask(cls, program)
        assert given.keys() == asked.keys()
        assert {key for key in given if fingerprint.apart(given[key], asked[key]) > 1e-9} == set()


def test_the_copy_recognises(tmp_path):
    for name in ("diagnosis.py", FILE):
        (tmp_path / name).write_bytes((PATH.parent / name).read_bytes())
    space = {"__name__": "diagnosis", "__file__": str(tmp_path / "diagnosis.py")}
    exec((tmp_path / "diagnosis.py").read_text(), space)
    wrong = MISTAKES["backward-scale-missing"]
    cls = trusted_layer(wrong.apply(REFERENCE).encode(), ASSIGNMENT.class_name).cls
    assert space["recognise"](cls) == [([wrong.name], list(wrong.hints), wrong.why)]
    for source in (REFERENCE, (PATH.parent / f"{NAME}.py").read_text()):
        assert space["recognise"](trusted_layer(source.encode(), ASSIGNMENT.class_name).cls) == []


def test_fingerprints_are_numbers_names_and_hints():
    assert PATH.stat().st_size < 300_000
    content = json.loads(PATH.read_text())
    keys = {question[0] for question in content["program"]["questions"]}
    words = re.compile(
        r"None|not run|rounding|varies|cleared|unchanged|changed|cannot set W[qkv]|has no (cache|dW[qkv])"
        r"|(tuple of|raises \w+)( \d+)*|a (\w+)|(\d+x)*\d+( float32)?(, not finite)?"
    )
    for name, mistake in content["mistakes"].items():
        assert (mistake["why"], mistake["hints"]) == (MISTAKES[name].why, list(MISTAKES[name].hints))
        for key, value in mistake["changes"].items():
            form, *numbers = [value] if isinstance(value, str) else value
            assert key in keys
            assert words.fullmatch(form), form
            assert all(isinstance(number, float) for number in numbers)


def test_no_line_of_the_reference_is_among_them():
    squeezed = "".join(PATH.read_text().split())
    bodies = re.findall(r"# BEGIN SOLUTION[^\n]*\n(.*?)# END SOLUTION", REFERENCE, re.DOTALL)
    lines = ["".join(line.split("#")[0].split()) for body in bodies for line in body.splitlines()]
    assert len([line for line in lines if len(line) >= 8]) > 20
    assert [line for line in lines if len(line) >= 8 and line in squeezed] == []


# ---- patterns ----


RNG = np.random.default_rng(0)
RIGHT = RNG.standard_normal((23, 7))
OTHER = RNG.standard_normal((23, 7))
BATCH = RNG.standard_normal((3, 5, 23))


@pytest.mark.parametrize(
    ("yours", "expected", "axes", "said"),
    [
        (RIGHT * np.sqrt(7), RIGHT, ("C", "hs"), "2.6458 times too large everywhere; 2.6458 = sqrt(hs)"),
        (RIGHT / 3, RIGHT, ("C", "hs"), "3 times too small everywhere"),
        (RIGHT / 15, RIGHT, ("C", "hs"), "15 times too small everywhere; 15 = B T"),
        (RIGHT * 2, RIGHT, ("C", "hs"), "2 times too large everywhere"),
        (RIGHT * -7, RIGHT, ("C", "hs"), "7 times too large and of the wrong sign everywhere; 7 = hs"),
        (-RIGHT, RIGHT, ("C", "hs"), "of the wrong sign everywhere"),
        (0 * RIGHT, RIGHT, ("C", "hs"), "zero everywhere"),
        (OTHER, RIGHT, ("C", "hs"), "what dWk should be"),
        (RIGHT + 1e-7, RIGHT, ("C", "hs"), "off by no more than float32 or a difference quotient leaves"),
        (BATCH * np.array([1, 0, 0])[:, None, None], BATCH, ("B", "T", "C"), "right only at B index 0"),
        (BATCH + np.eye(5)[4][:, None], BATCH, ("B", "T", "C"), "wrong only at T index 4"),
        (RIGHT * np.arange(2, 9), RIGHT, ("C", "hs"), "off by one factor for each index of hs"),
        (RIGHT + OTHER[:1], RIGHT, ("C", "hs"), "off by an amount that is the same for every index of C"),
        (RIGHT[::-1], RIGHT, ("C", "hs"), "made of the right numbers, in other places"),
        (RIGHT + OTHER, RIGHT, ("C", "hs"), ""),
    ],
)
def test_a_pattern_is_the_simplest_thing_that_is_true(yours, expected, axes, said):
    assert pattern(yours, expected, axes, SIZES, {"dWq": RIGHT, "dWk": OTHER}) == said


def test_constants_of_the_main_shape_are_told_apart():
    names = [
        constant(value, SIZES) for value in (2, 3, 5, 7, 23, 15, 7**0.5, 23**0.5, 5**0.5, 7**1.5, np.log(2))
    ]
    assert names == ["2", "3", "T", "hs", "C", "B T", "sqrt(hs)", "sqrt(C)", "sqrt(T)", "hs sqrt(hs)", "ln 2"]
    assert constant(6.1, SIZES) == ""


# ---- words only ----


@pytest.fixture(scope="module")
def grader():
    with Grader(COURSE, NAME, level=LEVEL) as grader:
        yield grader


WRONG = MISTAKES["backward-scale-missing"].apply(REFERENCE)


def bare(grade):
    """Without the diagnoses."""
    return [check.model_copy(update={"diagnosis": None}) for check in grade.checks]


def test_a_passing_submission_is_asked_nothing(grader, monkeypatch):
    monkeypatch.setattr(grader._diagnostician, "explain", None)  # calling it would be an exception
    monkeypatch.setattr(grader, "restart", lambda: pytest.fail("the diagnosis was asked"))
    grade = grader.grade(submission(REFERENCE))
    assert grade.score == grade.max_score
    assert not any(check.diagnosis for check in grade.checks)


def test_without_a_diagnosis_the_grade_is_the_same(grader):
    with Grader(COURSE, NAME, level=LEVEL, diagnose=False) as plain:
        without = plain.grade(submission(WRONG))
    assert not any(check.diagnosis for check in without.checks)
    assert bare(grader.grade(submission(WRONG))) == list(without.checks)


def test_a_fault_of_the_diagnosis_costs_words_only(grader, monkeypatch):
    whole = grader.grade(submission(WRONG))

    def broken(*arguments, **options):
        raise RuntimeError("broken")

    monkeypatch.setattr(diagnostician, "find_lines", broken)
    grade = grader.grade(submission(WRONG))
    assert (bare(grade), grade.score) == (bare(whole), 70)
    [said] = [check.diagnosis for check in grade.checks if check.diagnosis]
    assert said.mistakes == (("backward-scale-missing",),)
    for owner, name in ((grader._diagnostician.matcher, "match"), (grader._diagnostician, "explain")):
        monkeypatch.setattr(owner, name, broken)
        grade = grader.grade(submission(WRONG))
        assert (bare(grade), grade.score) == (bare(whole), 70)
        assert not any(check.diagnosis for check in grade.checks)


@pytest.mark.parametrize("place", ["find_lines", "draw"])
def test_a_zygote_that_dies_amid_the_words_has_the_submission_graded_again(grader, monkeypatch, place):
    whole = grader.grade(submission(WRONG))
    owner = diagnostician if place == "find_lines" else type(grader._artist)
    ask = getattr(owner, place)

    def dying(*arguments, **options):
        monkeypatch.setattr(owner, place, ask)
        grader.zygote.close()
        grader.zygote.worker()

    monkeypatch.setattr(owner, place, dying)
    assert graded(grader, submission(WRONG)) == whole


def test_a_diagnosis_has_at_most_eleven_lines_and_no_control_characters(grader):
    source = WRONG.replace("dscores = dS", "dscores = dS  # \x1b[31m ::error::").replace("return dX", "raise "
        "ValueError('\\x1b[2J' + 'x' * 10000 + '\\n' * 50)")  # fmt: skip
    grade = grader.grade(submission(source))
    [said] = [check.diagnosis for check in grade.checks if check.id == "gradcheck"]
    assert len(said.sentence.splitlines()) <= 11 and len(said.sentence) < 2000
    assert "\x1b" not in said.sentence and "::" not in said.sentence


def test_the_calls_that_led_to_a_line_do_not_name_it_again():
    lines = (34, 20, 20)  # a generator expression on line 20
    assert failing.calls_of(Raised("raised", "ValueError", lines=lines)) == "called on line 34"
    assert (
        failing.calls_of(Raised("raised", "ValueError", lines=(34, 50, 20)))
        == "called on line 50, from line 34"
    )
    assert failing.calls_of(Raised("raised", "ValueError", lines=(34, 34))) == ""


def test_a_tensor_that_opens_a_sentence_keeps_its_name(grader):
    source = REFERENCE.replace("dX = dQ @ self.Wq.T", "dX = X + dQ @ self.Wq.T")
    [said] = [check.diagnosis for check in grader.grade(submission(source)).checks if check.diagnosis]
    assert "dX has the term X too much." in said.sentence.splitlines()


def test_a_file_of_a_million_lines_is_read_once():
    chunks = (b"# a\r\n" * 3 + b"x = '\xe9'\n" + b"\n" * 1_000_000, b"def zero_grad(self):\n  self.dWq = 1")
    source = Source(chunks, "ipynb", "")
    assert source.texts(5) == ["# a", "# a", "# a", "x = 'é'", ""]
    assert len(source.texts(2_000_000)) == 1_000_007
    assert failing.where_set(source, "zero_grad", ["dWq"], False) == ()  # beyond what is read
    [found] = failing.where_set(Source(chunks[1:], "py", ""), "zero_grad", ["dWq"], False)
    assert (found.number, found.text) == (2, "self.dWq = 1")


def test_students_see_as_much_as_the_course_says():
    kinds = ("evidence", "line", "name", "hints")
    whole = Diagnosis(mistakes=(("a",),), lines=(), sentence="e\nl\nn\nh", kinds=kinds, hints=("1", "2", "3"))
    assert [whole.at(detail).sentence for detail in kinds] == ["e", "e\nl", "e\nl\nn", "e\nl\nn\nh"]
    assert [whole.at(detail).mistakes for detail in kinds] == [(), (), (("a",),), (("a",),)]
    assert [whole.at(detail).hints for detail in kinds] == [(), (), (), ("1", "2", "3")]
    assert whole.at("hints") == whole
    whole = Diagnosis(sentence="autograder hint\nNext: autograder hint 1.2", kinds=("evidence", "hints"))
    assert (
        whole.at("hints").sentence == "autograder hint\nNext: python check.py hint 1.2"
    )  # as students have it


def test_a_grade_for_its_student_holds_as_much(grader):
    grade = grader.grade(submission(WRONG))
    [said] = [check.diagnosis for check in grade.for_student("line").checks if check.diagnosis]
    assert "Line 64: dscores = dS" in said.sentence and "Recognised" not in said.sentence
    assert (said.mistakes, said.hints) == ((), ())
    [said] = [check.diagnosis for check in grade.for_student("hints").checks if check.diagnosis]
    assert "Recognised" in said.sentence and said.sentence.endswith("Next: python check.py hint 1.2")
    assert grade.for_student("evidence").score == grade.score


def test_the_oracle_knows_a_mistake_by_other_inputs():
    oracle = Oracle()
    assert oracle.same(WRONG.encode()) == {"backward-scale-missing"}
    assert oracle.same(REFERENCE.replace("dscores @ K", "dscores @ (K + V)").encode()) == set()


def test_pytest_in_the_students_folder_names_the_mistake(tmp_path):
    folder = shutil.copytree(PATH.parent, tmp_path / NAME, ignore=shutil.ignore_patterns("__pycache__"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--color=no",
        "-p",
        "no:cacheprovider",
        f"test_{NAME}.py",
    ]
    plain = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plain.pop("PYTEST_ADDOPTS", None)
    for source, named in (
        (WRONG, True),
        (REFERENCE, False),
        (REFERENCE.replace("class S", "class s"), False),
    ):
        (folder / f"{NAME}.py").write_text(source)
        done = subprocess.run(command, cwd=folder, env=plain, capture_output=True, text=True, check=False)
        assert ("Your layer behaves like backward-scale-missing. The scale is" in done.stdout) == named
        assert (f"Hint: {MISTAKES['backward-scale-missing'].hints[0]}" in done.stdout) == named
        assert "INTERNALERROR" not in done.stdout + done.stderr

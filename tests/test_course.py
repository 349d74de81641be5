"""grading.toml: what is read from it, and what is said about a wrong one."""

import pickle
import tomllib
from pathlib import Path

import pytest

from autograder.course import CourseError, load_course

ROOT = Path(__file__).resolve().parents[1]

A = "assignments.linear"

LINEAR = """
[course]
name = "Layers"

[limits]
load_seconds = 5
call_seconds = 2.5
memory_mib = 512
submission_kib = 64

[isolation]
required = "L3"

[diagnosis]
detail = "name"

[assignments.linear]
title = "A linear layer"
class = "Linear"
constructor = ["I", "O"]
input = { name = "X", shape = ["B", "I"] }
output = { name = "out", shape = ["B", "O"] }
parameters = { W = ["I", "O"], b = ["O"] }
gradients = { W = "dW", b = "db" }
input_gradient = "dX"
points = 10
tasks."1.1" = { title = "forward", method = "forward" }

[assignments.linear.shapes]
small = { B = 2, I = 3, O = 4 }
other = { B = 1, I = 5, O = 2 }

[assignments.linear.checks.forward]
points = 4
title = "values"
parts = { values = 2.5, shapes = 1.5 }
shape = "small"
shapes = ["other"]
seed = 1
hidden_seed = 2
tolerance = 1e-8

[assignments.linear.checks.gradcheck]
points = 6
title = "gradients"
parts = { W = 3, b = 2, X = 1 }
shapes = ["small", "other"]
seed = 1
hidden_seed = 2
threshold = 1e-5
step = 1e-3
directions = 4
linear_tolerance = 1e-11
"""


@pytest.fixture
def write(tmp_path):
    """Write LINEAR with replacements and its reference; gives grading.toml's path."""

    def write(*replacements, reference=True):
        text = LINEAR
        for old, new in replacements:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        path = tmp_path / "grading.toml"
        path.write_text(text, encoding="utf-8")
        if reference:
            solution = tmp_path / "solutions/linear/linear.py"
            solution.parent.mkdir(parents=True, exist_ok=True)
            solution.write_text("class Linear: pass\n")
        return path

    return write


def problems(path):
    with pytest.raises(CourseError) as error:
        load_course(path)
    lines = str(error.value).splitlines()
    prefix = f"{path}: "
    assert all(line.startswith(prefix) for line in lines), lines
    return [line.removeprefix(prefix) for line in lines]


def test_the_course_of_this_repository():
    course = load_course(ROOT / "grading.toml")
    layer = course.assignments["self_attention"]
    assert course.root == ROOT
    assert course.isolation.required == "L3"
    assert (layer.name, layer.class_name, layer.constructor) == (
        "self_attention",
        "SelfAttention",
        ("C", "hs"),
    )
    assert layer.gradients == {"Wq": "dWq", "Wk": "dWk", "Wv": "dWv"}
    assert list(layer.cache) == ["X", "Q", "K", "V", "A"]
    assert {name: spec.points for name, spec in layer.checks.present.items()} == {
        "forward": 25, "gradcheck": 40, "monotone_loss": 15, "zero_grad": 10, "contract": 10,
    }  # fmt: skip
    sizes = layer.sizes("lesson")
    assert layer.resolve(layer.output.shape, sizes) == (2, 5, 4)
    assert layer.resolve(["B", "T", 3], sizes) == (2, 5, 3)
    assert course.solution_path("self_attention").is_file()


def test_a_layer_without_cache_distributions_and_seed(write):
    layer = load_course(write()).assignments["linear"]
    assert (layer.cache, layer.distributions, layer.seed_argument) == ({}, (), None)
    assert list(layer.checks.present) == ["forward", "gradcheck"]
    assert layer.checks.zero_grad is None
    assert layer.resolve(layer.input.shape, layer.sizes("other")) == (1, 5)


def test_a_folder_stands_for_its_grading_toml(write):
    path = write()
    assert load_course(path.parent) == load_course(path)


def test_a_course_is_constant_and_crosses_processes(write):
    course = load_course(write())
    with pytest.raises(ValueError, match="frozen"):
        course.limits.load_seconds = 99.0
    assert pickle.loads(pickle.dumps(course)) == course


def test_numbers_in_shapes_are_sizes(write):
    course = load_course(write(('b = ["O"]', 'b = [1, "O"]')))
    layer = course.assignments["linear"]
    assert layer.resolve(layer.parameters["b"], layer.sizes("small")) == (1, 4)


def test_the_digest_is_of_policy_reference_and_mistakes(write):
    path = write()
    solution = path.parent / "solutions/linear/linear.py"
    seen = [load_course(path).digest("linear")]
    path.write_text(path.read_text().replace("call_seconds = 2.5", "call_seconds = 3.5"))
    seen.append(load_course(path).digest("linear"))
    path.write_text(path.read_text().replace("seed = 1", "seed = 2", 1))
    seen.append(load_course(path).digest("linear"))
    solution.write_text("class Linear: ...\n")
    seen.append(load_course(path).digest("linear"))
    solution.with_name("mistakes.toml").write_text("")
    assert load_course(path).digest("linear") == seen[-1]  # an empty list of mistakes is none
    solution.with_name("mistakes.toml").write_text("# one\n")
    seen.append(load_course(path).digest("linear"))
    assert len(set(seen)) == 5


def test_the_digest_is_not_of_what_is_decided_when_grades_are_read(write):
    path = write()
    before = load_course(path).digest("linear")
    text = path.read_text()
    late = "\n[assignments.linear.late]\ndue = 2026-03-01T23:59:00+01:00\n"
    detail = text.replace('detail = "name"', 'detail = "line"')
    counts = text.replace("[assignments.linear]\n", '[assignments.linear]\ncounts = "best"\n')
    again = text.replace("assignments.linear", "assignments.other")
    other = again[again.index("[assignments.other]") :]
    (path.parent / "solutions/other").mkdir()
    (path.parent / "solutions/other/other.py").write_text("class Linear: ...\n")
    for changed in (text + "# another reason\n", text + late, detail, counts, text + "\n" + other):
        assert changed != text
        path.write_text(changed)
        assert load_course(path).digest("linear") == before


WRONG = tomllib.loads((Path(__file__).parent / "data/wrong_policies.toml").read_text(encoding="utf-8"))[
    "wrong"
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong["new"].strip())
def test_a_wrong_value_is_named_with_what_was_expected(write, wrong):
    path = write((wrong["old"], wrong["new"]))
    assert wrong["says"] in problems(path)


def test_all_problems_are_said_at_once(write):
    path = write(
        ("load_seconds = 5", 'load_seconds = "5"'),
        ("step = 1e-3", "step = 0"),
        ("threshold = 1e-5", "treshold = 1e-5"),
    )
    assert problems(path) == [
        'limits.load_seconds = "5": expected a number',
        A + ".checks.gradcheck.threshold: missing; expected the largest relative error that passes",
        A + ".checks.gradcheck.step = 0: expected a number above 0",
        A + '.checks.gradcheck.treshold = 1e-05: unknown key; did you mean "threshold"?',
    ]
    both = write(("points = 10\n", "points = 9\n"), ("values = 2.5", "values = 2"))
    assert len(problems(both)) == 2


def test_no_check_at_all(write):
    path = write()
    path.write_text(
        LINEAR[: LINEAR.index("[assignments.linear.checks.forward]")] + "[assignments.linear.checks]\n"
    )
    assert problems(path) == [
        A + ".checks = {}: expected at least one of forward, gradcheck, monotone_loss, zero_grad, contract"
    ]


def test_a_missing_reference(write):
    path = write(reference=False)
    solution = path.parent / "solutions/linear/linear.py"
    assert problems(path) == [f"{A}: expected the reference {solution}, which is not there"]


def test_frozen_parameters_have_gradients_and_the_part_has_some(write):
    path = write(("points = 10\n", "points = 11\n"))
    table = """
[assignments.linear.checks.monotone_loss]
points = 1
title = "learns"
parts = { frozen = 1 }
shape = "small"
seed = 0
learning_rate = 0.5
steps = 3
"""
    path.write_text(path.read_text() + table)
    assert problems(path) == [
        A + ".checks.monotone_loss.parts.frozen = 1.0: expected a key frozen that is not empty "
        "for this part to look at"
    ]
    path.write_text(path.read_text() + 'frozen = ["Wv"]\n')
    assert problems(path) == [
        A + '.checks.monotone_loss.frozen[0] = "Wv": expected the name of a parameter with a gradient, '
        'one of W, b; did you mean "W"?'
    ]


def test_bad_syntax_names_the_line(write):
    path = write(("memory_mib = 512", "memory_mib 512"))
    (line,) = problems(path)
    assert line.startswith("not valid TOML: ")
    assert "line 8" in line
    path.write_text(LINEAR + '[course]\nname = "again"\n')
    assert problems(path)[0].startswith("not valid TOML: Cannot declare ('course',) twice")


def test_a_file_that_is_not_text_or_not_there(write, tmp_path):
    path = write()
    path.write_bytes(b'[course]\nname = "\xff"\n')
    assert problems(path) == ["line 2 is not UTF-8 text; save the file as UTF-8"]
    assert problems(tmp_path / "other.toml") == [
        "cannot be read (No such file or directory); expected the course's grading.toml"
    ]


def test_a_byte_order_mark_is_no_matter(write):
    path = write()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_course(path).course.name == "Layers"

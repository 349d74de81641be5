"""The room `build`: one source in, the student's files out, and the errors of its markers."""

import shutil
from pathlib import Path

import pytest

from autograder.build import BuildError, cut, drift, generated, write
from autograder.course import load_course

ROOT = Path(__file__).resolve().parents[1]
NAME = "self_attention"
FOLDER = f"assignments/{NAME}"
STUB, NUMERICS = f"{FOLDER}/{NAME}.py", f"{FOLDER}/gradcheck.py"
SOURCE = """\
def double(x):
    \"\"\"Twice x.\"\"\"
    # BEGIN SOLUTION 1.1
    return 2 * x
    # END SOLUTION 1.1


class Layer:
    def halve(self, x):
        # BEGIN SOLUTION 1.2
        y = x / 2

        return y
        # END SOLUTION 1.2
"""
TITLES = {"1.1": "double", "1.2": "halve"}


@pytest.fixture
def course(tmp_path):
    """The course's policy and reference in a folder of their own, nothing built yet."""
    shutil.copy(ROOT / "grading.toml", tmp_path)
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    return load_course(tmp_path / "grading.toml")


def test_a_body_becomes_a_todo_and_an_error_with_its_task():
    assert cut(SOURCE, TITLES, "layer.py") == (
        "def double(x):\n"
        '    """Twice x."""\n'
        "    # TODO(1.1): double\n"
        '    raise NotImplementedError("1.1")\n'
        "\n\n"
        "class Layer:\n"
        "    def halve(self, x):\n"
        "        # TODO(1.2): halve\n"
        '        raise NotImplementedError("1.2")\n'
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "        # END SOLUTION 1.2\n",
            "",
            "layer.py, line 10: the solution of task 1.2 is never closed; "
            "expected `# END SOLUTION 1.2` after it",
        ),
        (
            "    # END SOLUTION 1.1\n",
            "",
            "layer.py, line 9: task 1.2 begins inside task 1.1 of line 3; "
            "expected `# END SOLUTION 1.1` first",
        ),
        (
            "    # BEGIN SOLUTION 1.1\n",
            "",
            "layer.py, line 4: task 1.1 ends and never began; expected `# BEGIN SOLUTION 1.1` before it",
        ),
        (
            "# END SOLUTION 1.1",
            "# END SOLUTION 1.2",
            "layer.py, line 5: found the end of task 1.2; "
            "expected `# END SOLUTION 1.1`, which began on line 3",
        ),
        (
            "    # END SOLUTION 1.1",
            "  # END SOLUTION 1.1",
            "layer.py, line 5: the end of task 1.1 is indented by 2 spaces; "
            "expected 4, as its beginning on line 3",
        ),
        (
            "SOLUTION 1.2",
            "SOLUTION 9.9",
            "layer.py, line 10: task 9.9 is not in grading.toml; expected one of 1.1, 1.2",
        ),
        (
            "SOLUTION 1.2",
            "SOLUTION 1.1",
            "layer.py, line 10: task 1.1 begins a second time; expected one solution a task",
        ),
    ],
)
def test_markers_that_do_not_fit_name_the_line_and_what_was_expected(old, new, message):
    assert old in SOURCE
    with pytest.raises(BuildError) as error:
        cut(SOURCE.replace(old, new), TITLES, "layer.py")
    assert str(error.value) == message


@pytest.mark.parametrize(
    "marker",
    [
        "#BEGIN SOLUTION 1.1",
        "# BEGIN SOLUTION",
        "# begin solution 1.1",
        "# BEGIN-SOLUTION 1.1",
        "## BEGIN SOLUTION 1.1",
        "# BEGIN SOLUTION 1.1 now",
        "pass  # BEGIN SOLUTION 1.1",
    ],
)
def test_what_only_looks_like_a_marker_is_refused_and_never_handed_out(marker):
    with pytest.raises(
        BuildError, match=r"^layer.py, line 3: .* is not a marker; expected `# BEGIN SOLUTION"
    ):
        cut(SOURCE.replace("# BEGIN SOLUTION 1.1", marker), TITLES, "layer.py")


def test_a_task_without_markers_is_refused():
    with pytest.raises(
        BuildError, match=r"^layer.py: task 1.3 has no markers; expected `# BEGIN SOLUTION 1.3`"
    ):
        cut(SOURCE, TITLES | {"1.3": "third"}, "layer.py")


def test_a_stub_that_is_not_python_is_refused():
    source = SOURCE.replace(
        "    return 2 * x\n    # END SOLUTION 1.1\n", "    # END SOLUTION 1.1\n  odd = 1\n"
    )
    with pytest.raises(BuildError, match=r"^layer.py: the stub would not be Python, .* at its line 5"):
        cut(source, TITLES, "layer.py")


def test_line_ends_and_blanks_behind_a_marker_do_not_matter():
    assert cut(SOURCE.replace("\n", "\r\n"), TITLES, "layer.py") == cut(SOURCE, TITLES, "layer.py")
    assert cut(SOURCE.replace("1.2\n", "1.2  \n"), TITLES, "layer.py") == cut(SOURCE, TITLES, "layer.py")


def test_generated_reads_and_writes_nothing(course):
    files = generated(course, NAME)
    assert {STUB, NUMERICS, f"{FOLDER}/check.py", f"{FOLDER}/loop/run.py", f"{FOLDER}/check.json"} <= set(
        files
    )
    assert files == generated(course, NAME)
    assert not (course.root / "assignments").exists()


def test_the_numerics_are_a_copy_that_says_so(course):
    header, copied = generated(course, NAME)[NUMERICS].decode().split("\n", 1)
    assert header.startswith("# A copy of autograder/gradcheck.py, made by `autograder build`")
    assert copied == (ROOT / "autograder" / "gradcheck.py").read_text(encoding="utf-8")


def test_write_then_no_drift_then_nothing_to_write(course):
    files = generated(course, NAME)
    assert drift(course, NAME) == [f"{path} is missing; run `autograder build`." for path in files]
    assert write(course, NAME) == list(files)
    assert {path: (course.root / path).read_bytes() for path in files} == files
    assert drift(course, NAME) == []
    assert write(course, NAME) == []
    assert {p for p in (course.root / FOLDER).rglob("*") if p.is_file()} == {course.root / p for p in files}


def test_drift_names_the_file_and_its_first_line_that_differs(course):
    write(course, NAME)
    stub = course.root / STUB
    stub.write_bytes(stub.read_bytes().replace(b"import numpy as np", b"import numpy"))
    (sentence,) = drift(course, NAME)
    assert sentence.startswith(f"{STUB} differs from what its source gives, first on line 7;")
    assert write(course, NAME) == [STUB]
    assert drift(course, NAME) == []


def test_a_change_of_the_source_is_drift(course):
    write(course, NAME)
    solution = course.solution_path(NAME)
    source = solution.read_text(encoding="utf-8")
    inside = source.replace("out = A @ V  # (B, T, hs)", "out = A @ V  # (B, T, hs), the output")
    assert inside != source
    solution.write_text(inside, encoding="utf-8")
    assert not any(STUB in sentence for sentence in drift(course, NAME))
    solution.write_text(source.replace("One attention head.", "A head."), encoding="utf-8")
    assert any(STUB in sentence for sentence in drift(course, NAME))


def test_an_error_names_the_reference_below_the_course(course):
    solution = course.solution_path(NAME)
    source = solution.read_text(encoding="utf-8")
    solution.write_text(source.replace("# END SOLUTION 1.1", "# the end"), encoding="utf-8")
    with pytest.raises(
        BuildError, match=rf"^solutions/{NAME}/{NAME}.py, line \d+: task 1.2 begins inside task 1.1"
    ):
        write(course, NAME)
    assert not (course.root / STUB).exists()


def test_an_unknown_assignment_is_named_with_those_that_exist(course):
    with pytest.raises(
        BuildError, match=f"^no assignment 'attention' in grading.toml; expected one of {NAME}$"
    ):
        generated(course, "attention")


def test_a_place_that_cannot_be_written_is_one_sentence(course):
    (course.root / "assignments").write_text("a file where a folder belongs", encoding="utf-8")
    with pytest.raises(BuildError, match=r"self_attention\.py: cannot be"):
        write(course, NAME)


def test_the_checkout_is_up_to_date():
    assert drift(load_course(ROOT / "grading.toml"), NAME) == []

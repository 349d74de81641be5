"""Grades as tables: what other programs read back."""

import csv
import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exports.csv import cell, write_grades_csv
from autograder.grade.model import CheckGrade, Digests, Flag, Grade, Isolation

CHECKS = {"forward": (25.0, 25.0), "gradcheck": (10 / 3, 40.0)}


def grade(student="ada", checks=CHECKS, flags=()):
    return Grade(
        student=student,
        assignment="attention",
        score=sum(points for points, _ in checks.values()),
        max_score=65,
        checks=tuple(
            CheckGrade(
                id=name,
                title=name,
                verdict="passed" if points == most else "failed",
                points=points,
                max_points=most,
            )
            for name, (points, most) in checks.items()
        ),
        isolation=Isolation(level="L3", detail=""),
        flags=tuple(Flag(kind=kind, detail=detail) for kind, detail in flags),
        digests=Digests(submission="s", course="c", grader="g"),
    )


def rows(path):
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def test_one_row_a_grade_in_the_order_given(tmp_path):
    path = tmp_path / "results/grades.csv"
    write_grades_csv([grade("bob"), grade("ada", {"forward": (0.5, 25.0), "gradcheck": (40.0, 40.0)})], path)
    assert path.read_bytes() == (
        b"student,score,max_score,forward,gradcheck,forward verdict,gradcheck verdict,flags\n"
        b"bob,28.333333,65,25,3.333333,passed,failed,\n"
        b"ada,40.5,65,0.5,40,failed,passed,\n"
    )


def test_no_grades_at_all(tmp_path):
    write_grades_csv([], tmp_path / "grades.csv")
    assert rows(tmp_path / "grades.csv") == [["student", "score", "max_score", "flags"]]


def test_checks_of_any_grade_are_columns_and_a_grade_may_lack_some(tmp_path):
    refused = grade("a", {}, [("unreadable", "report.pdf is not Python")])
    more = grade("c", {"forward": (1.0, 25.0), "zero_grad": (10.0, 10.0)})
    write_grades_csv([refused, grade("b"), more], tmp_path / "grades.csv")
    header, a, b, c = rows(tmp_path / "grades.csv")
    assert header[3:-1] == [
        "forward", "gradcheck", "zero_grad", "forward verdict", "gradcheck verdict", "zero_grad verdict",
    ]  # fmt: skip
    assert a == ["a", "0", "65", "", "", "", "", "", "", "unreadable: report.pdf is not Python"]
    assert b[3:-1] == ["25", "3.333333", "", "passed", "failed", ""]
    assert c[3:-1] == ["1", "", "10", "failed", "", "passed"]


def test_flags_are_one_cell(tmp_path):
    flags = [("tampering", 'forged, "reply"'), ("review", "slow")]
    write_grades_csv([grade(flags=flags)], tmp_path / "grades.csv")
    assert rows(tmp_path / "grades.csv")[1][-1] == 'tampering: forged, "reply"; review: slow'


@pytest.mark.parametrize(
    ("student", "shown"),
    [
        ("=1+2", "'=1+2"),
        ("+49 151", "'+49 151"),
        ("-", "'-"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'␉=1"),
        ("\r=1", "'␍=1"),
        ("a=1", "a=1"),
        ('O\'Neil, "Zoë" 日本', 'O\'Neil, "Zoë" 日本'),
        ("two\nlines\r\nand \x1b[31mred\x07\x00\u2028\u202e", "two␊lines␍␊and ␛[31mred␇␀\\u2028\\u202e"),
        ("raw \udce9", "raw \\xe9"),
    ],
)
def test_a_name_is_never_a_formula_and_always_one_line(tmp_path, student, shown):
    write_grades_csv([grade(student, flags=[(student, "")])], tmp_path / "grades.csv")
    found = rows(tmp_path / "grades.csv")
    assert len(found) == 2
    assert found[1][0] == shown
    assert found[1][-1] == f"{shown}: "


@given(st.text())
def test_any_text_is_a_harmless_cell_that_keeps_what_is_printable(text):
    shown = cell(text)
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert not any(ord(char) < 32 or ord(char) == 127 for char in shown)
    out = io.StringIO(newline="")
    csv.writer(out).writerow(["x", shown])
    assert list(csv.reader(io.StringIO(out.getvalue(), newline=""))) == [["x", shown]]
    if text.isascii() and text.isprintable():
        assert shown.removeprefix("'") == text.removeprefix("'")


@pytest.mark.parametrize(
    ("points", "shown"),
    [(0.0, "0"), (100.0, "100"), (0.1 + 0.2, "0.3"), (2.5, "2.5"), (1e-7, "0"), (40, "40")],
)
def test_points_are_plain_decimals(points, shown):
    assert cell(points) == shown


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    path = tmp_path / "grades.csv"
    write_grades_csv([grade("old")], path)
    before = path.read_bytes()

    def broken():
        yield grade("new")
        raise RuntimeError("the gradebook ended")

    with pytest.raises(RuntimeError):
        write_grades_csv(broken(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to_and_stays(tmp_path):
    (tmp_path / "out").symlink_to(os.devnull)
    write_grades_csv([grade()], tmp_path / "out")
    assert (tmp_path / "out").is_char_device()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_same_grades_give_the_same_bytes(tmp_path):
    for name in ("a.csv", "b.csv"):
        write_grades_csv((grade(f"s{number}") for number in range(3000)), tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert len(rows(tmp_path / "a.csv")) == 3001

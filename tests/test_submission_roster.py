"""The class list: ids and aliases, unknown students listed and never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.submission import Refusal, Source, Submission, SubmissionError
from autograder.submission.roster import Roster, Student, load_roster, resolve


def roster(tmp_path: Path, text: str, encoding: str = "utf-8") -> Roster:
    (tmp_path / "roster.csv").write_bytes(text.encode(encoding))
    return load_roster(tmp_path / "roster.csv")


def handed_in(student: str, email: str | None = None, name: str | None = None) -> Submission:
    return Submission(student, Source((b"",), "py", ""), Path(f"{student}.py"), email=email, name=name)


def test_a_roster_of_ids_and_aliases(tmp_path: Path) -> None:
    found = roster(
        tmp_path, "Student,E-mail,Aliases,Section,Mark\nada,ada@x.edu,al; octo-ada|340934,A,10\n\nbob,,,B,9\n"
    )
    ada = Student("ada", ("ada@x.edu", "al", "octo-ada", "340934"), "ada@x.edu")
    assert found == Roster((ada, Student("bob")))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_as_spreadsheets_write_it(tmp_path: Path, separator: str, encoding: str) -> None:
    found = roster(
        tmp_path,
        separator.join(["id", "Email", "Name"]) + "\r\n" + separator.join(["7", "z@x", "Zoë"]),
        encoding,
    )
    assert found == Roster((Student("7", ("z@x", "Zoë"), "z@x"),))


def test_an_exported_canvas_gradebook_serves(tmp_path: Path) -> None:
    found = roster(
        tmp_path,
        "Student,ID,SIS User ID,SIS Login ID,Section,Self-attention (123)\n"
        "    Points Possible,,,,,100\n"
        '"Doe, Jane",340934,s17,jdoe,A,\n"Roe, Al",334244,s18,aroe,A,\n',
    )
    assert found.find("340934") == found.find("doejane") == found.find("JDOE") == found.students[0]
    assert found.students[0] == Student("Doe, Jane", ("340934", "s17", "jdoe"))
    assert (found.find("A"), found.find("100"), found.find("")) == (None, None, None)


def test_a_moodle_worksheet_serves(tmp_path: Path) -> None:
    header = "Identifier,Full name,Email address,Username,Grade\n"
    found = roster(tmp_path, header + "Participant 657737,Jane Doe,j@x.edu,s1,\n")
    assert found.students == (
        Student("s1", ("Participant 657737", "657737", "Jane Doe", "j@x.edu"), "j@x.edu"),
    )
    assert found.find("657737") == found.students[0]


def test_what_two_students_share_names_neither(tmp_path: Path) -> None:
    found = roster(tmp_path, "student,name,aliases\nada,Kim Lee,x1\nbob,Kim Lee,ada\ncy,Lee Kim,x1\n")
    assert found.find("Kim Lee") is None and found.find("x1") is None
    assert found.find("ada") == found.students[0]  # an id goes before an alias
    assert found.find("Kim Lee", None, "leekim") == found.students[2]


def test_hand_ins_get_the_rosters_ids_and_none_is_dropped(tmp_path: Path) -> None:
    known = roster(tmp_path, "student,email,name,github\nada,ada@x.edu,Ada L,octo\nbob,b@x.edu,Bob,\ncy,,,\n")
    lost = Refusal("zz", Path("zz.pdf"), "zz.pdf is a PDF.", email="B@X.edu")
    result = resolve([handed_in("OCTO"), lost, handed_in("eve"), handed_in("7", name="Ada L")], known)
    assert [(item.student, item.email, item.path.name) for item in result.found] == [
        ("ada", "ada@x.edu", "7.py"),
        ("ada (2)", "ada@x.edu", "OCTO.py"),
        ("bob", "B@X.edu", "zz.pdf"),
        ("eve", None, "eve.py"),
    ]
    second = result.found[1]
    assert isinstance(second, Submission) and second.notes == ("the student id ada is also that of 7.py",)
    assert (result.unknown, result.missing) == (("ada (2)", "eve"), ("cy",))


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "roster.csv, line 1: no column `student` (found nothing); add one with the ids."),
        ("a,b\n1,2\n", "roster.csv, line 1: no column `student` (found a, b); add one with the ids."),
        ("student\n", "roster.csv names no students; expected one line for each below the header."),
        ("student\nada\nada\n", "roster.csv, line 3: ada occurs twice; keep one line for each."),
        ("student\n" + "x" * 200_000,
         "roster.csv, line 2: field larger than field limit (131072); expected a CSV file."),
    ],
)  # fmt: skip
def test_a_wrong_roster_names_file_and_line(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(SubmissionError) as error:
        roster(tmp_path, text)
    assert str(error.value) == sentence


def test_a_missing_roster(tmp_path: Path) -> None:
    with pytest.raises(
        SubmissionError, match=r"none\.csv cannot be read \(No such file or directory\); expected the "
    ):
        load_roster(tmp_path / "none.csv")

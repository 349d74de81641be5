"""The class list: ids and aliases, unknown students listed and never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.submission import SubmissionError
from autograder.submission.roster import Roster, Student, load_roster


def roster(tmp_path: Path, text: str, encoding: str = "utf-8") -> Roster:
    (tmp_path / "roster.csv").write_bytes(text.encode(encoding))
    return load_roster(tmp_path / "roster.csv")


def find(known: Roster, name: str) -> Student | None:
    """The one student called so."""
    called = known.called(name)
    return called[0] if len(called) == 1 else None


def test_a_roster_of_ids_and_aliases(tmp_path: Path) -> None:
    found = roster(
        tmp_path, "Student,E-mail,Aliases,Section,Mark\nada,ada@x.edu,al; octo-ada|340934,A,10\n\nbob,,,B,9\n"
    )
    ada = Student("ada", ("ada@x.edu", "al", "octo-ada", "340934"), "ada@x.edu", given=("340934",))
    assert found == Roster((ada, Student("bob")))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_as_spreadsheets_write_it(tmp_path: Path, separator: str, encoding: str) -> None:
    found = roster(
        tmp_path,
        separator.join(["id", "Email", "Name"]) + "\r\n" + separator.join(["7", "z@x", "Zoë"]),
        encoding,
    )
    assert found == Roster((Student("7", ("z@x", "Zoë"), "z@x", ("Zoë",)),))


def test_an_exported_canvas_gradebook_serves(tmp_path: Path) -> None:
    found = roster(
        tmp_path,
        "Student,ID,SIS User ID,SIS Login ID,Section,Self-attention (123)\n"
        "    Points Possible,,,,,100\n"
        '"Doe, Jane",340934,s17,jdoe,A,\n"Roe, Al",334244,s18,aroe,A,\n',
    )
    assert find(found, "340934") == find(found, "doejane") == find(found, "JDOE") == found.students[0]
    assert found.students[0] == Student("Doe, Jane", ("340934", "s17", "jdoe"), names=("Doe, Jane",))
    assert (find(found, "A"), find(found, "100"), find(found, "")) == (None, None, None)


def test_a_moodle_worksheet_serves(tmp_path: Path) -> None:
    header = "Identifier,Full name,Email address,Username,Grade\n"
    found = roster(tmp_path, header + "Participant 657737,Jane Doe,j@x.edu,s1,\n")
    assert found.students == (
        Student("s1", ("Participant 657737", "657737", "Jane Doe", "j@x.edu"), "j@x.edu", ("Jane Doe",)),
    )
    assert find(found, "657737") == found.students[0]


def test_what_two_students_share_names_neither(tmp_path: Path) -> None:
    found = roster(tmp_path, "student,name,aliases\nada,Kim Lee,x1\nbob,Kim Lee,ada\ncy,Lee Kim,x1\n")
    assert find(found, "Kim Lee") is None and find(found, "x1") is None
    assert find(found, "ada") == found.students[0]  # an id goes before an alias
    assert find(found, "leekim") == found.students[2]


def test_what_is_written_exactly_so_goes_first(tmp_path: Path) -> None:
    found = roster(tmp_path, "student,aliases\nA,\na,\nBob,\nbo,BOB\ncy.d,\ncyd,\n")
    one, two, three, four = found.students[:4]
    assert (find(found, "A"), find(found, "a")) == (one, two)
    assert (find(found, "Bob"), find(found, "BOB"), find(found, "bob"), find(found, "BO")) == (
        three, four, three, four,
    )  # fmt: skip
    assert find(found, "C-y-d") is None  # too short to be compared without its points


def test_names_that_differ_in_case_only_name_neither(tmp_path: Path) -> None:
    found = roster(tmp_path, "student\nAda\naDa\nann.good\nann_good\n")
    assert (find(found, "ada"), find(found, "anngood")) == (None, None)
    assert find(found, "ann.good") == found.students[2]


def test_a_second_hand_in_is_not_that_of_an_id_which_ends_so(tmp_path: Path) -> None:
    assert roster(tmp_path, "student\njane\njane2\n").called("jane (2)") == []


def test_a_number_of_the_platform_is_no_alias(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "username,Identifier,idnumber,name,aliases\n"
        "jane,Teilnehmer/in12,14,Jane Doe,99\nzed,Participant 14,12,Zed,\n",
        encoding="utf-8",
    )
    found = load_roster(tmp_path / "r.csv", ["identifier"])
    jane, zed = found.students
    assert (jane.numbers, jane.given, jane.names) == (("12",), ("99",), ("Jane Doe",))
    assert [found.numbered(number) for number in ("12", "14", "99")] == [[jane], [zed], [jane]]
    assert [found.called(number) for number in ("12", "14", "99")] == [[zed], [jane], [jane]]
    assert find(found, "Participant 14") == zed
    assert load_roster(tmp_path / "r.csv").numbered("12") == []


def test_the_column_of_the_ids_is_no_platforms(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("id,canvas id\n7,501\n", encoding="utf-8")
    assert load_roster(tmp_path / "r.csv", ["id", "canvasid"]).students == (Student("7", numbers=("501",)),)


def test_full_names_are_compared_without_case_and_punctuation(tmp_path: Path) -> None:
    found = roster(tmp_path, 'student,name\na,"Doe, Jane"\nb,doe jane\nc,Bo\ndoejane2,\n')
    assert [s.id for s in found.named("DOE JANE")] == ["a", "b"]
    assert [s.id for s in found.named("bo")] == ["c"]
    assert found.named("doejane2") == []  # an id is no name


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "roster.csv, line 1: no column `student` (found nothing); add one with the ids."),
        ("a,b\n1,2\n", "roster.csv, line 1: no column `student` (found a, b); add one with the ids."),
        ("student\n", "roster.csv names no students; expected one line for each below the header."),
        ("student\nada\nada\n", "roster.csv, line 3: ada occurs twice; keep one line for each."),
        ("student\n" + "x" * 200_000,
         "roster.csv, line 2: field larger than field limit (131072); "
         "expected a CSV file in which every quote is closed."),
        ('username,email\na,b\n"d4,x\non,y\n',
         "roster.csv, line 3: unexpected end of data; expected a CSV file in which every quote is closed."),
        ("student\na\0\n", "roster.csv holds NUL characters; expected a CSV file, so save it as CSV UTF-8."),
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

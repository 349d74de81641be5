"""Whose grade is whose in a class list: by id, email, or a name that only one person has."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner
from gradebooks import grade

from autograder.cli.main import group
from autograder.exports.canvas import NUMBERS as CANVAS
from autograder.exports.canvas import fill_canvas, write_canvas
from autograder.exports.match import AGAIN, CROSSED, SHARED, UNKNOWN, match
from autograder.exports.moodle import NUMBERS as MOODLE
from autograder.gradebook import Gradebook
from autograder.submission.roster import Roster, load_roster

# What a download of Moodle says: a number that holds for one assignment, and a name.
PEOPLE = {
    "12": ("Jane Doe", None),
    "13": ("Jane Doe", None),
    "14": ("Éva Kovács", None),
    "15": ("Solo Smith", None),
}


def roster(tmp_path: Path, text: str, numbers: tuple[str, ...] = MOODLE) -> Roster:
    (tmp_path / "class.csv").write_text(text, encoding="utf-8")
    return load_roster(tmp_path / "class.csv", numbers)


def matched(known: Roster, people):
    found, lost = match([grade(student) for student in sorted(people)], known, people)
    assert len(found) + len(lost) == len(people)  # nobody is dropped
    return {g.student: student.id for student, g in found}, {str(item): item.why for item in lost}


def test_a_name_that_only_one_person_has_is_enough_and_a_shared_one_is_said(tmp_path):
    known = roster(
        tmp_path,
        "username,email,name\n"
        "jdoe,jdoe@x.org,Jane Doe\njdoe2,jdoe2@x.org,Jane Doe\n"
        "ekovacs,ek@x.org,Éva Kovács\nss,ss@x,Solo Smith\n",
    )
    found, lost = matched(known, PEOPLE)
    assert found == {"14": "ekovacs", "15": "ss"}
    assert lost == {"12 (Jane Doe)": SHARED, "13 (Jane Doe)": SHARED}


def test_two_hand_ins_of_one_name_are_not_told_apart_by_a_list_that_has_one(tmp_path):
    found, lost = matched(roster(tmp_path, "username,name\njdoe,Jane Doe\n"), PEOPLE)
    assert found == {}
    assert lost["12 (Jane Doe)"] == lost["13 (Jane Doe)"] == SHARED
    assert lost["14 (Éva Kovács)"] == UNKNOWN


def test_a_participants_number_is_compared_with_identifiers_only(tmp_path):
    text = "username,email,name,idnumber\njdoe,jdoe@x.org,Jane Doe,14\nzed,zed@x,Zed Other,12\n15,q@x,Q,1\n"
    found, lost = matched(roster(tmp_path, text), PEOPLE)
    assert found == {}
    assert lost["14 (Éva Kovács)"] == lost["15 (Solo Smith)"] == UNKNOWN
    worksheet = "Identifier,username,idnumber\nParticipant 12,jdoe,13\nParticipant 13,jdoe2,12\n"
    assert matched(roster(tmp_path, worksheet), PEOPLE)[0] == {"12": "jdoe", "13": "jdoe2"}


def test_a_bare_number_without_a_name_is_an_id_or_a_number_of_the_platform(tmp_path):
    nameless = {"12": (None, None), "14": (None, None)}
    text = "username,idnumber\n14,\njdoe,12\n"
    assert matched(roster(tmp_path, text), nameless) == ({"14": "14"}, {"12": UNKNOWN})
    numbered = "Identifier,username\nParticipant 12,jdoe\nParticipant 13,14\n"
    assert matched(roster(tmp_path, numbered), nameless)[0] == {"12": "jdoe", "14": "14"}


def test_an_id_goes_before_an_email_and_an_email_before_a_name(tmp_path):
    known = roster(tmp_path, "username,email,name\nada,ada@x.org,Ann Good\nbob,bob@x.org,Bob Able\n")
    people = {
        "12": ("Bob Able", None),
        "77": ("Robert Able", "BOB@x.org"),  # as Gradescope says it: an institution's number, and an email
        "ada": (None, None),
        "z": ("Ann Good", None),
    }
    found, lost = matched(known, people)
    assert found == {"77": "bob", "ada": "ada"}
    assert lost == {"12 (Bob Able)": AGAIN, "z (Ann Good)": AGAIN}


CROSSING = (
    "username,Identifier,email,name,idnumber\n"
    "1001,Participant 1002,ada@x.org,Ada Lovelace,\n1002,Participant 1001,bo@x.org,Bo Neil,77\n"
    "cy,Participant 77,cy@x.org,Cy Young,\n"
)


@pytest.mark.parametrize(
    ("student", "name", "email", "whose"),
    [
        ("1001", "Ada Lovelace", "ada@x.org", "1001"),  # an institution's number: no Identifier is asked
        ("1001", None, "ada@x.org", "1001"),
        ("1002", "Neil, Bo", "elsewhere@x.org", "1002"),
        ("1001", "Bo Neil", None, "1002"),  # Moodle's own number
        ("1001", "B. O'Neil", None, "1002"),  # a spelling that is nobody's
        ("1001", "Ada Lovelace", None, CROSSED),
        ("1001", "Ada Lovelace", "bo@x.org", CROSSED),
        ("1001", "Bo Neil", "ada@x.org", CROSSED),
        ("cy", "Ada Lovelace", None, CROSSED),
        ("cy", None, "bo@x.org", CROSSED),
        ("99", "Cy Young", "bo@x.org", CROSSED),
        ("1001", None, None, CROSSED),  # a file of that name: an id, or Moodle's number
        ("77", None, None, CROSSED),
        ("88", "Cy Young", None, CROSSED),  # not Moodle's number of the only Cy Young
        ("88", "Cy Young", "c@x.org", "cy"),
        ("88", None, None, UNKNOWN),
        ("88", "No Body", None, UNKNOWN),
    ],
)
def test_signs_of_two_people_are_said_and_not_chosen_from(tmp_path, student, name, email, whose):
    found, lost = matched(roster(tmp_path, CROSSING), {student: (name, email)})
    assert [*found.values(), *lost.values()] == [whose]


def test_what_several_share_says_nothing_against_one_of_them_but_against_others(tmp_path):
    text = "username,email,name\njd1,home@x.org,Jane Doe\njd2,home@x.org,Jane Doe\ncy,c@x.org,Cy Young\n"
    known = roster(tmp_path, text)
    assert matched(known, {"jd2": ("Jane Doe", "home@x.org")})[0] == {"jd2": "jd2"}
    assert list(matched(known, {"cy": ("Jane Doe", None)})[1].values()) == [CROSSED]
    assert list(matched(known, {"x": ("Cy Young", "home@x.org")})[1].values()) == [CROSSED]
    assert list(matched(known, {"x": (None, "home@x.org")})[1].values()) == [SHARED]


def test_a_name_serves_where_the_list_has_no_number_of_the_student(tmp_path):
    text = "username,Identifier,name,aliases\nek,,Éva Kovács,900\nss,Participant 99,Solo Smith,15\n"
    assert matched(roster(tmp_path, text), {k: PEOPLE[k] for k in ("14", "15")})[0] == {
        "14": "ek",
        "15": "ss",
    }


CANVAS_BOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Task (9)\n"
    '"Doe, Jane",101,u1,jd1,S,\n"Doe, Jane",102,101,jd2,S,\n"Able, Bob",103,102,bob,S,\n'
)


@pytest.mark.parametrize(
    ("people", "marks", "why"),
    [
        ({"101": ("doejane", None), "102": ("doejane", None)}, ["10", "20", ""], [("u1", AGAIN)]),
        ({"101": (None, "e@x"), "102": (None, "e@x")}, ["30", "10", "20"], []),  # SIS ids, from Gradescope
        ({}, ["30", "", ""], [("101", CROSSED), ("102", CROSSED)]),
    ],
)
def test_a_number_of_canvas_is_no_sis_id(tmp_path, people, marks, why):
    (tmp_path / "book.csv").write_text(CANVAS_BOOK, encoding="utf-8")
    grades = [grade("101", 10.0), grade("102", 20.0), grade("u1", 30.0)]
    lost = fill_canvas(grades, tmp_path / "book.csv", tmp_path / "out.csv", "Task", people)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert [row["Task (9)"] for row in csv.DictReader(file)] == marks
    assert [(item.grade.student, item.why) for item in lost] == why


def test_canvas_does_not_give_the_grade_of_a_number_to_a_namesake_of_another(tmp_path):
    (tmp_path / "book.csv").write_text('Student,ID,Task\n"Lee, Ann",20040,\n', encoding="utf-8")
    people = {"10040": ("leeann", None)}
    (lost,) = fill_canvas([grade("10040")], tmp_path / "book.csv", tmp_path / "out.csv", "Task", people)
    assert lost.why == CROSSED
    assert (tmp_path / "out.csv").read_text() == (tmp_path / "book.csv").read_text()


def minimal(tmp_path, known, people):
    assert (
        write_canvas([grade(student) for student in people], tmp_path / "c.csv", "Task", known, people) == []
    )
    with (tmp_path / "c.csv").open(encoding="utf-8", newline="") as file:
        return [(row["Student"], row["ID"], row["SIS Login ID"]) for row in csv.DictReader(file)]


def test_canvas_minimal_form_has_the_ids_of_the_list_and_of_no_other_platform(tmp_path):
    people = {"901": ("boba ble", None), "1001": ("Ada L", "ada@x.org")}
    text = "student,email,name\nada,ada@x.org,Ada L\nbob,bob@x.org,Bob Able\n"
    assert minimal(tmp_path, roster(tmp_path, text, CANVAS), people) == [
        ("bob", "", "bob"),
        ("ada", "", "ada"),
    ]
    text = (
        "username,canvas id,email,name\nada,501,ada@x.org,Ada L\nbob,,b@x,Bob Able\ncy,1001,cy@x.org,Cy Y\n"
    )
    assert minimal(tmp_path, roster(tmp_path, text, CANVAS), people) == [
        ("bob", "", "bob"), ("ada", "501", "ada"),
    ]  # fmt: skip
    text = "student,id,email\nada,777,ada@x.org\nbob,778,bob@x.org\n"  # an institution's, not Canvas's
    assert minimal(tmp_path, roster(tmp_path, text, CANVAS), {"1001": ("Ada L", "ada@x.org")}) == [
        ("ada", "", "ada"),
    ]  # fmt: skip
    text = 'Student,ID,SIS Login ID\n"L, Ada",501,ada@x.org\n"Able, Bob",901,bob\n'
    assert minimal(tmp_path, roster(tmp_path, text, CANVAS), people) == [
        ("Able, Bob", "901", ""), ("L, Ada", "501", ""),
    ]  # fmt: skip


def test_canvas_minimal_form_without_a_list_takes_an_id_beside_an_email_for_a_login(tmp_path):
    people = {"901": ("boba ble", None), "1001": ("Ada L", "ada@x.org"), "jane": (None, None)}
    assert minimal(tmp_path, None, people) == [
        ("901", "901", ""), ("1001", "", "1001"), ("jane", "", "jane"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [
        [f"{name}_assignsubmission_file_" for name in ("Ann Good_14", "Jane Doe_12", "Jane Doe_13")],
        [
            f"{name} - May 18, 2026 1224 PM"
            for name in ("14-9 - Ann Good", "12-9 - Jane Doe", "13-9 - Jane Doe")
        ],
    ],
    ids=["moodle", "brightspace"],
)
def test_the_command_goes_from_a_download_to_moodles_file_by_names(tmp_path, names):
    for name in names:
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "self_attention.py").write_text("x = (\n", encoding="utf-8")
    (tmp_path / "class.csv").write_text(
        "username,email,name,idnumber\nagood,a@x,Ann Good,3\njdoe,j@x,Jane Doe,14\njdoe2,k@x,Jane Doe,12\n",
        encoding="utf-8",
    )
    results = str(tmp_path / "results")
    graded = CliRunner().invoke(group, ["grade", str(tmp_path / "class"), "--out", results, "--no-diagnosis"])
    assert graded.exit_code == 0, graded.output
    with Gradebook(tmp_path / "results/gradebook.db") as book:
        assert book.person("14") == ("Ann Good", None)
    command = ["export", "moodle", "--results", results, "--roster", str(tmp_path / "class.csv")]
    done = CliRunner().invoke(group, [*command, "--title", "Task"])
    assert done.exit_code == 0, done.output
    assert "1 students written" in done.output
    assert "2 of a name that several have: 12 (Jane Doe), 13 (Jane Doe); their grades go to " in done.output
    with (tmp_path / "results/moodle.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["username"], row["Task"]) for row in csv.DictReader(file)] == [
            ("agood", "0"), ("jdoe", "-"), ("jdoe2", "-"),
        ]  # fmt: skip

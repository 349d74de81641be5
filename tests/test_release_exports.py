"""Grades in other tools' formats, each read back by a reader of that format."""

import csv
import io
import json
import xml.etree.ElementTree as Xml

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from autograder.cli.main import group
from autograder.exports.canvas import fill_canvas, write_canvas
from autograder.exports.errors import ExportError
from autograder.exports.gradescope import VISIBILITIES, gradescope_results
from autograder.exports.junit import write_junit
from autograder.exports.moodle import write_moodle
from autograder.grade.model import CheckGrade, Diagnosis, Digests, Evidence, Flag, Grade, Isolation
from autograder.gradebook import Gradebook
from autograder.reports.words import words
from autograder.submission.roster import Roster, Student, load_roster

TITLE = "A self-attention layer"


def grade(student, score=62.5, diagnosis=None, flags=()):
    wrong = Evidence(
        part="Wq at lesson", verdict="failed", points=0.0, max_points=5.0, measure="relative error",
        value=0.333, limit=1e-5, tensor="dWq",
    )  # fmt: skip
    return Grade(
        student=student,
        assignment="self_attention",
        score=score,
        max_score=100,
        checks=(
            CheckGrade(id="forward", title="forward", verdict="passed", points=25.0, max_points=25.0),
            CheckGrade(
                id="gradcheck", title="backward", verdict="failed", points=score - 25, max_points=40.0,
                evidence=(wrong,), diagnosis=diagnosis,
            ),
            CheckGrade(id="zero_grad", title="zero_grad", verdict="skipped", points=0.0, max_points=35.0),
        ),
        isolation=Isolation(level="L3", detail=""),
        flags=tuple(Flag(kind=kind, detail=detail) for kind, detail in flags),
        digests=Digests(submission="s", course="c", grader="g"),
    )  # fmt: skip


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


EXPORTED = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (11),A self-attention layer (4711),Final Score\n"
    "    Points Possible,,,,,10,100,(read only)\n"
    '"Doe, Jane",901,S1,jdoe,"Mon, 9",7,,81\n'
    '"Doe, Jane",902,S2,jdoe2,"Mon, 9",EX,55,\n'
    "=HYPERLINK(1),903,S3,mallory,,-,,\n"
    '"Student, Test",904,,,,,,\n'
)


def test_canvas_fills_the_column_of_an_exported_file_and_leaves_every_other_cell(tmp_path):
    (tmp_path / "exported.csv").write_text("\ufeff" + EXPORTED, encoding="utf-8")
    known = [grade("901", 100), grade("jdoe", 0), grade("jdoe2", 62.5), grade("S3", 1 / 3)]
    unknown = fill_canvas([*known, grade("nobody")], tmp_path / "exported.csv", tmp_path / "out.csv", TITLE)
    assert [lost.student for lost in unknown] == ["jdoe", "nobody"]  # jdoe is 901, who has a mark
    before = list(csv.reader(io.StringIO(EXPORTED)))
    after = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert [row[6] for row in after] == [
        "A self-attention layer (4711)",
        "100",
        "100",
        "62.5",
        "0.333333",
        "",
    ]
    for old, new in zip(before, after, strict=True):
        assert old[:6] + old[7:] == new[:6] + new[7:]


@pytest.mark.parametrize(
    ("text", "title", "says"),
    [
        (
            EXPORTED,
            "Essay",
            "0 columns are titled 'Essay', expected one; assignments in it: Quiz (11), A",
        ),
        ("a,b\n1,2\n", TITLE, "no columns Student and ID"),
        ("", TITLE, "no columns Student and ID"),
    ],
)
def test_canvas_says_what_is_wrong_with_a_file(tmp_path, text, title, says):
    (tmp_path / "exported.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ExportError, match="expected") as caught:
        fill_canvas([grade("901")], tmp_path / "exported.csv", tmp_path / "out.csv", title)
    assert says in str(caught.value)
    assert not (tmp_path / "out.csv").exists()


def test_canvas_minimal_form_is_a_roster_again(tmp_path):
    roster = Roster((Student("jane", ("901",)), Student("bob"), Student("=cmd()")))
    grades = [grade("901"), grade("bob", 70), grade("=cmd()", 25), grade("nobody")]
    assert [g.student for g in write_canvas(grades, tmp_path / "c.csv", TITLE, roster)] == ["nobody"]
    found = rows(tmp_path / "c.csv")
    assert list(found[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", TITLE]
    assert [(row["Student"], row["ID"], row["SIS Login ID"], row[TITLE]) for row in found] == [
        ("jane", "901", "", "62.5"), ("bob", "", "bob", "70"), ("'=cmd()", "", "'=cmd()", "25"),
    ]  # fmt: skip
    assert load_roster(tmp_path / "c.csv").find("901").id == "jane"


def test_a_fault_of_the_grader_leaves_the_mark_open(tmp_path):
    faulty = grade("ada", 0, flags=[("grader-fault", "the disk is full")])
    roster = Roster((Student("ada"), Student("bob")))
    write_canvas([faulty], tmp_path / "c.csv", TITLE, roster)
    write_moodle([faulty], tmp_path / "m.csv", TITLE, roster)
    assert rows(tmp_path / "c.csv")[0][TITLE] == ""
    assert [row[TITLE] for row in rows(tmp_path / "m.csv")] == ["-", "-"]


def test_moodle_has_every_student_of_the_class_and_nobody_else(tmp_path):
    roster = Roster((Student("ada", ("Ada L.",), "ada@x.org"), Student("bob", (), "bob@x.org")))
    unknown = write_moodle([grade("Ada L."), grade("nobody")], tmp_path / "m.csv", "Task", roster)
    assert [lost.student for lost in unknown] == ["nobody"]
    ada, bob = rows(tmp_path / "m.csv")
    assert list(ada) == ["username", "email", "Task", "Task feedback"]
    assert (ada["username"], ada["email"], float(ada["Task"])) == ("ada", "ada@x.org", 62.5)
    assert "backward: 37.5 of 40, failed | Wq at lesson: failed: dWq relative error" in ada["Task feedback"]
    assert (bob["Task"], bob["Task feedback"]) == ("-", "")


def test_junit_is_read_back_with_points_and_hostile_text(tmp_path):
    hostile = Diagnosis(sentence="dWq is wrong\n]]></failure>\x00\x1b[31m ::error::x ##[group] \ufffe")
    write_junit([grade("a<b>&\x08\ufffe", diagnosis=hostile), grade("bob")], tmp_path / "junit.xml")
    text = (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert "::error" not in text
    assert "##[" not in text
    first, second = Xml.fromstring(text).findall("testsuite")
    assert {name: first.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3", "failures": "1", "errors": "0", "skipped": "1",
    }  # fmt: skip
    assert first.get("name").startswith("a<b>&")
    assert second.get("name") == "bob"
    got = {
        case.get("name"): {p.get("name"): float(p.get("value")) for p in case.iter("property")}
        for case in second.iter("testcase")
    }
    assert got["gradcheck"] == {"points": 37.5, "max_points": 40.0}
    assert first.find("testcase/failure").get("message") == "dWq is wrong"


RESULTS = {  # what Gradescope's documentation allows
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
        "visibility": {"enum": list(VISIBILITIES)},
        "stdout_visibility": {"enum": list(VISIBILITIES)},
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "score", "max_score", "status"],
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
                    "tags": {"type": "array"},
                    "visibility": {"enum": list(VISIBILITIES)},
                    "extra_data": {"type": "object"},
                },
            },
        },
        "leaderboard": {
            "type": "array",
            "items": {"type": "object", "required": ["name", "value"]},
        },
    },
}


def test_gradescope_results_are_valid_and_the_leaderboard_is_off():
    results = json.loads(json.dumps(gradescope_results(grade("ada"), visibility="after_published")))
    Draft202012Validator(RESULTS).validate(results)
    assert results["score"] == 62.5
    assert sum(test["score"] for test in results["tests"]) == 62.5
    assert {test["visibility"] for test in results["tests"]} == {"after_published"}
    assert "leaderboard" not in results
    assert gradescope_results(grade("ada"), leaderboard=True)["leaderboard"][0]["value"] == 62.5


def test_a_fault_of_the_grader_is_said_to_be_no_mark():
    results = gradescope_results(grade("ada", flags=[("grader-fault", "the disk is full")]))
    Draft202012Validator(RESULTS).validate(results)
    assert results["tests"] == []
    assert results["output"].splitlines()[1] == "the disk is full"
    assert "not your work" in results["output"]


def test_words_are_the_diagnosis_where_there_is_one():
    check = grade("ada", diagnosis=Diagnosis(sentence="dWq is 2 x too large.\nLine 41")).checks[1]
    assert words(check) == ["dWq is 2 x too large.", "Line 41"]
    assert words(grade("ada").checks[1]) == ["Wq at lesson: failed: dWq relative error 0.33, limit 1e-05"]
    assert words(grade("ada").checks[0]) == []


def test_the_command_writes_each_format_and_lists_whom_it_does_not_know(tmp_path):
    with Gradebook(tmp_path / "results/gradebook.db") as book:
        for student in ("ada", "bob", "=nobody"):
            book.put(grade(student))
    (tmp_path / "class.csv").write_text("student,email\nada,a@x.org\nbob,b@x.org\n", encoding="utf-8")

    def export(*arguments):
        return CliRunner().invoke(group, ["export", *arguments, "--results", str(tmp_path / "results")])

    roster = ("--roster", str(tmp_path / "class.csv"))
    done = export("moodle", *roster)
    assert done.exit_code == 0, done.output
    assert f"2 students written to {tmp_path / 'results/moodle.csv'}" in done.output
    assert "1 not in the class list: =nobody" in done.output
    (lost,) = rows(tmp_path / "results/moodle-unknown.csv")
    assert (lost["student"], lost["score"]) == ("'=nobody", "62.5")

    for format_, name in (("csv", "checks.csv"), ("canvas", "canvas.csv"), ("junit", "junit.xml")):
        assert export(format_).exit_code == 0
        assert (tmp_path / "results" / name).stat().st_size > 0
    assert len(rows(tmp_path / "results/checks.csv")) == 9
    assert export("gradescope").exit_code == 0
    found = sorted(path.name for path in (tmp_path / "results/gradescope").iterdir())
    assert found == ["=nobody.json", "ada.json", "bob.json"]
    refused = export("moodle")
    assert refused.exit_code == 2
    assert "--roster" in refused.output

"""Grades in other tools' formats, each read back by a reader of that format."""

import csv
import io
import json
import os
import xml.etree.ElementTree as Xml
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from autograder.cli.main import group
from autograder.exports.canvas import fill_canvas, write_canvas
from autograder.exports.errors import ExportError
from autograder.exports.gradescope import VISIBILITIES, gradescope_results, placeholder
from autograder.exports.junit import write_junit
from autograder.exports.mark import mark
from autograder.exports.match import AGAIN, UNKNOWN
from autograder.exports.moodle import write_moodle
from autograder.grade.model import CheckGrade, Diagnosis, Digests, Evidence, Flag, Grade, Isolation
from autograder.gradebook import Gradebook
from autograder.gradebook.undo import undo
from autograder.reports.words import summary, words
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
    lost = fill_canvas([*known, grade("nobody")], tmp_path / "exported.csv", tmp_path / "out.csv", TITLE, {})
    assert [(str(item), item.why) for item in lost] == [("jdoe", AGAIN), ("nobody", UNKNOWN)]  # jdoe is 901
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
        fill_canvas([grade("901")], tmp_path / "exported.csv", tmp_path / "out.csv", title, {})
    assert says in str(caught.value)
    assert not (tmp_path / "out.csv").exists()


def test_canvas_minimal_form_is_a_roster_again(tmp_path):
    roster = Roster((Student("jane", numbers=("901",)), Student("bob"), Student("=cmd()")))
    grades = [grade("901"), grade("bob", 70), grade("=cmd()", 25), grade("nobody")]
    assert [str(lost) for lost in write_canvas(grades, tmp_path / "c.csv", TITLE, roster, {})] == ["nobody"]
    found = rows(tmp_path / "c.csv")
    assert list(found[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", TITLE]
    assert [(row["Student"], row["ID"], row["SIS Login ID"], row[TITLE]) for row in found] == [
        ("jane", "901", "jane", "62.5"), ("bob", "", "bob", "70"), ("'=cmd()", "", "'=cmd()", "25"),
    ]  # fmt: skip
    assert [student.id for student in load_roster(tmp_path / "c.csv").called("901")] == ["jane"]


def test_a_fault_of_the_grader_leaves_the_mark_open(tmp_path):
    faulty = grade("ada", 0, flags=[("grader-fault", "the disk is full")])
    roster = Roster((Student("ada"), Student("bob")))
    write_canvas([faulty], tmp_path / "c.csv", TITLE, roster, {})
    write_moodle([faulty], tmp_path / "m.csv", TITLE, roster, {})
    assert rows(tmp_path / "c.csv")[0][TITLE] == ""
    assert [row[TITLE] for row in rows(tmp_path / "m.csv")] == ["-", "-"]


def test_a_score_that_a_person_set_is_a_mark_also_after_a_fault(tmp_path):
    """Through the gradebook: the flag's words are made there."""
    with Gradebook(tmp_path / "results/gradebook.db") as book:
        book.put(grade("ada", 0, flags=[("grader-fault", "the disk is full")]))
        change = {"reason": "by hand", "name": "J. Novak", "at": datetime(2026, 3, 1, tzinfo=UTC)}
        book.adjust("ada", "self_attention", points=5, **change)
        assert mark(book.grade("ada", "self_attention")) == ""  # 5 more than an unknown is no mark
        book.adjust("ada", "self_attention", override=88, **change)
        found = book.grade("ada", "self_attention")
        undo(book, "ada", "self_attention", **change)
        back = book.grade("ada", "self_attention")
    assert (mark(back), gradescope_results(back)["tests"]) == ("", [])  # as after the fault
    assert "taken-back: score set to 88: by hand (J. Novak, 2026-03-01), taken back: " in summary(back)
    write_canvas([found], tmp_path / "c.csv", TITLE, None, {})
    write_moodle([found], tmp_path / "m.csv", TITLE, Roster((Student("ada"),)), {})
    assert [rows(tmp_path / name)[0][TITLE] for name in ("c.csv", "m.csv")] == ["88", "88"]
    results = gradescope_results(found)
    assert (results["score"], len(results["tests"])) == (88, 3)
    assert "score set to 88: by hand" in results["output"]


def test_moodle_has_every_student_of_the_class_and_nobody_else(tmp_path):
    roster = Roster((Student("ada", ("Ada L.",), "ada@x.org"), Student("bob", (), "bob@x.org")))
    unknown = write_moodle([grade("Ada L."), grade("nobody")], tmp_path / "m.csv", "Task", roster, {})
    assert [str(lost) for lost in unknown] == ["nobody"]
    ada, bob = rows(tmp_path / "m.csv")
    assert list(ada) == ["username", "email", "Task", "Task feedback"]
    assert (ada["username"], ada["email"], float(ada["Task"])) == ("ada", "ada@x.org", 62.5)
    assert "backward: 37.5 of 40, failed | Wq at lesson: failed: dWq relative error" in ada["Task feedback"]
    assert (bob["Task"], bob["Task feedback"]) == ("-", "")


def test_moodle_says_what_lateness_and_a_person_changed(tmp_path):
    flags = [("late", "day 2"), ("adjusted", "+5 points: typo"), ("review", "of the staff"), ("note", "x")]
    write_moodle([grade("ada", flags=flags)], tmp_path / "m.csv", "Task", Roster((Student("ada"),)), {})
    feedback = rows(tmp_path / "m.csv")[0]["Task feedback"]
    assert feedback.endswith(" |  | late: day 2 |  | adjusted: +5 points: typo")


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


@pytest.fixture
def export(tmp_path):
    """The command on a results folder of ada and bob."""
    with Gradebook(tmp_path / "results/gradebook.db") as book:
        for student in ("ada", "bob"):
            book.put(grade(student))

    def run(*arguments, results="results"):
        return CliRunner().invoke(group, ["export", *arguments, "--results", str(tmp_path / results)])

    return run


def test_files_of_an_earlier_export_go_and_no_others(tmp_path, export):
    folder = tmp_path / "results/gradescope"
    folder.mkdir()
    old = [("eve.json", gradescope_results(grade("eve"))), ("joe.json", placeholder("the disk is full"))]
    for name, content in [*old, ("mine.json", {"tests": []}), ("list.json", [1])]:
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    assert export("gradescope").exit_code == 0
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["ada.json", "bob.json", "list.json", "mine.json", "notes.txt"]


def test_the_list_of_the_unknown_goes_when_nobody_is_unknown(tmp_path, export):
    (tmp_path / "class.csv").write_text("student\nada\n", encoding="utf-8")
    roster = ("--roster", str(tmp_path / "class.csv"))
    unknown = tmp_path / "results/moodle-unknown.csv"
    export("moodle", *roster)
    assert [row["student"] for row in rows(unknown)] == ["bob"]
    (tmp_path / "class.csv").write_text("student\nada\nbob\n", encoding="utf-8")
    export("moodle", *roster)
    assert not unknown.exists()
    unknown.write_text("a file of my own\n", encoding="utf-8")
    export("moodle", *roster)
    assert unknown.read_text(encoding="utf-8") == "a file of my own\n"


@pytest.mark.skipif(os.name != "posix", reason="devices")
def test_beside_a_device_there_is_no_list_of_the_unknown(tmp_path, export):
    (tmp_path / "class.csv").write_text("student\nada\n", encoding="utf-8")
    (tmp_path / "device").symlink_to(os.devnull)
    roster = ("--roster", str(tmp_path / "class.csv"))
    for format_ in ("moodle", "canvas"):
        done = export(format_, *roster, "--out", str(tmp_path / "device"))
        assert (done.exit_code, done.stdout) == (0, "")
        unknown = tmp_path / f"results/{format_}-unknown.csv"
        assert f"1 not in the class list: bob; their grades go to {unknown}" in done.stderr
        assert [row["student"] for row in rows(unknown)] == ["bob"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.csv", "device", "results"]


def test_the_unknown_are_named_also_where_their_file_cannot_be_written(tmp_path, export):
    (tmp_path / "class.csv").write_text("student\nada\n", encoding="utf-8")
    unknown = tmp_path / "results/moodle-unknown.csv"
    unknown.mkdir()
    done = export("moodle", "--roster", str(tmp_path / "class.csv"))
    assert done.exit_code == 2
    assert "1 not in the class list: bob" in done.output
    assert f"{unknown}: cannot be written" in " ".join(done.output.split())


def test_results_of_another_assignment_are_refused(tmp_path, export):
    with Gradebook(tmp_path / "other/gradebook.db") as book:
        book.put(grade("ada").model_copy(update={"assignment": "linear"}))
    (tmp_path / "other/checks.csv").write_text("good\n", encoding="utf-8")
    done = export("csv", results="other")
    assert done.exit_code == 2
    assert f"{tmp_path / 'other'} holds grades of linear; name the folder of self_attent" in done.output
    assert (tmp_path / "other/checks.csv").read_text(encoding="utf-8") == "good\n"
    for more in ([], ["--feedback", str(tmp_path / "feedback")]):
        done = CliRunner().invoke(group, ["report", "--out", str(tmp_path / "other"), *more])
        assert done.exit_code == 2
        assert "holds grades of linear" in done.output


@pytest.mark.parametrize("format_", ["csv", "canvas", "junit"])
def test_a_folder_for_out_is_named_as_it_was_given(tmp_path, export, format_):
    done = export(format_, "--out", str(tmp_path))
    assert done.exit_code == 2
    assert f"{tmp_path} is a folder" in done.output


def test_an_out_that_cannot_be_written_is_named_as_it_was_given(tmp_path, export):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for given in (tmp_path / "file/out.csv", Path("/proc/out.csv")):
        done = export("csv", "--out", str(given))
        assert done.exit_code == 2
        assert f"Error: {given}: cannot be written" in done.output

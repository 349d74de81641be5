"""Bulk downloads as platforms lay them out: student id, lateness, attempt, and nothing dropped."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.submission import Refusal, Submission, SubmissionError, find_submissions
from autograder.submission.platforms.gradescope_metadata import read_metadata

CODE = b"class SelfAttention:\n    pass\n"
NOTEBOOK = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = 1"}]}).encode()
WANTED = "expected one file, best named self_attention.py or self_attention.ipynb"


def put(root: Path, *names: str, data: bytes | None = None) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if data is not None else NOTEBOOK if name.endswith("ipynb") else CODE)
    return root


def find(path: Path, layout: str = "auto") -> dict[str, Submission | Refusal]:
    found = find_submissions([path], assignment="self_attention", max_bytes=1024**2, layout=layout)
    assert [item.student for item in found] == sorted({item.student for item in found})
    return {item.student: item for item in found}


def told(item: Submission | Refusal) -> tuple[object, ...]:
    """All that a layout says of a submission."""
    assert isinstance(item, Submission), item
    return item.path.name, item.name, item.email, item.submitted_at, item.late, item.attempt, item.notes


def reason(item: Submission | Refusal) -> str:
    assert isinstance(item, Refusal), item
    return item.reason


@pytest.mark.parametrize("layout", ["auto", "canvas"])
def test_canvas(tmp_path: Path, layout: str) -> None:
    put(tmp_path, "doejane_340934_20849_self_attention.py", "doejane_340934_20850_notes.ipynb")
    put(
        tmp_path,
        "smithbob_LATE_334244_39480_self_attention-2.py",
        "smithbob_LATE_334244_39001_self_attention-1.py",
    )
    put(
        tmp_path,
        "lee_55555_39999_a.py",
        "lee_55555_40000_b.py",
        "kim_66666_text.html",
        "LATE_anon_x7Yz1_41000_my file.py",
    )
    put(tmp_path, "roe_77777_42000_work.pdf", data=b"%PDF-1.7")
    found = find(tmp_path, layout)
    assert list(found) == ["334244", "340934", "55555", "66666", "77777", "anon_x7Yz1"]
    assert told(found["340934"]) == (
        "doejane_340934_20849_self_attention.py", "doejane", None, None, False, None,
        ("graded self_attention.py; also found, not graded: notes.ipynb",),
    )  # fmt: skip
    assert told(found["334244"]) == (
        "smithbob_LATE_334244_39480_self_attention-2.py", "smithbob", None, None, True, 3,
        ("earlier attempts, not graded: smithbob_LATE_334244_39001_self_attention-1.py",),
    )  # fmt: skip
    assert told(found["anon_x7Yz1"])[1:6] == (None, None, None, True, None)
    of = "the hand-in of Canvas user"
    assert (
        reason(found["55555"]) == f"{of} 55555 holds several files that may be meant (a.py, b.py); {WANTED}."
    )
    assert (
        reason(found["66666"])
        == f"{of} 66666 holds no .py or .ipynb file to grade (found text.html); {WANTED}."
    )
    assert (
        reason(found["77777"])
        == f"{of} 77777 holds no .py or .ipynb file to grade (found work.pdf); {WANTED}."
    )
    assert (found["77777"].name, found["77777"].path) == ("roe", tmp_path)


def test_canvas_the_later_attachment_of_one_name_counts(tmp_path: Path) -> None:
    put(tmp_path, "doe_340934_9999_self_attention.py", "doe_340934_10000_self_attention.py")
    found = find(tmp_path)
    assert told(found["340934"])[0] == "doe_340934_10000_self_attention.py"


def test_names_with_small_numbers_are_not_canvas(tmp_path: Path) -> None:
    put(tmp_path, "hw_1_2_ada.py", "hw_1_2_bob.py")
    assert list(find(tmp_path)) == ["hw_1_2_ada", "hw_1_2_bob"]
    put(tmp_path / "mixed", "doe_340934_20849_x.py", "bob.py")
    assert list(find(tmp_path / "mixed")) == ["bob", "doe_340934_20849_x"]
    assert list(find(tmp_path / "mixed", "canvas")) == ["340934", "bob"]


@pytest.mark.parametrize("layout", ["auto", "moodle"])
def test_moodle_folders(tmp_path: Path, layout: str) -> None:
    put(
        tmp_path,
        "Jane O'Doe_657737_assignsubmission_file_/self_attention.py",
        "Zoë Ng_42_assignsubmission_file/src/mine.py",
    )
    put(
        tmp_path,
        "Zoë Ng_42_assignsubmission_onlinetext_/onlinetext.html",
        "Red team_assignsubmission_file/a.ipynb",
    )
    put(tmp_path, "Al Text_43_assignsubmission_onlinetext_/onlinetext.html", "stray.py", "stray2/x.py")
    found = find(tmp_path, layout)
    assert list(found) == ["42", "43", "657737", "Red team", "stray", "stray2"]
    assert told(found["657737"]) == ("self_attention.py", "Jane O'Doe", None, None, None, None, ())
    assert told(found["42"])[:2] == ("mine.py", "Zoë Ng")
    assert found["42"].path == tmp_path / "Zoë Ng_42_assignsubmission_file/src/mine.py"
    assert told(found["Red team"])[:2] == ("a.ipynb", "Red team")
    assert reason(found["43"]) == (
        f"the hand-in of Al Text holds no .py or .ipynb file to grade (found onlinetext.html); {WANTED}."
    )


def test_moodle_single_files(tmp_path: Path) -> None:
    put(
        tmp_path,
        "Jane Doe_7_assignsubmission_file_self_attention.py",
        "Jane Doe_7_assignsubmission_file_extra.py",
    )
    put(tmp_path, "Participant_8_assignsubmission_file_my_work.ipynb")
    found = find(tmp_path)
    assert told(found["7"])[0] == "Jane Doe_7_assignsubmission_file_self_attention.py"
    assert told(found["7"])[6] == ("graded self_attention.py; also found, not graded: extra.py",)
    assert told(found["8"])[:2] == ("Participant_8_assignsubmission_file_my_work.ipynb", "Participant")


@pytest.mark.parametrize("layout", ["auto", "brightspace"])
def test_brightspace(tmp_path: Path, layout: str) -> None:
    jane = "152711-351765 - Jane - Doe - "
    put(
        tmp_path,
        f"{jane}May 18, 2026 1224 PM/self_attention.py",
        f"{jane}May 18, 2026 930 AM/self_attention.py",
    )
    put(
        tmp_path,
        f"{jane}May 9, 2026 1159 PM/self_attention.py",
        "index.html",
        "152712-351765 - Bob - gestern/x.py",
    )
    found = find(tmp_path, layout)
    assert list(found) == ["152711", "152712"]
    assert told(found["152711"]) == (
        "self_attention.py", "Jane - Doe", None, datetime(2026, 5, 18, 12, 24), None, 3, ()
    )  # fmt: skip
    assert found["152711"].path == tmp_path / f"{jane}May 18, 2026 1224 PM/self_attention.py"
    assert told(found["152712"])[3:] == (
        None, None, None, ("the date of 152712-351765 - Bob - gestern could not be read",)
    )  # fmt: skip


METADATA = """---
submission_11:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0675'
    :email: ada@example.edu
  :created_at: 2026-12-02 02:52:07.938335000 Z
  :score: 0.0
  :results:
    score: 0.0
    output: |
      submission_99:
        :submitters:
        - :name: Eve
          :sid: '666'
    tests:
    - name: x
  :history:
  - :submitters: []
    :created_at: 2026-12-01 07:30:05.262325000 Z
    :id: 217383000
  - :submitters: []
    :id: 217383001
submission_12:
  :submitters:
  - :name: "Zo\\u00eb \\"Z\\" Ng\\x07"
    :sid: ''
    :email: zoe@example.edu
  - :name: 'Bo O''Neil'
    :sid: '0700'
    :email:
  :created_at: 2026-12-02 04:04:59 +0100
  :history: []
submission_13:
  :submitters: []
submission_14:
  :submitters:
  - :name: Gone
    :sid: '0800'
"""


@pytest.mark.parametrize("layout", ["auto", "gradescope"])
@pytest.mark.parametrize("wrap", ["", "assignment_8046601_export/"])
def test_gradescope(tmp_path: Path, layout: str, wrap: str) -> None:
    put(tmp_path, f"{wrap}submission_metadata.yml", data=METADATA.encode())
    put(
        tmp_path,
        f"{wrap}submission_11/self_attention.py",
        f"{wrap}submission_12/a/mine.py",
        f"{wrap}submission_13/x.py",
    )
    found = find(tmp_path, layout)
    assert list(found) == ["0675", "0700", "0800", "submission_13", "zoe@example.edu"]
    moment = datetime(2026, 12, 2, 2, 52, 7, 938335, tzinfo=UTC)
    assert told(found["0675"]) == (
        "self_attention.py",
        "Ada Lovelace",
        "ada@example.edu",
        moment,
        None,
        3,
        (),
    )
    group = ("handed in by a group: zoe@example.edu, 0700",)
    moment = datetime(2026, 12, 2, 3, 4, 59, tzinfo=UTC)
    assert told(found["0700"]) == ("mine.py", "Bo O'Neil", None, moment, None, 1, group)
    zoe = "zoe@example.edu"
    assert told(found[zoe]) == ("mine.py", 'Zoë "Z" Ng␇', zoe, moment, None, 1, group)
    assert reason(found["0800"]) == f"submission_14/ holds no files; {WANTED}."


def test_gradescope_several_submissions_of_one_student(tmp_path: Path) -> None:
    records = "".join(
        f"submission_{n}:\n  :submitters:\n  - :sid: '7'\n  :created_at: 2026-01-0{day} 00:00:00 Z\n"
        for n, day in ((1, 2), (2, 3), (3, 1))
    )
    put(tmp_path, "submission_metadata.yml", data=records.encode())
    put(tmp_path, "submission_1/a.py", "submission_2/b.py", "submission_3/c.py")
    assert told(find(tmp_path)["7"]) == (
        "b.py", None, None, datetime(2026, 1, 3, tzinfo=UTC), None, 3,
        (),
    )  # fmt: skip


def test_gradescope_metadata_that_is_none(tmp_path: Path) -> None:
    assert read_metadata("") == {}
    assert read_metadata("- a\n? b\n\x00{[}\n  :submitters:\n  - :sid: '1'\n") == {}
    put(tmp_path, "ada.py")
    (tmp_path / "submission_metadata.yml").symlink_to("/etc/passwd")
    with pytest.raises(
        SubmissionError, match=r"^submission_metadata\.yml is a symbolic link, which is not followed; "
    ):
        find(tmp_path)


@pytest.mark.parametrize("layout", ["auto", "github"])
def test_github(tmp_path: Path, layout: str) -> None:
    put(tmp_path, "self-attention-ada-l/self_attention.py", "self-attention-ada-l/test_self_attention.py")
    put(
        tmp_path,
        "self-attention-ada-l/.git/config",
        "self-attention-ada-l/.github/x.py",
        "self_attention-bob/mine.py",
    )
    put(tmp_path, "self-attention-ada-l/self_attention.ipynb")
    (tmp_path / "self-attention-empty/.git").mkdir(parents=True)
    found = find(tmp_path, layout)
    assert list(found) == ["ada-l", "bob", "empty"]
    assert told(found["ada-l"])[6] == (
        "graded self_attention.py; also found, not graded: self_attention.ipynb",
    )
    assert reason(found["empty"]) == f"self-attention-empty/ holds no files; {WANTED}."
    assert list(find(tmp_path / "self-attention-ada-l")) == ["ada-l"]


def test_github_the_folder_of_the_clones_names_the_assignment(tmp_path: Path) -> None:
    put(
        tmp_path,
        "hw-5-submissions/hw-5-jane-doe/self_attention.py",
        "hw-5-submissions/hw-5-jane-roe/self_attention.py",
    )
    assert list(find(tmp_path / "hw-5-submissions")) == ["jane-doe", "jane-roe"]
    assert list(find(tmp_path)) == ["jane-doe", "jane-roe"]
    put(tmp_path, "hw-5-submissions/other/self_attention.py")  # not a clone of it: read plainly
    assert list(find(tmp_path / "hw-5-submissions")) == ["hw-5-jane-doe", "hw-5-jane-roe", "other"]
    assert list(find(tmp_path / "hw-5-submissions", "github")) == ["jane-doe", "jane-roe", "other"]


@pytest.mark.parametrize("layout", ["auto", "nbgrader"])
def test_nbgrader(tmp_path: Path, layout: str) -> None:
    put(tmp_path, "submitted/ada/self_attention/problem.ipynb", "submitted/bob/self_attention/x.ipynb")
    put(
        tmp_path,
        "submitted/ada/ps1/problem.ipynb",
        "submitted/cy/ps1/problem.ipynb",
        "source/self_attention/problem.ipynb",
    )
    put(
        tmp_path,
        "submitted/bob/self_attention/y.ipynb",
        "autograded/ada/self_attention/problem.ipynb",
        "gradebook.db",
    )
    put(
        tmp_path,
        "submitted/ada/self_attention/timestamp.txt",
        data=b"2026-02-02 15:58:23.948203 America/Los_Angeles\n",
    )
    put(tmp_path, "submitted/bob/self_attention/timestamp.txt", data=b"yesterday")
    for root in (tmp_path, tmp_path / "submitted"):
        found = find(root, layout)
        assert list(found) == ["ada", "bob"]
        moment = datetime(2026, 2, 2, 23, 58, 23, 948203, tzinfo=UTC)
        assert told(found["ada"]) == ("problem.ipynb", None, None, moment, None, None, ())
        assert reason(found["bob"]) == (
            f"bob/self_attention/ holds several files that may be meant (x.ipynb, y.ipynb); {WANTED}."
        )


def test_nbgrader_other_names_of_the_assignment(tmp_path: Path) -> None:
    put(tmp_path, "submitted/ada/ps1/problem.ipynb")
    assert told(find(tmp_path, "nbgrader")["ada"])[6] == ("nbgrader calls the assignment ps1",)
    put(tmp_path, "submitted/ada/ps2/problem.ipynb")
    with pytest.raises(SubmissionError) as error:
        find(tmp_path, "nbgrader")
    assert str(error.value) == (
        "nobody handed in self_attention in submitted, found ps1, ps2; "
        "grade that assignment, or rename its folders."
    )


def test_nbgrader_outside_its_folder_drops_nobody(tmp_path: Path) -> None:
    put(tmp_path, "ada/self_attention/x.ipynb", "bob/mine.py", "cy.py")
    assert list(find(tmp_path)) == ["ada", "bob", "cy"]


@pytest.mark.parametrize("layout", ["canvas", "moodle", "gradescope", "github", "nbgrader", "brightspace"])
def test_a_forced_layout_that_is_not_there_is_a_usage_error(tmp_path: Path, layout: str) -> None:
    put(tmp_path / "class", "ada.py", "bob.py")
    with pytest.raises(SubmissionError) as error:
        find(tmp_path / "class", layout)
    assert str(error.value).startswith(f"class is not laid out as {layout} does it: expected ")
    assert str(error.value).endswith(
        ", found ada.py, bob.py; leave the layout to be detected, or name another."
    )


def test_the_plain_layout_can_be_forced(tmp_path: Path) -> None:
    put(tmp_path, "doe_340934_20849_x.py", "self-attention-ada/self_attention.py")
    assert list(find(tmp_path, "folders")) == ["doe_340934_20849_x", "self-attention-ada"]

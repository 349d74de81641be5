"""Pseudonyms: no name in any report, the same ones every time, the way back for the instructor alone."""

import hashlib
import json
import os
import re
import stat

import pytest
from classroom import MADE, PLOTLY, report, student

from autograder.gradebook import Gradebook
from autograder.reports.anonymise import Pseudonyms
from autograder.submission import Source, SubmissionError


def named_in(diagnosis, name):
    """A diagnosis that quotes the student: in its sentence, and in its line."""
    [line] = diagnosis.lines
    told = f"{line.text}  # {name}"
    sentence = f"{diagnosis.sentence.replace(line.text, told)}\nNext: see {name.upper()}"
    lines = (line.model_copy(update={"text": told}),)
    return diagnosis.model_copy(update={"sentence": sentence, "lines": lines})


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Three students who write their names into their files."""
    folder = tmp_path_factory.mktemp("named")
    with Gradebook(folder / "gradebook.db") as book:
        for number, name in enumerate(("lovelace_ada", "Hopper Grace", "curie-marie")):
            grade, source = student(number, name, MADE[1])
            code = source.chunks[0].replace(
                b"dscores", f"d{name.split('_')[0].split(' ')[0].split('-')[0]}".encode()
            )
            code = code.replace(b"\n", f"  # by {name}\n".encode())
            digest = hashlib.sha256(code).hexdigest()
            digests = grade.digests.model_copy(update={"submission": digest})
            kept = Source((code,), "py", digest)
            checks = tuple(
                check.model_copy(update={"diagnosis": check.diagnosis and named_in(check.diagnosis, name)})
                for check in grade.checks
            )
            book.put(grade.model_copy(update={"digests": digests, "checks": checks}), "", kept)
    return folder


NAMES = re.compile("lovelace|hopper|grace|curie|marie", re.IGNORECASE)


def anonymous(folder):
    html = ("--html", folder / "class.html") if PLOTLY else ()
    report(folder, "--anonymise", "--feedback", folder / "feedback", *html)
    views = [
        report(folder, "--anonymise", *view)
        for view in ((), ("--check", "gradcheck"), ("--check", "forward"))
    ]
    written = [p for p in folder.rglob("*") if p.suffix in (".html", ".md")]
    pages = [p.read_text(encoding="utf-8") for p in written]
    return sorted(p.name for p in written), [p.split('id="library">')[0] for p in pages] + views


def test_no_name_is_in_any_report_and_pseudonyms_stay(named):
    files, texts = anonymous(named)
    assert not [text for text in texts if NAMES.search(text)]
    assert anonymous(named) == (files, texts)
    mapping = json.loads((named / "pseudonyms.json").read_text(encoding="utf-8"))
    assert sorted(mapping["students"].values()) == ["Hopper Grace", "curie-marie", "lovelace_ada"]
    assert {f"{pseudonym}.md" for pseudonym in mapping["students"]} <= set(files)
    if os.name == "posix":
        assert stat.S_IMODE((named / "pseudonyms.json").stat().st_mode) == 0o600


def test_the_same_files_are_alike_under_pseudonyms(tmp_path):
    """A name that stands in everybody's code, here that of `np.max`, is not looked for there."""
    names = ("max.mueller", "bob", "dot-ty")
    with Gradebook(tmp_path / "gradebook.db") as book:
        for number, name in enumerate(names):
            grade, source = student(number, name, MADE[1 if number < 2 else 2])
            code = source.chunks[0] + f"# by {name}\n".encode()
            assert b"max(" in code
            digests = grade.digests.model_copy(update={"submission": hashlib.sha256(code).hexdigest()})
            kept = Source((code,), "py", digests.submission)
            book.put(grade.model_copy(update={"digests": digests}), "", kept)
    said, hidden = report(tmp_path, "--similar"), report(tmp_path, "--anonymise", "--similar")
    mapping = json.loads((tmp_path / "pseudonyms.json").read_text(encoding="utf-8"))["students"]
    assert "the same but for names, comments and layout: bob, max.mueller" in said
    [line] = [line for line in hidden.splitlines() if line.startswith("the same but for names")]
    assert {mapping[pseudonym] for pseudonym in line.split(": ")[1].split(", ")} == {"bob", "max.mueller"}
    assert not [name for name in names if name in hidden]
    assert len(hidden.splitlines()) == len(said.splitlines())


def test_one_student_is_found_by_either_name(named):
    anonymous(named)
    [pseudonym] = [
        p for p, s in json.loads((named / "pseudonyms.json").read_text())["students"].items() if "ada" in s
    ]
    by_name, by_pseudonym = (
        report(named, "--anonymise", "--student", s) for s in ("lovelace_ada", pseudonym)
    )
    assert by_name == by_pseudonym and pseudonym in by_name and not NAMES.search(by_name)
    assert "  counts\n" in by_pseudonym


def test_without_the_file_pseudonyms_are_others(tmp_path):
    one, other = Pseudonyms(tmp_path / "one.json"), Pseudonyms(tmp_path / "other.json")
    assert one.name("ada") != other.name("ada")
    one.save()
    assert Pseudonyms(tmp_path / "one.json").name("ada") == one.name("ada")


def test_two_students_never_share_a_pseudonym(tmp_path):
    """20,000 students: six hexadecimal digits would repeat about twelve times."""
    names = Pseudonyms(tmp_path / "p.json")
    assert len({names.name(f"s{i}") for i in range(20000)}) == 20000


def test_a_damaged_mapping_is_one_sentence_and_is_not_replaced(tmp_path):
    (tmp_path / "p.json").write_text("{", encoding="utf-8")
    with pytest.raises(SubmissionError, match=r"p\.json: cannot be read as a mapping of pseudonyms"):
        Pseudonyms(tmp_path / "p.json")
    assert (tmp_path / "p.json").read_text() == "{"

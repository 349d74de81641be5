"""The command on a messy class: each file is graded or refused with a sentence, none stops the others."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from autograder.grade.model import Grade

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "solutions" / "self_attention" / "self_attention.py"
STUB = ROOT / "assignments" / "self_attention" / "self_attention.py"
LEVEL = "L3" if sys.platform == "linux" else "L1"


def run(*arguments, cwd=ROOT):
    command = [sys.executable, "-m", "autograder", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


def lay(folder, student, content, name="self_attention.py"):
    path = folder / student / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


# Student, bytes of the file, its name, score, verdict of `forward`, part of the flag's sentence.
REF = REFERENCE.read_bytes()
PY = "self_attention.py"
CASES = [
    ("plain", REF, PY, 100, "passed", ""),
    ("bom", b"\xef\xbb\xbf" + REF, PY, 100, "passed", ""),
    ("crlf", REF.replace(b"\n", b"\r\n"), PY, 100, "passed", ""),
    ("star", b"from numpy import *\n" + REF, PY, 100, "passed", ""),
    ("plots", b"import matplotlib.pyplot as plt\n" + REF + b"\nfig, ax = plt.subplots()\n", PY,
     100, "passed", ""),
    ("prints", REF.replace(b"        dA =", b"        print('y' * 99999)\n        dA ="), PY,
     100, "passed", ""),
    ("warns", b"import warnings\nwarnings.warn('x')\n" + REF, PY, 100, "passed", ""),
    ("main", REF + b"\nif __name__ == '__main__':\n    while True: pass\n", PY, 100, "passed", ""),
    ("=cmd()", REF, PY, 100, "passed", ""),
    ("O'Brien \"Q\" Zo\u00eb \u6728", REF, PY, 100, "passed", ""),
    ("::error::x", REF, PY, 100, "passed", ""),
    ("asks", REF + b"\ninput('?')\n", PY, 0, "error", ""),
    ("torch", b"import torch\n" + REF, PY, 0, "import", ""),
    ("leaves", b"import os\nos._exit(0)\n", PY, 0, "crash", ""),
    ("syntax", REF.replace(b"return out", b"return out)"), PY, 0, "error", ""),
    ("big", bytes(50 << 20), PY, 0, "skipped", "50.0 MB"),
    ("notebook", b"{not json", "self_attention.ipynb", 0, "skipped", "invalid JSON"),
    ("pdf", b"%PDF-1.7", "work.pdf", 0, "skipped", "work.pdf"),
]  # fmt: skip


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    """(folder, out, completed process) of one run over all cases."""
    base = tmp_path_factory.mktemp("messy")
    folder, out = base / "class", base / "out"
    for student, content, name, *_ in CASES:
        lay(folder, student, content, name)
    (folder / "link").mkdir()
    (folder / "link" / "self_attention.py").symlink_to(base / "nowhere")
    (folder / "nothing").mkdir()
    return folder, out, run("grade", folder, "--out", out, "--require-isolation", LEVEL)


def grades(out):
    found = [json.loads(path.read_text()) for path in (out / "grades").iterdir()]
    return {grade["student"]: grade for grade in found}


def test_every_student_of_a_messy_class_has_a_grade(messy):
    _, out, process = messy
    assert process.returncode == 0, process.stderr
    found = grades(out)
    assert set(found) == {case[0] for case in CASES} | {"link", "nothing"}
    for student, _, _, score, verdict, sentence in CASES:
        grade = found[student]
        assert (grade["score"], grade["checks"][0]["verdict"]) == (score, verdict), student
        if sentence:
            assert sentence in grade["flags"][0]["detail"]
    assert "symbolic link" in found["link"]["flags"][0]["detail"]
    assert "holds no files" in found["nothing"]["flags"][0]["detail"]


def test_every_grade_fits_the_schema(messy):
    schema = json.loads((ROOT / "autograder" / "grade" / "grade-v1.schema.json").read_text())
    assert schema == Grade.model_json_schema(by_alias=True)
    validator = Draft202012Validator(schema)
    for grade in grades(messy[1]).values():
        validator.validate(grade)
        assert grade["schema"] == "autograder/grade/v1"


def test_a_second_run_gives_the_same_bytes(messy, tmp_path):
    folder, out, _ = messy
    assert (
        run("grade", folder, "--out", tmp_path, "--require-isolation", LEVEL, "--jobs", "1").returncode == 0
    )
    for path in [*(out / "grades").iterdir(), out / "grades.csv"]:
        assert (tmp_path / path.relative_to(out)).read_bytes() == path.read_bytes(), path.name


def test_no_cell_is_a_formula_and_no_line_a_command(messy):
    _, out, process = messy
    rows = list(csv.reader((out / "grades.csv").open(encoding="utf-8")))
    assert "'=cmd()" in [row[0] for row in rows]
    assert not [line for line in process.stdout.splitlines() if "::" in line or "##[" in line]


def test_json_is_one_document_a_line(tmp_path):
    process = run("grade", REFERENCE, STUB, "--json", "--out", tmp_path, "--require-isolation", LEVEL)
    lines = [json.loads(line) for line in process.stdout.splitlines()]
    # Two files of one name: the second id says so.
    assert [(line["student"], line["score"]) for line in lines] == [
        ("self_attention", 0.0), ("self_attention (2)", 100.0),
    ]  # fmt: skip


def test_exit_codes(tmp_path):
    out = ("--out", tmp_path / "out", "--require-isolation", LEVEL)
    assert run("grade", STUB, *out).returncode == 0
    assert run("grade", STUB, *out, "--fail-under", "50").returncode == 1
    empty = tmp_path / "empty"
    empty.mkdir()
    refused = run("grade", empty, *out)
    assert (refused.returncode, "holds no submissions" in refused.stderr) == (2, True)
    wrong = run("grade", STUB, "--assignment", "other", *out)
    assert (wrong.returncode, "grading.toml has self_attention" in wrong.stderr) == (2, True)
    near = run("grad", STUB)
    assert (near.returncode, "Did you mean 'grade'?" in near.stderr) == (2, True)


def test_a_stub_reports_its_task_and_line(tmp_path):
    process = run("grade", STUB, "--out", tmp_path, "--require-isolation", LEVEL)
    line = STUB.read_text().splitlines().index('        raise NotImplementedError("1.1")') + 1
    assert "Task 1.1, forward, is still to be written." in process.stdout
    assert f'Line {line}: raise NotImplementedError("1.1")' in process.stdout
    assert "self_attention: 0 of 100" in process.stdout


def test_check_runs_the_public_checks():
    good, stub = run("check", REFERENCE), run("check", STUB)
    assert (good.returncode, "The public checks pass." in good.stdout) == (0, True)
    assert (stub.returncode, "still to be written" in stub.stdout) == (0, True)


def test_build_check_passes_on_this_tree():
    assert run("build", "--check").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("grade", ""), "an empty PATH"),
        (("grade", REFERENCE, "--fail-under", "nan"), "--fail-under nan is no number of points"),
        (("grade", REFERENCE, "--shard", ""), "--shard '' is no shard; expected i/n with i from 1 to n"),
        (("grade", REFERENCE, "--out", "/dev/null/results"), "cannot be made"),
        (("export", "csv", "--into", "grades.csv"), "--into is for canvas and has no meaning for csv"),
    ],
)
def test_what_has_no_meaning_is_refused(arguments, sentence):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr

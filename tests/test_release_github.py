"""Released folders: nothing secret in them; what they do in a student's repository and in the course's."""

import base64
import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from test_handout import secrets, squeezed

from autograder.build import BuildError
from autograder.cli.main import group
from autograder.course import load_course
from autograder.release.github import classroom50, grading_repository, student_repository
from autograder.release.gradescope import autograder
from autograder.release.writing import write_folder, zipped
from autograder.submission import find_submissions

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
REFERENCE = COURSE.solution_path(NAME).read_text(encoding="utf-8")
WRONG = REFERENCE.replace("dscores = dS / np.sqrt(self.hs)", "dscores = dS")
RELEASES = {"github": student_repository(COURSE, NAME), "classroom50": classroom50(COURSE, NAME)}


def texts(content):
    """A file's text; of JSON every string in it as well, without JSON's escapes."""
    text = content.decode()
    yield text
    try:
        waiting = [json.loads(text)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | dict):
            waiting += value.values() if isinstance(value, dict) else value


@pytest.mark.parametrize(
    ("platform", "path"), [(platform, path) for platform, files in RELEASES.items() for path in files]
)
def test_nothing_secret_is_released(platform, path):
    seeds = re.findall(r"hidden_seed = (\d+)", COURSE.source.decode())
    assert len(seeds) == 3
    for text in texts(RELEASES[platform][path]):
        assert [secret for secret in secrets() if secret in squeezed(text)] == []
        assert [seed for seed in seeds if seed in text] == []
        assert "mistakes.toml" not in text
        assert "[[mistake]]" not in text


def test_a_secret_would_be_found():
    notebook = json.dumps({"cells": [{"source": ["x", WRONG]}]}, ensure_ascii=True).encode()
    assert any(secret in squeezed(text) for text in texts(notebook) for secret in secrets())


def test_the_instructors_releases_hold_the_whole_course():
    for files in (
        grading_repository(COURSE, NAME),
        autograder(COURSE, NAME, visibility="visible", leaderboard=False),
    ):
        assert files["grading.toml"] == COURSE.source
        assert files[f"solutions/{NAME}/{NAME}.py"].decode() == REFERENCE
        assert "autograder/grade/grader.py" in files
        assert re.fullmatch(r"(?:[\w-]+==[\w.]+\n){6,}", files["requirements.txt"].decode())


def test_the_command_writes_the_same_files_again_but_over_nobodys_work(tmp_path):
    for _ in range(2):
        done = CliRunner().invoke(group, ["release", "--for", "github", str(tmp_path / "repository")])
        assert done.exit_code == 0, done.output
    found = {
        p.relative_to(tmp_path / "repository").as_posix(): p.read_bytes()
        for p in (tmp_path / "repository").rglob("*")
        if p.is_file()
    }
    assert found == RELEASES["github"]
    (tmp_path / "repository/notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BuildError, match=r"notes\.txt"):
        write_folder(RELEASES["github"], tmp_path / "repository")
    assert zipped(RELEASES["github"]) == zipped(dict(reversed(RELEASES["github"].items())))


# ---- what runs in the student's repository ----


def repository(folder, layer):
    write_folder({**RELEASES["github"], f"{NAME}.py": layer.encode()}, folder)
    return folder


def step(folder):
    """classroom.py as a step of the workflow: standard output, and the files that GitHub reads."""
    names = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")
    files = {name: folder.with_name(f"{folder.name}-{name}") for name in names}
    for file in files.values():
        file.touch()
    env = os.environ | {name: str(file) for name, file in files.items()}
    done = subprocess.run(
        [sys.executable, "classroom.py"], cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    output, summary, environment = (file.read_text(encoding="utf-8") for file in files.values())
    assert environment == ""
    (line,) = output.splitlines()
    return done.stdout, json.loads(base64.b64decode(line.removeprefix("result="))), summary


PAYLOAD = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "status", "max_score", "tests"],
    "properties": {
        "version": {"const": 1},
        "status": {"enum": ["pass", "fail", "error"]},
        "max_score": {"type": "number"},
        "tests": {
            "type": "array",
            "minItems": 1,  # an empty list is NaN points
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    "name",
                    "status",
                    "score",
                    "message",
                    "test_code",
                    "filename",
                    "line_no",
                    "duration",
                ],
                "properties": {
                    "name": {"type": "string", "pattern": r"^[^\n\r]+$"},
                    "status": {"enum": ["pass", "fail", "error"]},
                    "score": {"type": "number", "minimum": 0},
                    "message": {"type": "string", "pattern": r"^[^\n\r]*$"},
                    "test_code": {"type": "string"},
                    "filename": {"type": "string"},
                    "line_no": {"type": "integer", "minimum": 0},
                    "duration": {"type": "number"},
                },
            },
        },
    },
}


def totals(payload):
    """The two totals that Classroom's reporter prints, worked out as it does."""
    passed = sum(test["status"] == "pass" for test in payload["tests"])
    return sum(test["score"] for test in payload["tests"]), passed / len(payload["tests"]) * payload[
        "max_score"
    ]


@pytest.mark.parametrize(
    ("layer", "passed"), [(REFERENCE, 15), (WRONG, 14)], ids=["reference", "scale missing"]
)
def test_the_payload_is_valid_and_both_totals_agree(tmp_path, layer, passed):
    printed, payload, summary = step(repository(tmp_path / "repo", layer))
    Draft202012Validator(PAYLOAD).validate(payload)
    assert totals(payload) == (passed, passed)
    assert payload["max_score"] == 15
    assert payload["status"] == ("pass" if passed == 15 else "fail")
    assert f"{passed} of 15 public checks pass" in printed
    assert summary.startswith(f"### Public checks: {passed} of 15 pass\n")


def test_annotations_are_at_the_students_lines(tmp_path):
    broken = REFERENCE.replace("dA = dout @ V.transpose(0, 2, 1)", "dA = dout @ V")
    line = (
        broken.splitlines().index(next(text for text in broken.splitlines() if "dA = dout @ V " in text)) + 1
    )
    printed, payload, _ = step(repository(tmp_path / "repo", broken))
    place = f"file=self_attention.py,line={line},title=backward runs"
    assert f"::error {place}::task 1.2 (backward) stops at line {line}" in printed
    assert printed.count("::error") <= 10
    assert {test["line_no"] for test in payload["tests"] if test["status"] == "fail"} == {line}


HOSTILE = """
class Nasty(Exception):
    def __str__(self):
        return "\\n::error::a\\r\\n##[group]x\\x1b[31m\\n::set-output name=result::x | <img src=x> @everyone"
print("::notice::forged")
print("##[error]forged", flush=True)
import os, sys
os.write(1, b"::warning::forged\\n"); os.write(2, b"::warning::forged\\n")
for name, value in os.environ.items():
    if name.startswith("GITHUB_"):
        open(value, "a").write("result=forged\\n")
class SelfAttention:
    def __init__(self, C, hs, seed=42):
        raise Nasty
"""


def test_what_a_student_prints_commands_nothing(tmp_path):
    printed, payload, summary = step(repository(tmp_path / "repo", HOSTILE))
    Draft202012Validator(PAYLOAD).validate(payload)
    assert totals(payload) == (0, 0)
    commands = [line for line in printed.splitlines() if "::" in line or "##[" in line]
    assert commands
    for line in commands:
        assert re.fullmatch(
            r"::error file=self_attention\.py,line=\d+,title=[^:]+::(?:(?!::|##\[).)*", line
        ), line
    assert not re.search(r"(?<!\\)[<@`]", summary)
    assert "\x1b" not in printed + summary


def test_a_file_that_does_not_compile_and_one_that_ends_python(tmp_path):
    _, payload, _ = step(repository(tmp_path / "a", "class SelfAttention(:\n"))
    assert totals(payload) == (0, 0)
    assert "line 1" in payload["tests"][0]["message"]
    _, payload, _ = step(repository(tmp_path / "b", "import os\nos._exit(0)\n"))
    Draft202012Validator(PAYLOAD).validate(payload)
    assert totals(payload) == (0, 0)


def test_autograder_classroom_gives_the_same_payload(tmp_path):
    (tmp_path / "mine.py").write_text(WRONG, encoding="utf-8")
    command = [sys.executable, "-m", "autograder", "classroom", "--public", str(tmp_path / "mine.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == step(repository(tmp_path / "repo", WRONG))[1]


# ---- Classroom 50 ----

TEXTS = ("classroom", "assignment", "owner", "commit", "release", "review")
RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "schema", *TEXTS, "assignment_type", "submission", "datetime", "score", "max-score", "tests",
    ],
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        **{name: {"type": "string", "minLength": 1} for name in TEXTS},
        "assignment_type": {"enum": ["individual", "group"]},
        "submission": {"type": "string", "pattern": "^submit/"},
        "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "score": {"type": "integer", "minimum": 0},
        "max-score": {"type": "integer", "minimum": 0},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["test-name", "passed", "score", "max-score"],
                "properties": {
                    "test-name": {"type": "string"},
                    "passed": {"type": "boolean"},
                    "score": {"type": "integer"},
                    "max-score": {"type": "integer"},
                },
            },
        },
    },
}  # fmt: skip


def test_classroom50_grades_a_checkout_with_the_bundles_own_tests(tmp_path):
    write_folder(RELEASES["classroom50"], tmp_path / "bundle")
    checkout = repository(tmp_path / "checkout", WRONG)
    (checkout / f"test_{NAME}.py").write_text("def test_mine(): pass\n", encoding="utf-8")  # no use
    (checkout / "numpy.py").write_text("raise SystemExit\n", encoding="utf-8")
    urls = {name: f"https://x.org/{name}" for name in ("COMMIT_URL", "RELEASE_URL", "REVIEW_URL")}
    env = {
        "CLASSROOM": "layers", "ASSIGNMENT": NAME, "SUBMISSION_TAG": "submit/2026-11-30-abc", "OWNER": "ada",
        "USERNAME": "ada", "ASSIGNMENT_TYPE": "individual", **urls,
    }  # fmt: skip
    program = tmp_path / f"bundle/autograders/{NAME}/autograder.py"
    command = [sys.executable, "-P", str(program)]
    done = subprocess.run(
        command, cwd=checkout, env={**os.environ, **env}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((checkout / "result.json").read_text(encoding="utf-8"))
    Draft202012Validator(RESULT).validate(result)
    assert (result["score"], result["max-score"]) == (1400, 1500)
    assert sum(test["score"] for test in result["tests"]) == 1400
    assert "gradient check | fail" in (checkout / "release-body.md").read_text(encoding="utf-8")


# ---- the instructor's grading repository ----

GH = """#!{python}
import json, os, sys
from pathlib import Path
with open(os.environ["LOG"], "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
path = next(word for word in sys.argv[2:] if "/" in word)
if "/statuses/" in path:
    sys.exit(0)
owner, repository = path.split("/")[1:3]
repository = repository.partition("?")[0]
if repository == "gone":
    sys.exit(1)
answers = json.loads(Path(os.environ["ANSWERS"]).read_text())
print(json.dumps([answers[repository]] if "/activity" in path else {{"default_branch": "main"}}))
"""


def git(folder, *words):
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a",
    }
    env = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_repositories_are_collected_as_they_were_pushed_at_the_deadline(tmp_path):
    """Ada pushes twice, before and after; she dates the second commit back. Bob pushes late, Eve is gone."""
    host, answers = tmp_path / "host", {}
    for student in ("ada", "bob"):
        folder = host / "org" / student
        folder.mkdir(parents=True)
        git(folder, "init", "-q", "-b", "main")
        for text, moment in ((REFERENCE, "2026-11-30T10:00:00Z"), (WRONG, "2026-12-02T00:00:00Z")):
            (folder / f"{NAME}.py").write_text(text, encoding="utf-8")
            (folder / "link").symlink_to("/etc/passwd") if not (folder / "link").is_symlink() else None
            git(folder, "add", "-A")
            git(folder, "commit", "-q", "-m", "x", "--date=2026-01-01T00:00:00Z")
            push = {"after": git(folder, "rev-parse", "HEAD"), "timestamp": moment}
            answers.setdefault(student, []).append(push)
    answers["bob"] = answers["bob"][1:]
    repo = tmp_path / "grading"
    write_folder(grading_repository(COURSE, NAME), repo)
    roster = "student,github,repository\nada,a,org/ada\nbob,b,org/bob\neve,e,org/gone\n"
    (repo / "roster.csv").write_text(roster, encoding="utf-8")
    (tmp_path / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gh").write_text(GH.format(python=sys.executable), encoding="utf-8")
    (tmp_path / "bin/gh").chmod(0o755)
    env = {
        **os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "LOG": str(tmp_path / "log"),
        "ANSWERS": str(tmp_path / "answers.json"),
    }  # fmt: skip

    def run(*words):
        return subprocess.run(
            [sys.executable, *words], cwd=repo, env=env, capture_output=True, text=True, timeout=120
        )

    done = run("collect.py", NAME, "2026-12-01T12:00:00Z", str(host))
    assert done.returncode == 0, done.stderr
    assert "1 of 3 collected, 1 could not be read" in done.stdout
    assert "bob: nothing pushed by 2026-12-01T12:00:00Z" in done.stdout
    found = repo / f"submissions/{NAME}-ada"
    assert (found / f"{NAME}.py").read_text(encoding="utf-8") == REFERENCE
    assert not (found / "link").is_symlink()
    assert not (found / ".git").exists()

    done = run("-m", "autograder", "grade", "submissions", "--out", "results")
    assert done.returncode == 0, done.stderr
    with open(repo / "results/grades.csv", encoding="utf-8", newline="") as file:
        assert [(row["student"], row["score"]) for row in csv.DictReader(file)] == [("ada", "100")]
    done = run("publish.py")
    assert done.returncode == 0, done.stderr
    sent = json.loads((tmp_path / "log").read_text(encoding="utf-8").splitlines()[-1])
    assert sent[2] == f"repos/org/ada/statuses/{answers['ada'][0]['after']}"
    assert "description=100 of 100 points" in sent


@pytest.mark.parametrize(
    "line", ["../x,a,org/x", "ada,a,org/x/../../y", "ada,a,--upload-pack=x", "-x,a,org/x", "ada,a,org"]
)
def test_a_roster_line_that_is_no_repository_is_refused(tmp_path, line):
    write_folder(grading_repository(COURSE, NAME), tmp_path / "grading")
    (tmp_path / "grading/roster.csv").write_text(f"student,github,repository\n{line}\n", encoding="utf-8")
    command = [sys.executable, "collect.py", NAME, "2026-12-01T12:00:00Z"]
    done = subprocess.run(command, cwd=tmp_path / "grading", capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "expected a student's id and owner/repository" in done.stderr


def test_clones_are_read_as_they_are(tmp_path):
    """One folder a student; of all that we released, only what may be handed in is worth a note."""
    for student in ("ada", "bob"):
        repository(tmp_path / f"clones/{NAME}-{student}", REFERENCE)
    found = find_submissions([tmp_path / "clones"], assignment=NAME)
    assert [item.student for item in found] == ["ada", "bob"]
    for item in found:
        assert b"".join(item.source.chunks).decode() == REFERENCE
        assert item.notes == (f"graded {NAME}.py; also found, not graded: {NAME}.ipynb",)

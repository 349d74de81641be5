"""Gradescope's zip, laid out and run as its container does; results.json is there whatever happens."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from test_release_exports import RESULTS

from autograder.course import load_course
from autograder.release.gradescope import autograder
from autograder.release.writing import zipped

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
REFERENCE = COURSE.solution_path(NAME).read_text(encoding="utf-8")
ZIP = zipped(autograder(COURSE, NAME, visibility="after_published", leaderboard=False))
# What a container has when nobody asks for more or less.
DOCKER = [
    "chown",
    "dac_override",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "net_bind_service",
    "net_raw",
    "sys_chroot",
    "mknod",
    "audit_write",
    "setfcap",
]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Gradescope's containers are Linux")


def container(folder, files):
    """A folder as Gradescope lays out /autograder, with a submission of `files`, text by name."""
    with zipfile.ZipFile(io.BytesIO(ZIP)) as archive:
        for info in archive.infolist():
            path = Path(archive.extract(info, folder / "source"))
            path.chmod(info.external_attr >> 16 & 0o777)
    shutil.move(folder / "source/run_autograder", folder / "run_autograder")
    for name in ("submission", "results"):
        (folder / name).mkdir()
    for name, text in files.items():
        (folder / "submission" / name).write_text(text, encoding="utf-8")
    users = [{"email": "ada@example.org", "id": 7, "name": "Ada"}]
    metadata = {"users": users, "assignment": {"total_points": "100.0"}, "created_at": "2026-11-30T09:00:00Z"}
    (folder / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    return folder


def run(folder, *before, python=sys.executable):
    env = {"PATH": os.environ["PATH"], "AUTOGRADER_ROOT": str(folder), "AUTOGRADER_PYTHON": python}
    command = [*before, str(folder / "run_autograder")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    results = json.loads((folder / "results/results.json").read_text(encoding="utf-8"))
    Draft202012Validator(RESULTS).validate(results)
    return results


def test_the_zip_has_both_programs_at_its_root():
    with zipfile.ZipFile(io.BytesIO(ZIP)) as archive:
        for name in ("setup.sh", "run_autograder"):
            assert archive.getinfo(name).external_attr >> 16 & 0o111 == 0o111
            subprocess.run(["bash", "-n"], input=archive.read(name), check=True)


def test_a_submission_is_graded_with_the_capabilities_of_a_plain_container(tmp_path):
    wrong = REFERENCE.replace("dscores = dS / np.sqrt(self.hs)", "dscores = dS")
    folder = container(tmp_path / "autograder", {f"{NAME}.py": wrong, "notes.txt": "x", "numpy.py": "1/0"})
    capped = []
    if os.geteuid() == 0 and shutil.which("setpriv"):
        kept = ",".join(f"+{name}" for name in DOCKER)
        capped = ["setpriv", f"--bounding-set=-all,{kept}", f"--inh-caps=-all,{kept}", "--no-new-privs"]
    results = run(folder, *capped)
    assert results["score"] == 70
    lost = {
        test["extra_data"]["check"]: test["max_score"] - test["score"]
        for test in results["tests"]
        if test["score"] < test["max_score"]
    }
    assert lost == {"gradcheck": 30}
    assert sum(test["max_score"] for test in results["tests"]) == 100
    assert {test["visibility"] for test in results["tests"]} == {"after_published"}
    assert "sqrt(hs)" in next(
        test["output"] for test in results["tests"] if test["score"] < test["max_score"]
    )
    assert "leaderboard" not in results
    assert results["extra_data"]["isolation"] == COURSE.isolation.required


@pytest.mark.parametrize(
    ("files", "says"),
    [({}, "holds no files"), ({"report.pdf": "%PDF-1.7"}, "holds no .py or .ipynb file")],
    ids=["nothing", "a report"],
)
def test_a_submission_that_cannot_be_read_is_zero_with_the_reason(tmp_path, files, says):
    results = run(container(tmp_path / "autograder", files))
    assert results["score"] == 0
    assert says in results["output"]
    assert len(results["tests"]) == 5


def test_a_grader_that_fails_says_that_its_number_is_no_mark(tmp_path):
    folder = container(tmp_path / "autograder", {f"{NAME}.py": REFERENCE})
    (folder / "source/grading.toml").write_text("[course]\n", encoding="utf-8")
    results = run(folder)
    assert "not your work" in results["output"]
    assert "grading.toml" in results["extra_data"]["grader-fault"]
    results = run(folder, python="/nonexistent")
    assert "did not start" in results["output"]
    shutil.rmtree(folder / "source")
    assert "did not start" in run(folder)["output"]

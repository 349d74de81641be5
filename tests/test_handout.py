"""What students receive: it gives no solution away, and the programs in it print what it says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HANDOUT = ROOT / "assignments" / "self_attention"
REFERENCE = ROOT / "solutions" / "self_attention" / "self_attention.py"
LOSSES = "0.6470 0.6077 0.5770 0.5530 0.5340 0.5190 0.5070 0.4974 0.4897 0.4835"


def run(folder, *arguments):
    """Python in `folder`, without pytest's plugins or this repository's settings; the finished process."""
    command, plain = [sys.executable, *arguments], {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plain.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        command, cwd=folder, env=plain, capture_output=True, text=True, timeout=120, check=False
    )


def reference():
    return REFERENCE.read_text(encoding="utf-8")


# ---- nothing is given away ----


def squeezed(text):
    return "".join(text.split())


def secrets():
    """Body lines of the reference and their right-hand sides, comments and blanks removed.

    Left out is what the student is given anyway, and what is too short to give anything away.
    """
    given, hidden, inside = [], [], False
    for line in reference().splitlines():
        if "# BEGIN SOLUTION" in line or "# END SOLUTION" in line:
            inside = "BEGIN" in line
        else:
            (hidden if inside else given).append(line.split("#")[0])
    lines = [squeezed(line) for line in hidden]
    sides = [line.split("=", 1)[1] for line in lines if re.match(r"[\w.,]+=[^=]", line)]
    known = squeezed("".join(given))
    return [text for text in (*lines, *sides) if len(text) >= 8 and text not in known]


def test_there_are_secrets_to_look_for():
    assert {"scores=Q@K.transpose(0,2,1)", "dscores=dS/np.sqrt(self.hs)", "self.dWq=None"} <= set(secrets())
    assert len(secrets()) > 30


RELEASED = sorted(path for path in HANDOUT.rglob("*.*") if path.is_file() and path.suffix != ".pyc")


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.relative_to(HANDOUT).as_posix())
def test_no_line_of_the_solution_is_in_what_students_receive(path):
    text = squeezed(path.read_text(encoding="utf-8"))
    assert [secret for secret in secrets() if secret in text] == []


def test_no_hidden_seed_is_in_what_students_receive():
    seeds = re.findall(r"hidden_seed = (\d+)", (ROOT / "grading.toml").read_text(encoding="utf-8"))
    assert len(seeds) == 3
    for path in RELEASED:
        assert not any(seed in path.read_text(encoding="utf-8") for seed in seeds), path.name


# ---- the programs in the handout print what it says ----


def programs():
    return re.findall(r"```python\n(.*?)```", (HANDOUT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def solved(tmp_path):
    shutil.copy(HANDOUT / "gradcheck.py", tmp_path)
    shutil.copy(REFERENCE, tmp_path)
    return tmp_path


def test_the_gradient_check_of_the_handout(solved):
    (solved / "program.py").write_text(programs()[0], encoding="utf-8")
    printed = run(solved, "program.py").stdout
    figures = re.findall(r"^(\w+) +two points (\S+) +four points (\S+)$", printed, re.MULTILINE)
    assert [name for name, _, _ in figures] == ["Wq", "Wk", "Wv", "X"]
    assert all(float(two) < 1e-5 and float(four) < 1e-8 for _, two, four in figures)


def test_the_ten_losses_of_the_handout(solved):
    (solved / "program.py").write_text(programs()[1], encoding="utf-8")
    assert run(solved, "program.py").stdout.strip() == LOSSES
    assert LOSSES in (HANDOUT / "README.md").read_text(encoding="utf-8")


def test_the_checks_run_from_another_folder(solved):
    shutil.copy(HANDOUT / "test_self_attention.py", solved)
    elsewhere = solved / "elsewhere"
    elsewhere.mkdir()
    done = run(elsewhere, "-m", "pytest", "-q", "-p", "no:cacheprovider", "../test_self_attention.py")
    assert "29 passed" in done.stdout

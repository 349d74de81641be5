"""`autograder hint`: one more each time, those of a recognised mistake first, remembered in the folder."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REFERENCE = (ROOT / "solutions/self_attention/self_attention.py").read_text(encoding="utf-8")
SCALE = [  # of the mistake that is recognised
    "Which step of forward has no counterpart in your backward?",
    "y = x / c gives dx = dy / c;",
    "Look between the softmax gradient",
]


def hint(folder, task, *options):
    command = [sys.executable, "-m", "autograder", "hint", task, "--course", str(ROOT), *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def folder(tmp_path):
    source = REFERENCE.replace("dscores = dS / np.sqrt(self.hs)", "dscores = dS")
    (tmp_path / "self_attention.py").write_text(source, encoding="utf-8")
    return tmp_path


def test_the_ladder(folder):
    for number in (1, 2, 3):
        done = hint(folder, "1.2")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"1.2 backward, hint {number} of 3 (backward-scale-missing)\n")
        assert [text in done.stdout for text in SCALE] == [n < number for n in range(3)]
    done = hint(folder, "backward", "--submission", "self_attention.py")
    assert done.stdout.startswith("1.2 backward, hint 1 of 3\n")
    assert sorted(path.name for path in folder.iterdir()) == [".progress.json", "self_attention.py"]
    remembered = json.loads((folder / ".progress.json").read_text())
    assert remembered["hints"] == {"backward-scale-missing": 3, "1.2": 1}


def test_a_damaged_memory_begins_anew(folder):
    (folder / ".progress.json").write_text("{")
    assert "hint 1 of 3" in hint(folder, "1.2").stdout


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("7", (), "there is no task '7'; tasks: 1.1, 1.2, 1.3"),
        ("forwards", (), "did you mean 'forward'?"),
        ("1.1", ("--submission", "nowhere.py"), "nowhere.py"),
    ],
)
def test_what_is_not_there_is_said(folder, task, options, message):
    done = hint(folder, task, *options)
    assert done.returncode == 2
    assert message in done.stderr

"""What README shows is what the command prints."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_transcript_is_what_the_sample_class_gives(tmp_path):
    command = [sys.executable, "-m", "autograder", "grade", "tests/submissions", "--out", str(tmp_path)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stderr
    printed = process.stdout.replace(f"written to {tmp_path}/", "written to results/")
    assert printed in (ROOT / "README.md").read_text(encoding="utf-8")

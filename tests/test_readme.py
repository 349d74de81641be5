"""What README shows is what the command prints."""

import re
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


def test_what_it_shows_of_the_students_loop_is_in_the_frozen_transcript():
    """That transcript is what a real run printed: see test_student_journey.py."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    transcript = (ROOT / "tests" / "transcripts" / "student_journey.txt").read_text(encoding="utf-8")
    [shown] = re.findall(r"it says\n\n```\n(.*?)```", readme, re.DOTALL)
    assert len(shown.splitlines()) > 20 and shown in transcript


def test_what_it_shows_of_a_mistake_is_a_frozen_transcript():
    """Which test_diagnosis_transcripts.py holds the grader to."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    transcript = (ROOT / "tests" / "diagnosis" / "no_scale_in_backward.txt").read_text(encoding="utf-8")
    [shown] = re.findall(r"the words below.\n\n```\n(.*?)```", readme, re.DOTALL)
    assert len(shown.splitlines()) > 5 and shown in transcript


def test_its_pictures_are_there():
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert pictures and all((ROOT / picture).is_file() for picture in pictures)

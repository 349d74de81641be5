"""Gradescope's setup.sh for real: a virtual environment of its own, from requirements.txt alone."""

import os
import subprocess
import sys
from pathlib import Path

from conftest import NAME, REFERENCE
from test_release_gradescope import container, run


def test_setup_makes_what_run_autograder_needs(tmp_path):
    folder = container(tmp_path / "autograder", {f"{NAME}.py": REFERENCE})
    binaries = f"{Path(os.path.realpath(sys.executable)).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": binaries, "AUTOGRADER_ROOT": str(folder)}
    done = subprocess.run(
        [str(folder / "source/setup.sh")], env=env, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "in force: L" in done.stdout
    results = run(folder, python=str(folder / "source/.venv/bin/python"))
    assert results["score"] == 100

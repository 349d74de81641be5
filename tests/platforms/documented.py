"""Running a page of docs/ as a reader would: every `sh` fence, in order, in one shell, in a fresh course."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = "self_attention"
EXPORTED = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Self-attention (4711)\n"
    "    Points Possible,,,,,100\n"
    "Ada,901,S1,ada,1,\n"
    "Goran,902,S2,goran,1,\n"
)


def commands(page):
    return "".join(
        re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    )


def follow(page, folder):
    """What the page's commands print in a course with two students' files; `folder` is made that course."""
    for name in ("grading.toml", "solutions", "assignments"):
        (folder / name).symlink_to(ROOT / name)
    for student in ("ada", "goran"):
        shutil.copytree(ROOT / f"tests/submissions/{student}", folder / f"submissions/{student}")
    (folder / "class.csv").write_text("username,email\nada,ada@x.org\nbob,bob@x.org\n", encoding="utf-8")
    (folder / "gradebook.csv").write_text(EXPORTED, encoding="utf-8")
    (folder / f"{NAME}.py").write_bytes((ROOT / f"solutions/{NAME}/{NAME}.py").read_bytes())
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    env.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail"], input=commands(page), cwd=folder, env=env,
        capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout + done.stderr

"""One class of attackers between innocent students, graded by the command, and what it left behind."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import load_course
from autograder.results import file_name

from .catalogue import CHECKS, ROOMS, ROOT, Attack, attacks, bases, expected

NAME = "self_attention"
NOBODY = 65534
INNOCENT = {"aa-innocent": "goran", "m-innocent": "ada", "zz-innocent": "ines"}  # of tests/submissions
SHARED = ("/tmp", "/var/tmp", "/dev/shm", "/run")
SECONDS = 300.0  # for one class
LINES = 400  # no file here is longer
SHORT = {"load_seconds": "1.0", "call_seconds": "1.0"}  # limits for what never ends
ENDLESS = ("endless",)
OTHERS = tuple(room for room in ROOMS if room not in ENDLESS)
KERNEL = ("read", "forge", "leave", "exhaust", "protocol")  # what the levels differ in


class Impossible(Exception):
    """This machine cannot run the suite so; the message says why."""


@dataclass
class Figures:
    """What one run came to. `problems` has a sentence for everything that is not as it must be."""

    level: str
    user: str
    attacks: int = 0
    gained: float = 0.0  # points beyond what the honest parts earn
    read: int = 0  # secrets found in what was put out
    left: int = 0  # files and processes
    changed: int = 0  # grades of innocent students
    stopped: int = 0  # batches
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.level} as {self.user}: attacks {self.attacks}, points gained {self.gained:g}, "
            f"secrets read {self.read}, leftovers {self.left}, other grades changed {self.changed}, "
            f"batches stopped {self.stopped}, other than expected {len(self.problems)}"
        )


class Place:
    """A copy of package and course that `user` may read, with a home, a results folder and secrets."""

    def __init__(self, root: Path, user: str, limits: dict[str, str]):
        self.root, self.user = root, user
        self.secret = f"secret-{secrets.token_hex(12)}"
        self.marker = f"attack-{secrets.token_hex(8)}"
        self.tree, self.home = root / "tree", root / "home"
        root.chmod(0o755)
        for name in ("autograder", "solutions", "assignments"):
            shutil.copytree(ROOT / name, self.tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        policy = (ROOT / "grading.toml").read_text(encoding="utf-8")
        for key, value in limits.items():
            policy = re.sub(rf"^{key} = [\d.]+", f"{key} = {value}", policy, flags=re.M)
        (self.tree / "grading.toml").write_text(f"{policy}\n# {self.secret}\n", encoding="utf-8")
        with (self.tree / f"solutions/{NAME}/{NAME}.py").open("a") as file:
            file.write(f"\n# {self.secret}\n")
        for name in ("home", "temporary", "out"):
            (root / name).mkdir()
            if user == "nobody" and os.geteuid() == 0:
                os.chown(root / name, NOBODY, NOBODY)
        (self.home / "secret.txt").write_text(self.secret)
        self.python = interpreter(root, user)

    @property
    def replaced(self) -> dict[str, str]:
        return {
            "COURSE": str(self.tree), "RESULTS": str(self.root / "out/class"), "MARKER": self.marker,
            "HOME": str(self.home), "SECRET": str(self.home / "secret.txt"),
        }  # fmt: skip

    def grade(self, folder: Path, out: str, level: str, *options: str) -> dict[str, Any]:
        """The command on `folder`; its exit code, what it left running, what it printed."""
        report = self.root / "out" / f"{out}.watch"
        command = [
            self.python, str(Path(__file__).with_name("watch.py")), str(report), str(SECONDS),
            self.python, "-m", "autograder", "grade", str(folder), "--out", str(self.root / "out" / out),
            "--require-isolation", level, *options,
        ]  # fmt: skip
        if self.user == "nobody":
            shutil.copy(command[1], self.root / "watch.py")
            command[1] = str(self.root / "watch.py")
        as_user: dict[str, Any] = (
            {"user": NOBODY, "group": NOBODY, "extra_groups": []} if self.user == "nobody" else {}
        )
        environment = {
            "PATH": os.defpath, "HOME": str(self.home), "TMPDIR": str(self.root / "temporary"),
            "AUTOGRADER_SECRET": self.secret, "GITHUB_ENV": str(self.home / "secret.txt"),
            "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1",
        }  # fmt: skip
        done = subprocess.run(
            command, cwd=self.tree, env=environment, capture_output=True, check=False, **as_user
        )
        if not report.exists():
            raise Impossible(done.stderr.decode(errors="replace")[-500:])
        return {**json.loads(report.read_text()), "printed": done.stdout + done.stderr}


def interpreter(root: Path, user: str) -> str:
    """A Python that `user` may run, with the packages of this one. Raises Impossible."""
    if user != "nobody":
        return sys.executable
    if os.geteuid() != 0:
        raise Impossible("only root can become another user")
    packages = Path(np.__file__).parents[1]
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for base in (
        getattr(sys, "_base_executable", sys.executable),
        f"/usr/bin/{version}",
        f"/usr/local/bin/{version}",
    ):
        if not os.path.exists(base):
            continue
        where = root / f"python-{len(list(root.glob('python-*')))}"
        subprocess.run([base, "-m", "venv", "--without-pip", str(where)], capture_output=True, check=False)
        for folder in where.glob("lib/python*/site-packages"):
            (folder / "packages.pth").write_text(f"{packages}\n")
        python = str(where / "bin/python")
        try:
            subprocess.run(
                [python, "-I", "-c", "import numpy, pydantic"], user=NOBODY, group=NOBODY, extra_groups=[],
                capture_output=True, check=True,
            )  # fmt: skip
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    raise Impossible("no Python of this version that an ordinary user may run with these packages")


@contextmanager
def place(user: str, limits: dict[str, str]) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        yield Place(Path(folder), user, limits)


def run(level: str, user: str = "self", rooms: Sequence[str] = OTHERS, *options: str) -> Figures:
    """Grade the attacks of `rooms` at a level as a user ("self", "nobody"), with options of the command.

    Raises Impossible.
    """
    with place(user, SHORT if tuple(rooms) == ENDLESS else {}) as here:
        figures = Figures(level, "root" if user == "self" and os.geteuid() == 0 else "ordinary user")
        chosen = [attack for attack in attacks(here.replaced) if attack.name.split("/")[0] in rooms]
        folders = here.root / "innocent", here.root / "class"
        for folder in folders:
            folder.mkdir()
            for student, source in INNOCENT.items():
                text = (ROOT / f"tests/submissions/{source}/self_attention.py").read_bytes()
                (folder / f"{student}.py").write_bytes(text)
        for base, text in bases().items():
            (folders[1] / f"base-{base}.py").write_bytes(text)
        for attack in chosen:
            attack.put(folders[1])
        figures.attacks = len(chosen)
        before = _snapshot(here.tree, here.home, *folders)
        alone = here.grade(folders[0], "innocent", level, *options)
        if alone["code"] != 0:
            raise Impossible(alone["printed"].decode(errors="replace").strip()[-500:])
        with_them = here.grade(folders[1], "class", level, *options)
        _judge(figures, here, chosen, with_them)
        _look_around(figures, here, before, _snapshot(here.tree, here.home, *folders))
        return figures


def _judge(figures: Figures, here: Place, chosen: list[Attack], outcome: dict[str, Any]) -> None:
    """Scores, verdicts and flags against the table, the innocents' grades, and what still runs."""
    out = here.root / "out/class"
    say = figures.problems.append
    if outcome["code"] != 0:
        figures.stopped += 1
        say(f"exit code {outcome['code']}: {outcome['printed'].decode(errors='replace')[-300:]}")
    figures.left += len(outcome["left"])
    figures.problems += [f"left running: {command}" for command in outcome["left"]]
    grades: dict[str, Any] = {}
    students = [a.student for a in chosen] + list(INNOCENT) + [f"base-{base}" for base in bases()]
    for student in students:
        path = out / "grades" / file_name(student)
        if path.exists():
            grades[student] = json.loads(path.read_text(encoding="utf-8"))
        else:
            say(f"{student}: no grade")
            figures.stopped += 1
    table = expected()
    for attack in chosen:
        if attack.student not in grades:
            continue
        grade = grades[attack.student]
        honest = grades[f"base-{attack.base}"]["score"] if attack.base else 0.0
        if grade["score"] > honest:
            figures.gained += grade["score"] - honest
            say(f"{attack.name}: {grade['score']:g}, and its honest part earns {honest:g}")
        got, wanted = row(grade), table.get(attack.name)
        if wanted is None or got != wanted:
            say(f"{attack.name}: {got}, expected {wanted}")
        _judge_evidence(say, attack, grade)
    for student in INNOCENT:
        pair = [here.root / "out" / run / "grades" / file_name(student) for run in ("innocent", "class")]
        if not pair[1].exists() or pair[0].read_bytes() != pair[1].read_bytes():
            figures.changed += 1
            say(f"the grade of {student} is another beside the attackers")
    _judge_output(figures, here, outcome["printed"], set(students))


def row(grade: dict[str, Any]) -> str:
    """A grade as a row of the table."""
    checks = {check["id"]: check for check in grade["checks"]}
    cells = [f"{grade['score']:g}", *(f"{checks[c]['verdict']} {checks[c]['points']:g}" for c in CHECKS)]
    flags = sorted({flag["kind"] for flag in grade["flags"]})
    return " | ".join([*cells, " ".join(flags)] if flags else cells)


def _judge_evidence(say: Any, attack: Attack, grade: dict[str, Any]) -> None:
    """Numbers that are the submission's to choose, and not of an answer's values, say little."""
    for check in grade["checks"]:
        for evidence in check["evidence"]:
            if (evidence["line"] or 0) > LINES:
                say(f"{attack.name}: a line that the file does not have: {evidence['line']}")
            shape = evidence["value"] if evidence["measure"] == "shape" else ""
            if any(len(digits) > 4 for digits in re.findall(r"\d+", str(shape))):
                say(f"{attack.name}: a shape that may carry what the layer was given: {shape}")


def _judge_output(figures: Figures, here: Place, printed: bytes, students: set[str]) -> None:
    """The results hold what they should and nothing else; no secret and no hidden input in any byte."""
    out = here.root / "out/class"
    allowed = {"grades.csv", "gradebook.db", "grades", *(f"grades/{file_name(s)}" for s in students)}
    for path in sorted(out.rglob("*")):
        if str(path.relative_to(out)) not in allowed or path.is_symlink():
            figures.left += 1
            figures.problems.append(f"left in the results: {path.relative_to(out)}")
    with closing(sqlite3.connect(out / "gradebook.db")) as book:
        intact = book.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = sorted(student for (student,) in book.execute("SELECT student FROM grades"))
        adjusted = book.execute("SELECT count(*) FROM adjustments").fetchone()[0]
    if not intact or rows != sorted(students) or adjusted:
        figures.problems.append(f"gradebook: intact {intact}, {len(rows)} rows, {adjusted} adjustments")
    texts = [path.read_bytes() for path in out.rglob("*") if path.is_file()]
    for secret in (*disguises(here.secret), *hidden_digits()):
        if any(secret in text for text in (printed, *texts)):
            figures.read += 1
            figures.problems.append(f"read: {secret.decode()}")
    for line in printed.decode(errors="replace").splitlines():
        if re.search(r"::|##\w*\[|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", line):
            figures.problems.append(f"printed, and obeyed by terminals or logs: {line!r}")


def disguises(secret: str) -> list[bytes]:
    data = secret.encode()
    return [data, data[::-1], data.hex().encode(), base64.b64encode(data).rstrip(b"=")[:-1]]


def hidden_digits() -> list[bytes]:
    """The first number of every input that a hidden seed may draw, as the attacks `x_in_...` write it."""
    checks = load_course(ROOT).assignments[NAME].checks.present.values()
    seeds = {check.hidden_seed + n for check in checks if hasattr(check, "hidden_seed") for n in range(130)}
    first = [f(seed) for seed in seeds for f in (_randn, _normal)]
    return [text.encode() for x in first if len(text := str(int(abs(x) * 1e9))) >= 9]


def _randn(seed: int) -> float:
    return float(np.random.RandomState(seed).randn())


def _normal(seed: int) -> float:
    return float(np.random.default_rng(seed).standard_normal())


def _snapshot(*folders: Path) -> dict[str, str]:
    """Kind, size and digest of everything below, by path."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = f"{status.st_mode:o} {status.st_size} {hashlib.sha256(data).hexdigest()}"
    return found


def _look_around(figures: Figures, here: Place, before: dict[str, str], after: dict[str, str]) -> None:
    """Files made, changed or removed in what is ours; files of the attacks' names where all may write."""
    touched = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    touched += [str(path) for path in (here.root / "temporary").iterdir()]
    for folder in (*SHARED, str(here.root), str(Path.home()), str(ROOT)):
        touched += [
            f"{folder}/{name}" for name in os.listdir(folder) if here.marker in name or "climbed" in name
        ]
    figures.left += len(touched)
    figures.problems += [f"touched: {path}" for path in touched]

"""The attacks: small files behind an honest part, and files that no repository can hold.

A file of tests/attacks begins `# after BASE: what it tries`; it is handed in behind the text of
bases/BASE.py (`right` is the reference), whose score is then what its honest part earns. Without
`after` the file is handed in as it is, and its honest part earns nothing.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ATTACKS = ROOT / "tests" / "attacks"
CHECKS = ("forward", "gradcheck", "monotone_loss", "zero_grad", "contract")
FIRST = re.compile(rb"# (?:after (\w+): )?")
SOLUTION = (ROOT / "solutions/self_attention/self_attention.py").read_bytes()
ROOMS = sorted(path.name for path in ATTACKS.iterdir() if path.is_dir() and path.name != "bases")


@dataclass(frozen=True)
class Attack:
    """One file as it is handed in. `base` names its honest part, '' for none."""

    name: str  # "read/open_solution"
    base: str
    put: Callable[[Path], None]  # makes the file in the class's folder
    student: str  # the id that it is graded under


def bases() -> dict[str, bytes]:
    found = {path.stem: path.read_bytes() for path in sorted((ATTACKS / "bases").glob("*.py"))}
    return {"right": SOLUTION, **found}


def attacks(replaced: dict[str, str]) -> list[Attack]:
    """All attacks in order of their names; `replaced` gives the paths for `@COURSE@` and the like."""
    honest, found = bases(), []
    for path in sorted(ATTACKS.glob("*/*.py")):
        if path.parent.name == "bases":
            continue
        text = path.read_bytes()
        match = FIRST.match(text)
        assert match, f"{path} does not begin as the others do"
        base = (match[1] or b"").decode()
        for name, value in replaced.items():
            text = text.replace(f"@{name}@".encode(), value.encode())
        name = f"{path.parent.name}/{path.stem}"
        data = honest[base] + b"\n\n" + text if base else text
        file = path.name if path.stem in ("numpy", "sitecustomize") else f"{_id(name)}.py"
        found.append(Attack(name, base, _writer(file, data), file.removesuffix(".py")))
    return sorted([*found, *_made()], key=lambda attack: attack.name)


def _id(name: str) -> str:
    return name.replace("/", "-")


def _writer(file: str, data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / file).write_bytes(data)

    return write


def _made() -> Iterator[Attack]:
    """Files that cannot be stored as they are, or only in ways that tools would tidy."""
    text = SOLUTION

    def plain(name: str, data: bytes, base: str = "", ending: str = ".py") -> Attack:
        return Attack(name, base, _writer(_id(name) + ending, data), _id(name))

    def named(name: str, file: str, student: str, base: str = "right") -> Attack:
        return Attack(name, base, _writer(file, text), student)

    yield plain("honest/byte_order_mark", b"\xef\xbb\xbf" + text, "right")
    yield plain("honest/crlf", text.replace(b"\n", b"\r\n"), "right")
    yield plain("honest/cr", text.replace(b"\n", b"\r"), "right")
    yield plain("honest/latin_1", b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + text, "right")
    yield plain("honest/no_last_newline", text.rstrip() + b"  # end", "right")
    yield plain("honest/notebook_as_py", notebook([text.decode()]), "right")
    yield plain(
        "honest/notebook", notebook(["%matplotlib inline\n!ls", text.decode(), "1 / 0"]), "right", ".ipynb"
    )

    yield plain("file/utf_16", text.decode().encode("utf-16"))
    yield plain("file/nul", text + b"\0")
    yield plain("file/not_utf_8", text + b"x = 'caf\xe9'\n")
    yield plain("file/empty", b"")
    yield plain("file/only_a_mark", b"\xef\xbb\xbf\n\n")
    yield plain("file/unknown_cookie", b"# -*- coding: nonsense -*-\n" + text)
    yield plain("file/program", b"\x7fELF" + bytes(100))
    yield plain("file/open_parentheses", text + b"(" * 200_000)
    yield plain("file/minus_signs", text + b"-" * 900_000 + b"1\n")
    yield plain("file/long_line", text + b"x = '" + b"x" * 900_000 + b"'\n", "right")
    yield plain("file/large", text + b"# " + b"x" * (2 << 20))
    yield plain(
        "file/notebook_shell",
        notebook(["%%bash\ntouch /tmp/x", "!touch /tmp/x\n", "%%writefile a.py\nx"]),
        "",
        ".ipynb",
    )
    yield plain("file/notebook_odd_cells", _odd_notebook(), "", ".ipynb")
    yield plain("file/notebook_deep", b'{"cells": ' + b"[" * 100_000, "", ".ipynb")
    yield plain("file/notebook_page", b"<!DOCTYPE html><html></html>", "", ".ipynb")

    def special(name: str, make: Callable[[Path], object], ending: str = ".py") -> Attack:
        def put(folder: Path) -> None:
            make(folder / f"{_id(name)}{ending}")

        return Attack(name, "", put, _id(name))

    yield special("file/symbolic_link", lambda path: path.symlink_to("base-right.py"))
    yield special("file/link_to_nowhere", lambda path: path.symlink_to("/nowhere"))
    yield special("file/link_to_itself", lambda path: path.symlink_to(path.name))
    yield special("file/link_to_device", lambda path: path.symlink_to("/dev/zero"))
    yield special("file/hard_link", _linked)
    yield special("file/pipe", os.mkfifo)
    yield special("file/fifty_megabytes", _sparse)
    yield special("file/folder", lambda path: (path / "self_attention.py").mkdir(parents=True), ending="")

    yield named("file/name_of_command", "::error::x##[group].py", "::error::x##[group]")
    yield named("file/name_of_escapes", "\x1b[2J\nx.py", "␛[2J␊x")
    yield named("file/name_of_formula", "=cmd|' C calc'!A0.py", "=cmd|' C calc'!A0")
    yield named("file/name_with_dashes", "--out=x.py", "--out=x")
    yield named("file/name_reversed", "a\u202eyp.py", "a\\u202eyp")
    yield named("file/name_of_markup", "<img src=x onerror=alert(1)>.py", "<img src=x onerror=alert(1)>")
    yield named("file/name_of_path", "x%2f..%2f..%2f.py", "x%2f..%2f..%2f")
    yield named("file/name_of_sql", "'; DROP TABLE grades; --.py", "'; DROP TABLE grades; --")
    yield named("file/name_very_long", "x" * 240 + ".py", "x" * 240)

    def zipped(name: str, members: dict[str, bytes], base: str = "") -> Attack:
        def put(folder: Path) -> None:
            (folder / _id(name)).mkdir()
            with zipfile.ZipFile(folder / _id(name) / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                for member, data in members.items():
                    archive.writestr(member, data)

        return Attack(name, base, put, _id(name))

    yield zipped("file/zip_climbing", {"../../climbed.py": text, "/tmp/climbed.py": text})
    yield zipped("file/zip_bomb", {"self_attention.py": bytes(200 << 20)})
    yield zipped(
        "file/zip_with_tests",
        {f"{name}.py": b"1 / 0" for name in ("conftest", "numpy", "usercustomize")}
        | {"self_attention.py": text},
        "right",
    )


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(50 << 20)


def _linked(path: Path) -> None:
    other = path.parent.parent / "linked.py"
    other.write_bytes(SOLUTION)
    path.hardlink_to(other)


def notebook(cells: list[str]) -> bytes:
    made = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
        for source in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


def _odd_notebook() -> bytes:
    cells = [{"cell_type": "code", "source": source} for source in (5, None, {"a": 1}, [["x"]], ["a", 1])]
    return json.dumps({"cells": [*cells, 7, None], "nbformat": "4"}).encode()


def expected() -> dict[str, str]:
    """The table, by the attack's name: `score | verdict points | ... | flags`, in the order of CHECKS."""
    table = tomllib.loads((ATTACKS / "expected.toml").read_text(encoding="utf-8"))
    return {
        f"{room}/{name}": " | ".join(cell.strip() for cell in row.split("|"))
        for room, rows in table.items()
        for name, row in rows.items()
    }

"""Encodings, notebooks and IPython's syntax: which bytes reach the worker, and where a line is."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.submission import Refusal, Source, Submission, read_file
from autograder.submission.notebook import to_python

CODE = "class SelfAttention:\n    pass\n"


def cell(source: str | list[str], kind: str = "code") -> dict[str, object]:
    return {"cell_type": kind, "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def notebook(*cells: object) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def read(tmp_path: Path, data: bytes, name: str = "ada.py") -> Submission | Refusal:
    (tmp_path / name).write_bytes(data)
    return read_file(tmp_path / name)


def source(tmp_path: Path, data: bytes, name: str = "ada.py") -> Source:
    item = read(tmp_path, data, name)
    assert isinstance(item, Submission), item
    return item.source


def reason(tmp_path: Path, data: bytes, name: str = "ada.py") -> str:
    item = read(tmp_path, data, name)
    assert isinstance(item, Refusal), item
    return item.reason


# Python files


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + CODE.encode(),
        CODE.replace("\n", "\r\n").encode(),
        CODE.replace("\n", "\r").encode(),
        "# -*- coding: latin-1 -*-\n# caf\xe9\n".encode("latin-1") + CODE.encode(),
        b"\tif True:\n        x\n",
        b"print 'Python 2'\n",
        b"(" * 200_000,
        b"{'cells': 1}\n",
        b'{"cells": 1}\n',
        b"import pickle; pickle.loads(b'')\n",
    ],
)
def test_python_bytes_pass_unchanged(tmp_path: Path, data: bytes) -> None:
    found = source(tmp_path, data)
    assert (found.chunks, found.kind, found.digest) == ((data,), "py", hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["ada.py", "ada.ipynb"])
def test_wide_encodings_are_refused_with_the_way_out(tmp_path: Path, encoding: str, name: str) -> None:
    data = (CODE if name.endswith("py") else notebook(cell(CODE)).decode()).encode(encoding)
    assert reason(tmp_path, data, name) == (
        f"{name} is not UTF-8 text (it is UTF-16 or holds NUL bytes); "
        "save it in your editor as UTF-8 (Save As, Encoding) and hand it in again."
    )


def test_nul_bytes_are_refused(tmp_path: Path) -> None:
    assert reason(tmp_path, b"x = 1\0\n").startswith(
        "ada.py is not UTF-8 text (it is UTF-16 or holds NUL bytes); "
    )


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", codecs.BOM_UTF8])
@pytest.mark.parametrize("name", ["ada.py", "ada.ipynb"])
def test_empty_files_are_refused(tmp_path: Path, data: bytes, name: str) -> None:
    assert reason(tmp_path, data, name) == f"{name} is empty; hand in the file that holds the class."


@pytest.mark.parametrize(
    "data, what",
    [
        (b"%PDF-1.4\n", "a PDF document"),
        (b"PK\x03\x04", "a zip archive or office document"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"\x7fELF\x02", "a program"),
        (b"\x89PNG\r\n", "a picture"),
    ],
)
def test_other_files_under_a_python_name(tmp_path: Path, data: bytes, what: str) -> None:
    assert (
        reason(tmp_path, data)
        == f"ada.py is {what} under another name; hand in the .py or .ipynb file itself."
    )


# Notebooks


def test_a_notebook_gives_a_chunk_for_each_code_cell(tmp_path: Path) -> None:
    data = notebook(
        cell("# Title", "markdown"), cell(["import numpy as np\n", "x = 1"]), cell(""), cell("y\r\nz\rä\n")
    )
    found = source(tmp_path, data, "ada.ipynb")
    assert found.chunks == (b"import numpy as np\nx = 1", b"", "y\nz\nä\n".encode())
    assert (found.kind, found.digest) == ("ipynb", hashlib.sha256(data).hexdigest())


def test_the_older_format_is_read(tmp_path: Path) -> None:
    old = {"cell_type": "code", "input": ["x = 1\n", "y = 2"], "language": "python", "outputs": []}
    text = {"cell_type": "markdown", "source": "words"}
    document = {"nbformat": 3, "worksheets": [{"cells": [old, text]}, {"metadata": {}}, {"cells": [old]}]}
    found = source(tmp_path, json.dumps(document).encode(), "ada.ipynb")
    assert found.chunks == (b"x = 1\ny = 2", b"x = 1\ny = 2")


def test_a_notebook_saved_as_python_is_read_as_a_notebook(tmp_path: Path) -> None:
    item = read(tmp_path, codecs.BOM_UTF8 + b"\n" + notebook(cell("x = 1")))
    assert isinstance(item, Submission)
    assert (item.source.kind, item.source.chunks) == ("ipynb", (b"x = 1",))
    assert item.notes == ("a notebook saved as .py, read as a notebook",)


AGAIN = "open it in Jupyter, save it and hand it in again."


@pytest.mark.parametrize(
    "data, sentence",
    [
        (b'{"cells": [\n}', f"is not a notebook (invalid JSON at line 2); {AGAIN}"),
        (CODE.encode(), f"is not a notebook (invalid JSON at line 1); {AGAIN}"),
        (b'{"n": ' + b"9" * 5000 + b"}", f"is not a notebook (invalid JSON); {AGAIN}"),
        (b'{"caf\xe9": 1}', f"is not a notebook (its text is not UTF-8); {AGAIN}"),
        (b'{"cells": ' + b"[" * 200_000, f"is nested too deeply for a notebook; {AGAIN}"),
        (b"[]", f"is JSON but not a notebook; {AGAIN}"),
        (b'{"nbformat": 4}', f"is JSON but not a notebook (it has no cells); {AGAIN}"),
        (b'{"cells": {"a": 1}}', f"is JSON but not a notebook (its cells are no list); {AGAIN}"),
        (notebook(cell("# T", "markdown"), {"cell_type": "code", "source": 3}),
         f"is a damaged notebook (its cell 2 has no source); {AGAIN}"),
        (notebook(cell(["x", 3])), f"is a damaged notebook (its cell 1 has no source); {AGAIN}"),  # type: ignore[list-item]
        (notebook(cell("# only words", "markdown"), "x", None),
         "has no code cells; hand in the notebook that holds the class."),
    ],
)  # fmt: skip
def test_damaged_notebooks_are_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    assert reason(tmp_path, data, "ada.ipynb") == f"ada.ipynb {sentence}"


def test_a_damaged_notebook_saved_as_python_is_refused_as_a_notebook(tmp_path: Path) -> None:
    data = notebook(cell("x = 1"))[:-5]
    assert reason(tmp_path, data) == f"ada.py is not a notebook (invalid JSON at line 1); {AGAIN}"


def test_half_a_surrogate_pair_does_not_stop_the_reading(tmp_path: Path) -> None:
    assert source(tmp_path, notebook(cell("# \ud83d")), "ada.ipynb").chunks == (b"# ?",)


# IPython's syntax


@pytest.mark.parametrize(
    "code, python",
    [
        ("%matplotlib inline\nx = 1", "\nx = 1"),
        ("!pip install numpy\nx = 1", "\nx = 1"),
        ("!echo \"it's\nx = 1", "\nx = 1"),
        ("?np.einsum\nnp.einsum?\nnp.einsum??  # how\nx = 1", "\n\n\nx = 1"),
        ("%timeit f(1)\n%%x\ny", "\n\ny"),
        ("files = !ls\nout = %sql SELECT\na.b, c = %who_ls\nx = 1", "\n\n\nx = 1"),
        (
            "!pip install \\\n    numpy \\\n    scipy\nx = 1",
            "\npass\npass\nx = 1".replace("pass", "    pass"),
        ),
        ("if colab:\n    !pip install numpy\nelse:\n\t%pip install x", "if colab:\n    pass\nelse:\n\tpass"),
        # Python that looks like it
        ("x = (10\n  % 3)", "x = (10\n  % 3)"),
        ("x = 10 \\\n  % 3", "x = 10 \\\n  % 3"),
        ("s = '''\n%d items\n!x\nwhat?\n'''", "s = '''\n%d items\n!x\nwhat?\n'''"),
        ('s = r"""\\"""\n%time x', 's = r"""\\"""\n%time x'),  # the quotes are escaped: still inside
        ("s = '(\\'' # [\n%time x", "s = '(\\'' # [\n"),
        (
            "d['x=%s'] = 3\ny = x if x != 1 else x % 2\nz = '?'",
            "d['x=%s'] = 3\ny = x if x != 1 else x % 2\nz = '?'",
        ),
        ("f(a, b='%s')  # why?", "f(a, b='%s')  # why?"),
        ("s = 'never closed\n%time x", "s = 'never closed\n"),
        ("x = 1)\n%time x", "x = 1)\n"),
        # cells
        ("%%time\nx = 1\n%who", "\nx = 1\n"),
        ("\n%%capture out\n%%timeit -n 1\nx = 1", "\n\n\nx = 1"),
        ("%%prun\nx", "\nx"),
        ("%%time", ""),
        ("    x = 1\n    if x:\n        y\n\nz", "x = 1\nif x:\n    y\n\nz"),
        ("", ""),
        ("\n  \n", "\n  \n"),
    ],
)
def test_magics_are_blanked_and_python_is_not(code: str, python: str) -> None:
    assert to_python(code) == (python, "")


@pytest.mark.parametrize("magic", ["bash", "html", "writefile", "javascript", "timeit2"])
def test_cells_in_other_languages_are_left_out(tmp_path: Path, magic: str) -> None:
    assert to_python(f"%%{magic} x\na\nb\n") == ("\n\n\n", magic)
    item = read(
        tmp_path, notebook(cell("x = 1"), cell("# T", "markdown"), cell(f"%%{magic}\nls")), "ada.ipynb"
    )
    assert isinstance(item, Submission)
    assert item.source.chunks == (b"x = 1", b"\n")
    assert item.notes == (f"left out, because they are not Python: cell 2 (%%{magic})",)


@settings(deadline=None)
@given(st.lists(st.sampled_from([*"%!?\\\"'#()[]= \n\r\tax", "%%time", '"""', "'''"]), max_size=40))
def test_the_line_count_never_changes(pieces: Sequence[str]) -> None:
    code = "".join(pieces)
    lines = code.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert to_python(code)[0].count("\n") == lines


# Where a line is


def test_lines_of_a_python_file() -> None:
    found = Source((b"\xef\xbb\xbfa\r\nb\rc\x0cd\n\xe2\x80\xa8e\n",), "py", "")
    assert [found.line_text(n) for n in range(-1, 7)] == ["", "", "a", "b", "c␌d", "\\u2028e", "", ""]
    assert (found.where(3), found.where(99)) == ("line 3", "line 99")


def test_lines_of_a_notebook_are_found_in_its_cells() -> None:
    chunks = (b"a\nb", b"", b"c\n", b"d")
    found = Source(chunks, "ipynb", "")
    joined = b"\n".join(chunks).decode().split("\n")
    assert [found.line_text(n) for n in range(1, len(joined) + 1)] == joined == ["a", "b", "", "c", "", "d"]
    assert [found.where(n) for n in range(1, 8)] == [
        "cell 1, line 1", "cell 1, line 2", "cell 2, line 1", "cell 3, line 1", "cell 3, line 2",
        "cell 4, line 1",
        "line 7",
    ]  # fmt: skip


def test_line_text_is_safe_to_show() -> None:
    found = Source((b"\tx = '\x1b[2J'\ncaf\xe9\n" + b"y" * 500, b""), "py", "")
    assert found.line_text(1) == "\tx = '␛[2J'"
    assert found.line_text(2) == "café"
    assert found.line_text(3) == "y" * 199 + "…"

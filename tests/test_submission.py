"""Files and folders as students hand them in: ids, sentences, digests; nothing raises but a wrong command."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import subprocess
import sys
import tokenize
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.submission import (
    Refusal,
    Source,
    Submission,
    SubmissionError,
    find_submissions,
    read_file,
    tree,
)
from autograder.submission.text import shown, size, visible

CODE = b"class SelfAttention:\n    pass\n"
WANTED = "expected one file, best named self_attention.py or self_attention.ipynb"


def put(root: Path, *names: str, data: bytes = CODE) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def find(*paths: Path, layout: str = "auto", max_bytes: int = 1024 * 1024) -> list[Submission | Refusal]:
    return find_submissions(paths, assignment="self_attention", max_bytes=max_bytes, layout=layout)


def reasons(found: list[Submission | Refusal]) -> dict[str, str]:
    return {item.student: item.reason if isinstance(item, Refusal) else "" for item in found}


def submission(item: Submission | Refusal) -> Submission:
    assert isinstance(item, Submission), item
    return item


def refusal(item: Submission | Refusal) -> Refusal:
    assert isinstance(item, Refusal), item
    return item


# One file


def test_a_python_file_keeps_its_bytes_and_its_stem_is_the_student(tmp_path: Path) -> None:
    put(tmp_path, "ada.py")
    item = submission(read_file(tmp_path / "ada.py"))
    digest = "404b95265b8c8a03f39eec78555f667994b90e3d9a89d0c7c74d9508c5e1506a"
    changed_at = datetime.fromtimestamp((tmp_path / "ada.py").stat().st_mtime, UTC)
    source = Source((CODE,), "py", digest)
    assert item == Submission("ada", source, tmp_path / "ada.py", changed_at=changed_at)
    assert digest == hashlib.sha256(CODE).hexdigest()
    assert find(tmp_path / "ada.py") == [item]


def test_results_are_frozen(tmp_path: Path) -> None:
    put(tmp_path, "ada.py")
    item = submission(read_file(tmp_path / "ada.py"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.student = "eve"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.source.digest = ""  # type: ignore[misc]


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "big.py"
    with path.open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    monkeypatch.setattr(os, "fdopen", lambda fd, mode: _Unreadable(fd))
    item = refusal(read_file(path))
    assert item.reason == (
        "big.py has 50.0 MB, and at most 1.0 MB is read; "
        "hand in the code alone, a notebook with its outputs cleared."
    )


class _Unreadable:
    """A file that fails the test when it is read."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __enter__(self) -> _Unreadable:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self.descriptor)

    def fileno(self) -> int:
        return self.descriptor


def test_a_file_at_the_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    put(tmp_path, "a.py", data=b"#" * 100)
    assert submission(read_file(tmp_path / "a.py", max_bytes=100)).source.chunks == (b"#" * 100,)
    assert refusal(read_file(tmp_path / "a.py", max_bytes=99)).reason.startswith(
        "a.py has 100 bytes, and at most 99"
    )


@pytest.mark.parametrize("target", ["/etc/passwd", "missing.py", "folder", "loop.py"])
def test_a_symbolic_link_is_refused_wherever_it_leads(tmp_path: Path, target: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.py").symlink_to(target)
    link = "loop.py is a symbolic link, which is not followed; replace it by the file itself."
    assert refusal(read_file(tmp_path / "loop.py")).reason == link
    put(tmp_path, "ada.py")
    assert reasons(find(tmp_path / "loop.py", tmp_path / "ada.py")) == {"ada": "", "loop": link}
    assert reasons(find(tmp_path))["loop"] == link


def test_a_linked_folder_of_a_student_is_not_entered(tmp_path: Path) -> None:
    put(tmp_path / "secret", "self_attention.py")
    put(tmp_path / "class", "ada.py")
    (tmp_path / "class/eve").symlink_to(tmp_path / "secret")
    found = reasons(find(tmp_path / "class"))
    assert found == {
        "ada": "",
        "eve": "eve is a symbolic link, which is not followed; replace it by the file itself.",
    }


def test_the_instructor_may_give_a_linked_folder(tmp_path: Path) -> None:
    put(tmp_path / "class", "ada.py", "bob.py")
    (tmp_path / "link").symlink_to(tmp_path / "class")
    assert reasons(find(tmp_path / "link")) == {"ada": "", "bob": ""}


def test_a_hard_link_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "other", "secret.py")
    put(tmp_path / "class", "ada.py")
    os.link(tmp_path / "other/secret.py", tmp_path / "class/eve.py")
    assert reasons(find(tmp_path / "class"))["eve"] == (
        "eve.py is a hard link (2 names for one file), so it may not be the student's own; "
        "replace it by a copy."
    )


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "eve.py")
    assert reasons(find(tmp_path)) == {
        "eve": "eve.py is a pipe, socket or device, not a file; expected one .py or .ipynb file."
    }


def test_folders_named_like_files(tmp_path: Path) -> None:
    (tmp_path / "x.py").mkdir()
    put(tmp_path, "y.py/self_attention.py", "zoe.py")
    assert refusal(read_file(tmp_path / "x.py")).reason == (
        "x.py is a folder, not a file; expected one .py or .ipynb file."
    )
    assert reasons(find(tmp_path)) == {"x.py": f"x.py/ holds no files; {WANTED}.", "y.py": "", "zoe": ""}


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "ada.py", "bob.py")
    really = os.open

    def refuse(path: os.PathLike[str], *rest: int) -> int:
        if Path(path).name == "ada.py":
            raise PermissionError(13, "Permission denied")
        return really(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    assert reasons(find(tmp_path)) == {
        "ada": "ada.py may not be read with the present permissions; "
        "make it readable for the account that grades.",
        "bob": "",
    }


def test_a_folder_that_may_not_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "ada/self_attention.py", "bob.py")
    really = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "ada":
            raise PermissionError(13, "Permission denied")
        return really(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert reasons(find(tmp_path)) == {
        "ada": "ada is a folder that cannot be listed (Permission denied); check its permissions.",
        "bob": "",
    }


def test_without_the_flags_of_posix_links_are_still_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autograder.submission import opening

    monkeypatch.delattr(os, "O_NOFOLLOW")
    monkeypatch.setattr(opening, "_FLAGS", os.O_RDONLY)
    put(tmp_path, "ada.py")
    (tmp_path / "eve.py").symlink_to(tmp_path / "ada.py")
    assert reasons(find(tmp_path)) == {
        "ada": "",
        "eve": "eve.py is a symbolic link, which is not followed; replace it by the file itself.",
    }


def test_pdfs_and_other_files_are_refused_one_by_one(tmp_path: Path) -> None:
    put(tmp_path, "ada.pdf", "bob.py", data=b"%PDF-1.7\n%\xe2\xe3")
    put(tmp_path, "cy.docx", data=b"PK\x03\x04rest")
    put(tmp_path, "di.py.txt", "ed")
    code = "so hand in the code itself."
    rename = "expected a .py or .ipynb file, so rename it if it is one, else hand in the code itself."
    assert reasons(find(tmp_path)) == {
        "ada": f"ada.pdf is a PDF document; expected a .py or .ipynb file, {code}",
        "bob": "bob.py is a PDF document under another name; hand in the .py or .ipynb file itself.",
        "cy": f"cy.docx is a zip archive or office document; expected a .py or .ipynb file, {code}",
        "di.py": f"di.py.txt ends in .txt; {rename}",
        "ed": f"ed has no ending; {rename}",
    }


def test_wrong_commands_are_told_apart_from_wrong_submissions(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    put(tmp_path, "hidden/.git/config", "hidden/.self_attention.py", "clutter/README.md", "clutter/test_x.py")
    for name in ("empty", "hidden", "clutter"):
        with pytest.raises(SubmissionError) as error:
            find(tmp_path / name)
        assert str(error.value) == (
            f"{shown(tmp_path / name)} holds no submissions; "
            "give a folder with one file or one sub-folder a student."
        )
    with pytest.raises(SubmissionError, match=r"nowhere\.py does not exist; check the path\.$"):
        find(tmp_path / "nowhere.py")
    with pytest.raises(SubmissionError, match=r"^no path was given; give the file or folder to grade\.$"):
        find()
    with pytest.raises(
        SubmissionError, match=r"^unknown layout blackboard; expected one of auto, folders, canvas, "
    ):
        find(tmp_path, layout="blackboard")
    assert issubclass(SubmissionError, ValueError)


# What this room never does


def test_no_code_here_runs_compiles_or_unpickles() -> None:
    files = sorted(Path(tree.__file__).parent.rglob("*.py"))
    assert len(files) > 10
    for file in files:
        tokens = tokenize.tokenize(io.BytesIO(file.read_bytes()).readline)
        names = [token.string for token in tokens if token.type == tokenize.NAME]
        named = set(names) - {"compile"}
        assert not named & {"ast", "eval", "exec", "pickle", "marshal", "importlib", "subprocess"}, file
        assert all(names[i - 1] == "re" for i, name in enumerate(names) if name == "compile"), file


def test_a_python_file_loads_nothing_that_it_does_not_need() -> None:
    code = "import sys, autograder.submission as s; s.read_file('x.py'); print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "autograder.submission.find" in loaded
    for module in ("layouts", "platforms", "archive", "notebook", "roster"):
        assert f"autograder.submission.{module}" not in loaded
    assert not loaded & {"zipfile", "json", "csv", "nbformat", "numpy", "pydantic"}


# Words


def test_sizes_and_long_names() -> None:
    assert [size(n) for n in (0, 1023, 1024, 1536, 1024**2, 50 * 1024**2, 3 * 1024**3)] == [
        "0 bytes", "1023 bytes", "1.0 KB", "1.5 KB", "1.0 MB", "50.0 MB", "3.0 GB",
    ]  # fmt: skip
    assert shown("a" * 200) == "…" + "a" * 119
    assert visible("tab\there", keep="\t") == "tab\there"

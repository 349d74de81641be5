"""Files and folders as students hand them in: ids, sentences, digests; nothing raises but a wrong command."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import subprocess
import sys
import tokenize
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
    assert item == Submission("ada", Source((CODE,), "py", digest), tmp_path / "ada.py")
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


# Student ids


@pytest.mark.parametrize(
    "name, student",
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ('O\'Neil "Bo"', 'O\'Neil "Bo"'),
        ("=SUM(A1)", "=SUM(A1)"),
        ("-rf", "-rf"),
        ("Žofie Ňuňu", "Žofie Ňuňu"),
        ("李雷", "李雷"),
        ("Zoe\u0308", "Zoë"),  # macOS writes names decomposed
        ("two\nlines", "two␊lines"),
        ("bell\x07\x1b[31m", "bell␇␛[31m"),
        ("del\x7f", "del␡"),
        ("c1\x9b", "c1\\x9b"),
        ("rtl\u202egnp", "rtl\\u202egnp"),
        ("sep\u2028", "sep\\u2028"),
        ("zw\u200dnj", "zw\u200dnj"),
        ("raw\udcff", "raw\\xff"),
    ],
)
def test_student_ids_keep_what_is_visible(tmp_path: Path, name: str, student: str) -> None:
    put(tmp_path, f"{name}.py", "other.py")
    put(tmp_path, f"folder/{name}/self_attention.py", "folder/other.py")
    assert sorted([student, "other", "folder"]) == [item.student for item in find(tmp_path)]
    found = find(tmp_path / "folder")
    assert sorted([student, "other"]) == [item.student for item in found]
    for item in found:
        str(item.path).encode()
        assert str(item.path).isprintable() or "\u200d" in str(item.path)


def test_reasons_show_names_visibly(tmp_path: Path) -> None:
    put(tmp_path, "::notice::x\n\x1b[2J.py", data=b"")
    assert (
        refusal(find(tmp_path)[0]).reason
        == "::notice::x␊␛[2J.py is empty; hand in the file that holds the class."
    )


def test_no_two_students_share_an_id(tmp_path: Path) -> None:
    put(tmp_path, "one/ada.py", "one/ada/self_attention.py", "two/ada.py", "one/ada (2).py")
    put(tmp_path, "three/ada.py", data=b"")
    found = find(tmp_path / "one", tmp_path / "two", tmp_path / "three", tmp_path / "one")
    assert [(item.student, item.path.relative_to(tmp_path).as_posix()) for item in found] == [
        ("ada", "one/ada.py"),
        ("ada (2)", "one/ada (2).py"),
        ("ada (3)", "one/ada/self_attention.py"),
        ("ada (4)", "three/ada.py"),
        ("ada (5)", "two/ada.py"),
    ]
    assert [submission(found[i]).notes for i in (0, 1, 2)] == [
        (), (), ("the student id ada is also that of ada.py",),
    ]  # fmt: skip
    assert refusal(found[3]).reason == (
        "ada.py is empty; hand in the file that holds the class; the student id ada is also that of ada.py."
    )


def test_the_order_is_that_of_the_ids_whatever_the_paths(tmp_path: Path) -> None:
    put(tmp_path, "z/b.py", "a/c.py", "m/a.py")
    paths = [tmp_path / "z", tmp_path / "a", tmp_path / "m"]
    assert find(*paths) == find(*reversed(paths))
    assert [item.student for item in find(*paths)] == ["a", "b", "c"]


# A student's folder


def test_in_a_folder_the_assignments_name_wins_wherever_it_is(tmp_path: Path) -> None:
    put(tmp_path, "ada/src/self_attention.py", "ada/aaa.py", "ada/notes.ipynb", "ada/test_self_attention.py")
    put(tmp_path, "ada/gradcheck.py", "ada/check.py", "ada/conftest.py", "bob/self_attention.ipynb", data=b"")
    put(tmp_path, "bob/draft.py", data=b"")
    ada, bob = find(tmp_path)
    assert ada.path == tmp_path / "ada/src/self_attention.py"
    assert submission(ada).notes == (
        "graded src/self_attention.py; also found, not graded: aaa.py, notes.ipynb",
    )
    assert refusal(bob).reason == "bob/self_attention.ipynb is empty; hand in the file that holds the class."
    assert bob.path == tmp_path / "bob/self_attention.ipynb"


def test_in_a_folder_the_only_python_file_then_the_only_notebook(tmp_path: Path) -> None:
    put(tmp_path, "ada/mine.py", "ada/x.ipynb", "ada/y.ipynb", "bob/report.pdf", "bob/deep/work.PY")
    found = find(tmp_path)
    assert [item.path.name for item in found] == ["mine.py", "work.PY"]
    assert submission(found[0]).notes == ("graded mine.py; also found, not graded: x.ipynb, y.ipynb",)
    assert submission(found[1]).notes == ()


def test_the_shallowest_of_the_same_name_counts_and_equals_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "ada/self_attention.py", "ada/backup/self_attention.py")
    put(tmp_path, "bob/v1/self_attention.py", "bob/v2/self_attention.py")
    ada, bob = find(tmp_path)
    assert ada.path == tmp_path / "ada/self_attention.py"
    assert refusal(bob).reason == (
        f"bob/ holds 2 files of that name (v1/self_attention.py, v2/self_attention.py); {WANTED}."
    )


def test_a_folder_without_a_clear_submission_says_what_was_found(tmp_path: Path) -> None:
    put(tmp_path, "ada/a.py", "ada/b.py", "bob/report.pdf", "bob/data.bin", "cy/x.ipynb", "cy/y.ipynb")
    put(tmp_path, "di/test_self_attention.py", *(f"ed/{n}.py" for n in range(9)))
    (tmp_path / "fi/src").mkdir(parents=True)
    (tmp_path / "gil").mkdir()
    assert reasons(find(tmp_path)) == {
        "ada": f"ada/ holds several files that may be meant (a.py, b.py); {WANTED}.",
        "bob": f"bob/ holds no .py or .ipynb file to grade (found data.bin, report.pdf); {WANTED}.",
        "cy": f"cy/ holds several files that may be meant (x.ipynb, y.ipynb); {WANTED}.",
        "di": f"di/ holds no .py or .ipynb file to grade (found test_self_attention.py); {WANTED}.",
        "ed": "ed/ holds several files that may be meant (0.py, 1.py, 2.py, 3.py, 4.py, 5.py and 3 more); "
        f"{WANTED}.",
        "fi": f"fi/ holds no .py or .ipynb file to grade (found src (empty folder)); {WANTED}.",
        "gil": f"gil/ holds no files; {WANTED}.",
    }
    assert all(item.path == tmp_path / item.student for item in find(tmp_path))


@pytest.mark.parametrize("name", ["__pycache__", ".ipynb_checkpoints", "__MACOSX", ".venv", ".git", "venv"])
def test_hidden_and_tool_folders_hold_no_hand_in(tmp_path: Path, name: str) -> None:
    put(tmp_path, f"{name}/self_attention.py", "ada.py", f"bob/{name}/self_attention.py", "bob/mine.py")
    assert [(item.student, item.path.name) for item in find(tmp_path)] == [
        ("ada", "ada.py"),
        ("bob", "mine.py"),
    ]


def test_what_lies_beside_loose_files_is_no_hand_in(tmp_path: Path) -> None:
    put(tmp_path, "ada.py", "README.md", "roster.csv", "test_self_attention.py", "gradcheck.py", ".hidden.py")
    assert [item.student for item in find(tmp_path)] == ["ada"]


def test_a_students_own_folder_is_one_student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "ada/self_attention.py", "ada/self_attention.ipynb", "ada/gradcheck.py", "ada/README.md")
    (item,) = find(tmp_path / "ada")
    assert (item.student, item.path) == ("ada", tmp_path / "ada/self_attention.py")
    monkeypatch.chdir(tmp_path / "ada")
    assert [item.student for item in find(Path())] == ["ada"]
    put(tmp_path, "ada/bob/self_attention.py")  # now it is a class beside a stub
    assert [item.student for item in find(tmp_path / "ada")] == [
        "bob",
        "self_attention",
        "self_attention (2)",
    ]


def test_a_folder_too_deep_does_not_stop_the_class(tmp_path: Path) -> None:
    put(tmp_path, "ada.py", "/".join(["eve", *["d"] * 40, "self_attention.py"]))
    found = reasons(find(tmp_path))
    deep = "/".join(["d"] * 23)
    assert found == {"ada": "", "eve": f"eve/ holds no .py or .ipynb file to grade (found {deep}); {WANTED}."}


def test_a_folder_of_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_ENTRIES", 2)
    put(tmp_path, "a.py", "b.py", "c.py")
    with pytest.raises(
        SubmissionError, match=r" holds more than 2 files; give the folder of submissions alone"
    ):
        find(tmp_path)


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

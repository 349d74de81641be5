"""Student ids, and which of a folder's files is the submission."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.submission import (
    Refusal,
    Submission,
    SubmissionError,
    find_submissions,
    tree,
)

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

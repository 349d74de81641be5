"""Zip archives: the same hand-ins as from folders, and what an archive may try."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from autograder.submission import Refusal, Submission, SubmissionError, find_submissions
from autograder.submission import archive as archive_module

CODE = b"class SelfAttention:\n    pass\n"
WANTED = "expected one file, best named self_attention.py or self_attention.ipynb"


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name) if name.endswith("/") else name, data)
    return buffer.getvalue()


def of(*names: str) -> dict[str, bytes]:
    return dict.fromkeys(names, CODE)


def find(
    root: Path, data: bytes, name: str = "class.zip", max_bytes: int = 1024**2
) -> dict[str, Submission | Refusal]:
    (root / name).write_bytes(data)
    before = sorted(root.iterdir())
    found = find_submissions([root / name], assignment="self_attention", max_bytes=max_bytes)
    assert sorted(root.iterdir()) == before  # nothing is extracted
    return {item.student: item for item in found}


def reasons(found: dict[str, Submission | Refusal]) -> dict[str, str]:
    return {student: item.reason if isinstance(item, Refusal) else "" for student, item in found.items()}


def test_a_class_of_files_and_folders(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        packed(of("ada.py", "bob/self_attention.py", "Zoë N/x.py", "__MACOSX/._ada.py", ".DS_Store")),
    )
    assert reasons(found) == {"Zoë N": "", "ada": "", "bob": ""}
    bob = found["bob"]
    assert isinstance(bob, Submission)
    assert (bob.source.chunks, bob.path) == ((CODE,), tmp_path / "class.zip/bob/self_attention.py")


@pytest.mark.parametrize(
    "written, read",
    [("Éva".encode(), "Éva"), ("É:a".encode("cp437"), "É:a")],
    ids=["UTF-8", "code page 437"],
)
def test_names_that_do_not_say_how_they_are_written(tmp_path: Path, written: bytes, read: str) -> None:
    """As macOS and `zip` make archives: UTF-8 without the flag."""
    placeholder = "x" * len(written)
    data = packed(of(f"{placeholder}.py")).replace(placeholder.encode(), written)
    assert reasons(find(tmp_path, data)) == {read: ""}


@pytest.mark.parametrize(
    "names, students",
    [
        (["class/ada.py", "class/bob.py"], ["ada", "bob"]),  # wrapped in one folder
        (["class/", "class/ada/", "class/ada/x.py", "class/bob/self_attention.py"], ["ada", "bob"]),
        (["ada/self_attention.py", "ada/helpers.py"], ["ada"]),  # one student's folder
        (["ada/mine.py"], ["ada"]),
        (["self_attention.py", "gradcheck.py"], ["class"]),  # one student's files: named by the archive
        (["self-attention-submissions/self-attention-ada/x.py"], ["ada"]),
        (["doe_340934_20849_x.py", "roe_340935_20850_y.py"], ["340934", "340935"]),
        (["out/Jane Doe_7_assignsubmission_file_/x.py"], ["7"]),
        (["win\\ada\\self_attention.py", "win\\bob\\self_attention.py"], ["ada", "bob"]),
    ],
)
def test_what_an_archive_holds(tmp_path: Path, names: list[str], students: list[str]) -> None:
    found = find(tmp_path, packed(of(*names)))
    assert list(reasons(found).items()) == [(student, "") for student in students]


def test_a_students_own_zip(tmp_path: Path) -> None:
    inner = packed(of("work/self_attention.py", "work/aaa.py"))
    root = tmp_path / "class"
    (root / "cy").mkdir(parents=True)
    (root / "ada.zip").write_bytes(inner)
    (root / "cy/cy.zip").write_bytes(packed(of("a.py", "b.py")))
    (root / "di.zip").write_bytes(packed({"more.zip": inner}))
    (root / "ed.zip").write_bytes(b"PK\x03\x04 no")
    (root / "fi.zip").write_bytes(packed({"self_attention.py": b"\0"}))
    (root / "gil.zip").write_bytes(b"x" * (8 * 1024**2 + 1))
    found = {i.student: i for i in find_submissions([root], assignment="self_attention", max_bytes=1024**2)}
    ada = found["ada"]
    assert isinstance(ada, Submission)
    assert (ada.source.chunks, ada.path) == ((CODE,), root / "ada.zip/work/self_attention.py")
    assert ada.notes == ("graded work/self_attention.py; also found, not graded: work/aaa.py",)
    assert reasons(found) == {
        "ada": "",
        "cy": f"cy/cy.zip holds several files that may be meant (a.py, b.py); {WANTED}.",
        "di": "di.zip holds another zip; hand in the .py or .ipynb file itself.",
        "ed": "ed.zip is not a readable zip archive; make it again, or hand in the file itself.",
        "fi": "fi.zip: self_attention.py is not UTF-8 text (it is UTF-16 or holds NUL bytes); "
        "save it in your editor as UTF-8 (Save As, Encoding) and hand it in again.",
        "gil": "gil.zip has 8.0 MB, and at most 8.0 MB is read; "
        "hand in the code alone, a notebook with its outputs cleared.",
    }


def test_a_students_zip_inside_the_class_zip(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        packed({"doe_340934_20849_work.zip": packed(of("work/mine.py")), "roe_340935_20850_x.py": CODE}),
    )
    assert reasons(found) == {"340934": "", "340935": ""}
    assert found["340934"].path == tmp_path / "class.zip/doe_340934_20849_work.zip/work/mine.py"


@pytest.mark.parametrize(
    "name, student, raw",
    [
        ("../eve.py", "eve", "../eve.py"),
        ("../../../etc/eve.py", "etc", "../../../etc/eve.py"),
        ("/eve.py", "eve", "/eve.py"),
        ("C:/eve.py", "C:", "C:/eve.py"),
        ("..\\eve.py", "eve", "../eve.py"),
        ("..", "unnamed", ".."),
    ],
)
def test_paths_that_leave_the_archive_are_refused(tmp_path: Path, name: str, student: str, raw: str) -> None:
    found = reasons(find(tmp_path, packed(of(name, "ada.py"))))
    assert found.pop("ada") == ""
    ((id, reason),) = found.items()
    assert id == student
    assert f"has a path that leaves the archive ({raw}); make the zip again." in reason
    assert not (tmp_path.parent / "eve.py").exists()


def test_a_path_into_a_classmates_folder_is_not_read_as_theirs(tmp_path: Path) -> None:
    found = find(tmp_path, packed({"eve/../bob/self_attention.py": b"stolen", "bob/self_attention.py": CODE}))
    bob = found["bob"]
    assert isinstance(bob, Submission) and bob.source.chunks == (CODE,)
    assert reasons(found)["eve"].startswith("eve/bob/self_attention.py has a path that leaves the archive (")


def special(mode: int, name: str = "eve.py") -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def test_links_and_devices_in_an_archive_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("ada.py", CODE)
        archive.writestr(special(stat.S_IFLNK | 0o777), "/etc/passwd")
        archive.writestr(special(stat.S_IFIFO | 0o644, "fifi.py"), "")
    assert reasons(find(tmp_path, buffer.getvalue())) == {
        "ada": "",
        "eve": "eve.py is a symbolic link, which is not followed; put the file itself into the archive.",
        "fifi": "fifi.py is not a regular file; put the file itself into the archive.",
    }


def test_names_that_occur_twice_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("ada.py", CODE)
        archive.writestr("eve.py", CODE)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("eve.py", b"raise SystemExit\n")
    twice = "eve.py occurs 2 times in the archive, and only one can count; make the zip again"
    assert reasons(find(tmp_path, buffer.getvalue())) == {
        "ada": "",
        "eve": f"{twice}.",
        "eve (2)": f"{twice}; the student id eve is also that of eve.py.",
    }


def test_encrypted_and_rare_compression_are_refused(tmp_path: Path) -> None:
    data = bytearray(packed(of("ada.py", "eve.py")))
    local, central = data.index(b"PK\x03\x04", 1), data.rindex(b"PK\x01\x02")
    data[local + 6] |= 1
    data[central + 8] |= 1
    assert reasons(find(tmp_path, bytes(data))) == {
        "ada": "", "eve": "eve.py is encrypted; hand it in without a password.",
    }  # fmt: skip
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert reasons(find(tmp_path, packed(of("eve.py"), method))) == {
            "eve": "eve.py is compressed in a way that is not read; "
            "make the zip with the usual method (deflate)."
        }


def test_bombs_are_refused_by_size_and_by_ratio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"ada.py": CODE, "big.py": b"#" * (50 * 1024**2), "eve.py": b"#" * 1024**2})
    eve = zipfile.ZipFile(io.BytesIO(data)).getinfo("eve.py")
    ratio = eve.file_size // eve.compress_size  # about 1,000, by zlib's version
    assert ratio > 200
    monkeypatch.setattr(zipfile.ZipFile, "open", _only("ada.py", zipfile.ZipFile.open))
    assert reasons(find(tmp_path, data)) == {
        "ada": "",
        "big": "big.py has 50.0 MB, and at most 1.0 MB is read; "
        "hand in the code alone, a notebook with its outputs cleared.",
        "eve": f"eve.py would grow {ratio:,} times when unpacked, and 200 times is the limit (zip bombs); "
        "hand in the file itself.",
    }


def _only(name: str, really: object) -> object:
    def open_(self: zipfile.ZipFile, info: zipfile.ZipInfo, *rest: object) -> object:
        assert info.filename == name  # the others are refused by what the archive declares
        return really(self, info, *rest)  # type: ignore[operator]

    return open_


def test_an_archive_gives_no_more_than_its_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "MAX_TOTAL", 2 * len(CODE))
    assert reasons(find(tmp_path, packed(of("a.py", "b.py", "c.py")))) == {
        "a": "", "b": "", "c": "c.py comes after the first GB of its archive, where reading ends; "
        "make smaller archives.",
    }  # fmt: skip


def test_an_archive_of_too_many_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "MAX_ENTRIES", 2)
    assert reasons(find(tmp_path, packed(of("a.py", "b.py", "c.py")))) == {
        "class": "class.zip holds 3 files, and 2 is the limit; leave out all but code."
    }


def test_a_size_that_lies_gives_damaged_data_not_more_of_it(tmp_path: Path) -> None:
    data = bytearray(packed({"eve.py": b"#" * 5000}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(signature) + offset
        data[at : at + 4] = struct.pack("<I", 10)
    assert reasons(find(tmp_path, bytes(data))) == {
        "eve": "eve.py is damaged inside its archive; make the zip again."
    }


def test_damaged_archives_never_raise(tmp_path: Path) -> None:
    good = packed(of("ada.py", "bob/self_attention.py"))
    for cut in range(0, len(good), 7):
        for data in (good[:cut], good[:cut] + bytes([good[cut] ^ 0xFF]) + good[cut + 1 :]):
            try:
                assert find(tmp_path, data)
            except SubmissionError as error:
                assert "holds no submissions" in str(error)


def test_an_empty_archive_and_one_of_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(
        SubmissionError, match=r"class\.zip holds no submissions; give a folder with one file or "
    ):
        find(tmp_path, packed({}))
    assert reasons(find(tmp_path, packed({"ada/": b"", "bob/src/": b"", "cy.py": CODE}))) == {
        "ada": f"ada/ holds no files; {WANTED}.",
        "bob": f"bob/ holds no .py or .ipynb file to grade (found src (empty folder)); {WANTED}.",
        "cy": "",
    }


def test_odd_names_in_an_archive(tmp_path: Path) -> None:
    names = (
        "=SUM(A1).py",
        "-rf.py",
        "two\nlines.py",
        "x" * 300 + ".py",
        "a/" + "d/" * 40 + "self_attention.py",
    )
    cut = "has a name that no disk would hold; make the zip again."
    assert reasons(find(tmp_path, packed(of(*names)))) == {
        "-rf": "",
        "=SUM(A1)": "",
        "a": f"a/ holds no .py or .ipynb file to grade (found {'/'.join('d' * 23)}); {WANTED}.",
        "two␊lines": "",
        "x" * 255: f"…{'x' * 119} {cut}",
    }

"""Likeness: found through renaming and layout; not between separate work; no input is slow."""

import re
from pathlib import Path
from random import Random

import pytest

from autograder.similarity import GRAM, WINDOW, fingerprints, similar, vocabulary
from autograder.submission import Source

ROOT = Path(__file__).parents[1]
STUB = (ROOT / "assignments" / "self_attention" / "self_attention.py").read_bytes()
STYLES = {path.stem: path.read_bytes() for path in sorted((ROOT / "tests" / "styles").glob("*.py"))}
# Written apart from each other, not varied from one text.
APART = ("batched_jacobian", "einsum", "long_names", "loose_functions", "online_softmax", "scalar_loops")


def source(data):
    return Source((data,), "py", "")


def compared(files):
    return similar([(name, source(data)) for name, data in files.items()], STUB)


def renamed(data):
    """The same code with other local names, without comments, indented by two."""
    text = re.sub(r"#.*", "", data.decode())
    for name in ("total", "row", "scores", "weights", "rows", "largest"):
        text = re.sub(rf"\b{name}\b", name[::-1] + "_", text)
    return re.sub(r"^( +)", lambda m: " " * (len(m[1]) // 2), text, flags=re.MULTILINE).encode()


def test_a_renamed_copy_is_in_one_group_with_its_original():
    copy = renamed(STYLES["scalar_loops"])
    assert copy != STYLES["scalar_loops"]
    found = compared({**{name: STYLES[name] for name in APART}, "copy": copy})
    assert found.same == (("copy", "scalar_loops"),)
    assert (found.groups, found.pairs) == ((), ())
    assert found.count == len(APART) + 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"self.Wk = rng.standard_normal((C, hs)) * 0.02", b"self.Wk = rng.standard_normal((C, hs)) * 0.05"),
        (b'"bij,bid->bjd", dS', b'"bij,bid->bdj", dS'),
        (b'        dK = np.einsum("bij,bid->bjd", dS, Q)\n', b""),
    ],
    ids=["number", "string", "statement"],
)
def test_files_that_differ_in_a_value_or_a_statement_are_not_called_the_same(old, new):
    one = STYLES["batched_jacobian"]
    assert one.count(old) == 1
    own = re.sub(rb"\bJ\b", b"own", one).replace(b"    ", b"  ") + b"# mine\n"
    found = compared({"ada": one, "bob": one.replace(old, new), "cy": own})
    assert found.same == (("ada", "cy"),)
    assert found.groups == (("ada", "bob", "cy"),)
    assert found.pairs == ()


def test_the_few_lines_that_a_task_forces_make_no_group():
    forced = b"        self.dWq = None\n        self.dWk = None\n        self.dWv = None\n"
    found = compared({f"s{n}": STUB + forced + b"# %d\n" % n for n in range(6)})
    assert (found.same, found.groups, found.pairs) == ((), (), ())


def test_a_copy_with_a_method_of_another_is_a_pair_with_its_lines():
    own = b"\ndef extra(values):\n    kept = [v ** 2 for v in values if v > 0]\n    return sum(kept) / 3\n"
    found = compared({**{name: STYLES[name] for name in APART}, "copy": STYLES["long_names"] + own})
    assert (found.same, found.groups) == ((), ())
    (pair,) = found.pairs
    assert pair.students == ("copy", "long_names")
    assert pair.shared == pair.of
    assert max(pair.lines[0]) <= STYLES["long_names"].count(b"\n") + 2
    assert pair.lines[0][: len(pair.lines[1]) // 2] == pair.lines[1][: len(pair.lines[1]) // 2]


def test_work_written_apart_is_not_listed():
    found = compared({name: STYLES[name] for name in APART})
    assert (found.same, found.groups, found.pairs) == ((), (), ())


def test_the_stub_is_like_nothing():
    found = compared({"ada": STUB, "bob": STUB, "cy": STUB + b"\n# mine\n"})
    assert (found.same, found.groups, found.pairs) == ((), (), ())


def test_a_text_that_most_of_a_class_has_is_common_knowledge():
    shared, own = STYLES["einsum"], STYLES["scalar_loops"]
    extras = [
        b"\nz = 0" + b"".join(Random(n).choices([b"+z", b"*z", b"-0", b"/(z)"], k=60)) for n in range(12)
    ]
    files = {f"s{n:02}": shared + extra for n, extra in enumerate(extras)}  # seeds 0 to 11
    assert compared(files).pairs == ()  # twelve have it
    assert len(compared(dict(list(files.items())[:3])).pairs) == 3
    assert compared({**files, "x": own}).pairs == ()


def test_any_match_of_a_window_is_found():
    """Winnowing's guarantee, at every offset of a shared run of GRAM + WINDOW - 1 tokens."""
    run = b" ".join(b"+-*/%&|^"[i % 7 : i % 7 + 1] + b"0" * (i % 3) for i in range(60)).split()
    run = run[: GRAM + WINDOW - 1]
    fixed = vocabulary(STUB)
    for before in range(WINDOW + 2):
        one = fingerprints(source(b" ".join([b"["] * before + run + [b"]"] * 9)), fixed)
        two = fingerprints(source(b" ".join([b"{"] * 5 + run + [b"}"] * 4)), fixed)
        assert one.keys() & two.keys(), before


@pytest.mark.parametrize(
    "data",
    [
        b"(" * 200_000,
        b'"' + b'\\"' * 100_000,
        b"\"\"\"'''" * 50_000,
        b"-" * 200_000,
        bytes(99_999),
        b"\xff\xfe(" * 9,
    ],
    ids=["nested", "escapes", "quotes", "minus", "nul", "not-utf-8"],
)
def test_no_bytes_are_too_much(data):
    assert compared({"ada": data, "bob": data}).same in ((("ada", "bob"),), ())

"""The student's loop: its verdicts are pytest's, and whatever a layer does, it says so in plain words."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from student_folder import (
    HANDOUT,
    KEYS,
    NO_SCALE,
    PLAIN,
    REFERENCE,
    ROOT,
    STUB,
    Terminal,
    check,
    released,
    save,
    terminal,
    wrong,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return released(tmp_path / "self_attention")


SOURCES = {
    "the stub": STUB,
    "the reference": REFERENCE,
    "no scale in backward": NO_SCALE,
    "an exception": wrong("Q @ K.transpose(0, 2, 1)", "Q @ K"),
    "a syntax error": wrong("def forward(self, X):", "def forward(self, X:"),
    "six in the cache": wrong("self.cache = (X, Q, K, V, A)", "self.cache = (X, Q, K, V, A, scores)"),
    "zero_grad leaves a number": wrong(
        "        self.dWv = None\n        # END", "        self.dWv = 0.0\n        # END"
    ),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_pytest_gives_the_same_verdicts(folder, source):
    save(folder, source)
    command = [sys.executable, "-m", "pytest", "-v", "--color=no", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=folder, env=PLAIN, capture_output=True, text=True, timeout=120)
    verdicts = dict(
        re.findall(r"^test_self_attention.py::(test_.+?) (PASSED|FAILED|SKIPPED)", done.stdout, re.M)
    )
    words = {"PASSED": "ok", "FAILED": "fails", "SKIPPED": "waits"}
    listed = check(folder, "list")
    ours = dict(reversed(line.split(maxsplit=1)) for line in listed.stdout.splitlines())
    assert len(ours) == 29
    assert ours == {name: words[verdict] for name, verdict in verdicts.items()}
    assert listed.returncode == done.returncode


def test_a_loop_without_end_is_named_with_its_line_and_the_rest_of_the_run_is_not_lost(folder):
    save(folder, wrong("        return out\n", "        while True:\n            pass\n"))
    run = folder / "loop" / "run.py"
    run.write_text(run.read_text(encoding="utf-8").replace("LIMIT = 10.0", "LIMIT = 1.0"), encoding="utf-8")
    done = check(folder)
    assert done.returncode == 1
    assert re.search(
        r"task 1\.1 \(forward\): still running after 1 s, at line 5\d, `(while True:|pass)`", done.stdout
    )
    assert "as given         ok       1 of 1" in done.stdout


def test_a_layer_that_ends_python_fails_its_check(folder):
    save(folder, wrong("        return out\n", "        import os; os._exit(3)\n"))
    done = check(folder)
    assert done.returncode == 1
    assert "task 1.1 (forward): Python itself ended in this check, with code 3" in done.stdout


def test_two_saves_in_one_second_are_two_results(folder):
    """Of the same length: a compiled file that Python dates to the second would hide the second one."""
    same_length = wrong("dscores = dS / np.sqrt(self.hs)", "dscores = dS * np.sqrt(self.hs)")
    for source, code in ((REFERENCE, 0), (same_length, 1), (REFERENCE, 0)):
        save(folder, source)
        os.utime(folder / "self_attention.py", (1e9, 1e9))
        assert check(folder).returncode == code
        # As a run of pytest leaves it: the next source is of the same length and time.
        compiled = [sys.executable, "-c", "import self_attention"]
        subprocess.run(compiled, cwd=folder, env=PLAIN, check=True)
    assert [path.parent.name for path in folder.rglob("*.pyc")] == ["__pycache__"]


def test_what_the_students_code_prints_is_shown_and_steers_no_terminal(folder):
    save(
        folder,
        NO_SCALE.replace("return dX\n", "print('::error::\\x1b[31m dX', dX.shape)\n        return dX\n"),
    )
    printed = check(folder).stdout
    assert "  Your code printed:\n    : :error: :\\x1b[31m dX (2, 5, 8)\n" in printed
    assert "\x1b" not in printed


def test_a_log_gets_ascii_words_and_no_bar(folder):
    printed = check(folder, PYTHONIOENCODING="ascii").stdout
    assert "1 of 29 checks pass, 0 of 3 tasks done" in printed
    assert printed.isascii()
    assert "###" not in printed and "---" not in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_colour_is_for_a_terminal_that_wants_it(folder):
    with terminal(folder, NO_COLOR="") as shown:
        shown.end()
    assert "\x1b[33mto do " in shown.text
    with terminal(folder, TERM="dumb", NO_COLOR="") as plain:
        plain.end()
    assert "\x1b" not in plain.text


def test_hints_come_one_by_one_and_are_remembered(folder):
    save(folder, STUB)
    hints = json.loads((folder / "check.json").read_text(encoding="utf-8"))["tasks"]["1.1"]["hints"]
    for number in (1, 2, 3, 3):
        shown = " ".join(check(folder, "hint", "forward").stdout.split())
        assert shown.startswith(f"1.1 forward, hint {number} of 3 {' '.join(hints[:number])}")


def test_a_damaged_memory_is_as_good_as_none(folder):
    for damaged in ("{", "[]", '{"tasks": 3}', '{"hints": {"1.1": "x"}}'):
        (folder / ".progress.json").write_text(damaged, encoding="utf-8")
        assert check(folder).returncode == 1
        assert "hint 1 of 3" in check(folder, "hint", "1.1").stdout


def test_show_draws_the_gradients_that_differ(folder):
    save(folder, NO_SCALE)
    shown = check(folder, "show", "backward")
    assert shown.returncode == 0
    assert "dWv (8, 4): no difference beyond rounding" in shown.stdout
    assert re.search(
        r"dWq \(8, 4\): largest difference 0\.0081.*\n  at \(7, 0\): yours -0\.01624, expected -0\.00812",
        shown.stdout,
    )
    assert (
        "\n  ██░░··░░\n" in shown.stdout
    )  # the last row of dWq: its third entry is a thousandth of the largest
    svg = (folder / "show-1.2.svg").read_text(encoding="utf-8")
    assert svg.count("<rect ") == 1 + 3 * (3 * 8 * 4 + 2 * 5 * 8)  # the ground, and three panels a tensor
    assert check(folder, "show", "1.2", PYTHONIOENCODING="ascii").stdout.isascii()


def test_a_narrow_screen_wraps_the_figures_and_cuts_none(folder):
    save(folder, NO_SCALE)
    shown = check(folder, "show", "1.2", COLUMNS="40").stdout
    for printed in (shown, check(folder, COLUMNS="40").stdout):
        assert max(map(len, printed.splitlines())) <= 40
    assert "..." not in shown
    assert "at (7, 0): yours -0.01624, expected -0.00812 at" in " ".join(shown.split())


def test_of_a_task_that_waits_nothing_is_said_to_be_lost(folder):
    save(folder, REFERENCE)
    assert check(folder).returncode == 0
    save(folder, wrong("Q @ K.transpose(0, 2, 1)", "Q @ K"))
    printed = check(folder).stdout
    assert "Since the last run: 1.1 forward was done and is not any more." in printed
    assert printed.count("was done and is not any more") == 1  # 1.2 and 1.3 wait


def test_a_file_that_does_not_load_is_to_be_mended_first(folder):
    save(folder, wrong("def forward(self, X):", "def forward(self, X:"))
    printed = " ".join(check(folder).stdout.split())
    assert "self_attention.py cannot be read: line " in printed
    assert "Next: mend this first; everything else rests on it." in printed
    assert "has changed" not in printed  # the student broke a line of their own
    with terminal(folder, "--watch") as loop:
        loop.wait(KEYS)
        loop.type("h")
        loop.wait("There is no hint for this one: mend it first.")
        loop.type("q")
        assert loop.end() == 0


def test_show_draws_attention_as_it_is_where_it_is_right(folder):
    save(folder, REFERENCE)
    shown = check(folder, "show", "1.1").stdout
    assert "A (2, 5, 5): no difference beyond rounding\n  ·░▒▓█ from 0.1993 to 0.2006\n" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hint", "forwrd"], "there is no task 'forwrd'; did you mean 'forward'?"),
        (["hnit", "1.1"], "there is no 'hnit'; did you mean 'hint'?"),
        (["show"], "expected python check.py show TASK; tasks: 1.1, 1.2, 1.3"),
        (["--wach"], "there is no '--wach'; did you mean 'watch'?"),
    ],
)
def test_what_is_not_there_gets_a_suggestion(folder, arguments, said):
    done = check(folder, *arguments)
    assert (done.returncode, done.stderr.strip()) == (2, said)


def test_a_missing_file_is_one_sentence(folder):
    (folder / "self_attention.py").unlink()
    done = check(folder)
    assert done.returncode == 2
    assert done.stderr.startswith("self_attention.py is not in ")


def test_watching_without_a_terminal_needs_no_keys(folder):
    process = subprocess.Popen(
        [sys.executable, "check.py", "--watch"],
        cwd=folder,
        env=PLAIN,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    with process:
        try:
            shown = Terminal(process.stdout.fileno(), process)
            shown.wait("a hint     python check.py hint 1.1")
            save(folder, REFERENCE)
            shown.wait("Next: hand in self_attention.py.")
        finally:
            process.kill()
    assert KEYS not in shown.text


BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in (*sys.stdlib_module_names, "numpy", *OWN):
            raise ModuleNotFoundError(f"blocked: {name}")
OWN = ("loop", "check", "gradcheck", "diagnosis", "self_attention", "test_self_attention", "sitecustomize")
sys.meta_path.insert(0, Block())
"""


def test_it_needs_numpy_alone(folder, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    blocked = {"PYTHONPATH": str(tmp_path)}
    probe = [sys.executable, "-c", "import pytest"]
    assert b"blocked: pytest" in subprocess.run(probe, env=PLAIN | blocked, capture_output=True).stderr
    save(folder, NO_SCALE)
    done = check(folder, **blocked)
    assert done.returncode == 1
    assert "23 of 29 checks pass" in done.stdout and "It behaves like backward-scale-missing." in done.stdout
    assert check(folder, "show", "1.2", **blocked).returncode == 0
    assert check(folder, "hint", "1.2", **blocked).returncode == 0


def test_the_command_watches_any_file(tmp_path):
    file = tmp_path / "attention_of_ada.py"
    file.write_text(STUB, encoding="utf-8")
    command = [sys.executable, "-m", "autograder", "watch", str(file), "--course", str(ROOT / "grading.toml")]
    process = subprocess.Popen(
        command, env=PLAIN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )
    with process:
        try:
            shown = Terminal(process.stdout.fileno(), process)
            shown.wait("a hint     python check.py hint 1.1")
            (tmp_path / "new").write_text(REFERENCE, encoding="utf-8")
            (tmp_path / "new").replace(file)
            shown.wait("Next: hand in self_attention.py.")
        finally:
            os.killpg(process.pid, signal.SIGINT)
    assert file.read_text(encoding="utf-8") == REFERENCE


def test_no_public_number_comes_from_a_hidden_seed():
    public = json.loads((HANDOUT / "check.json").read_text(encoding="utf-8"))["public"]
    assert (public["seed"], public["input"], public["constructor"]) == (42, [2, 5, 8], {"C": 8, "hs": 4})

# A copy of autograder/student/check.py, made by `autograder build`: edit that file and build again.
"""The public checks, one step at a time.

python check.py               all tasks, the first failure in full, what is next
python check.py --watch       the same after every save; keys: h hint, l list, n next failure, q quit
python check.py list          every check in one line
python check.py hint TASK     the next hint for a task, such as 1.2 or backward
python check.py show TASK     a picture of what differs, here and as an SVG file

It needs NumPy. Exit code: 0 when the public checks pass, 1 when one fails, 2 for a request it does not know.
"""

import sys
from difflib import get_close_matches
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from loop import hints, report, show, watch  # noqa: E402
from loop.facts import FOLDER, load_facts, remember  # noqa: E402
from loop.results import Run  # noqa: E402
from loop.screen import Screen  # noqa: E402

COMMANDS = ("list", "hint", "show")


class Usage(Exception):
    """What was asked for is not there; the message says what is."""


def task_of(facts, word):
    """The id of the task that `word`, an id or a name, means."""
    names = {
        name: task
        for task, entry in facts["tasks"].items()
        for name in (task, entry["title"], entry["method"])
    }
    if word in names:
        return names[word]
    near = get_close_matches(word, names, 1)
    raise Usage(
        f"there is no task {word!r}; "
        + (f"did you mean {near[0]!r}?" if near else f"tasks: {', '.join(facts['tasks'])}")
    )


def parsed(arguments, facts):
    """(command, task): one of "run", "watch", "help" or COMMANDS, and a task or ""."""
    if not arguments:
        return "run", ""
    word, rest = arguments[0].lstrip("-"), arguments[1:]
    if word in ("h", "help", "watch") and not rest:
        return ("watch" if word == "watch" else "help"), ""
    if word not in COMMANDS:
        near = get_close_matches(word, (*COMMANDS, "watch", "help"), 1)
        raise Usage(
            f"there is no {arguments[0]!r}; "
            + (f"did you mean {near[0]!r}?" if near else "python check.py --help lists what there is")
        )
    if word == "list" and not rest:
        return word, ""
    if word == "list" or len(rest) != 1:
        raise Usage(
            f"expected python check.py {word}"
            + ("" if word == "list" else f" TASK; tasks: {', '.join(facts['tasks'])}")
        )
    return word, task_of(facts, rest[0])


def main(arguments):
    screen, facts = Screen(), load_facts()
    try:
        command, task = parsed(arguments, facts)
    except Usage as error:
        print(error, file=sys.stderr)
        return 2
    if command == "help":
        screen.text(__doc__.strip())
        return 0
    if command == "watch":
        return watch.watch(screen, facts)
    if not (FOLDER / facts["file"]).is_file():
        print(f"{facts['file']} is not in {FOLDER}; it belongs beside check.py", file=sys.stderr)
        return 2
    if command == "show":
        return show.show(screen, facts, task)
    results = Run(facts).finish()
    if results.problem:
        screen.text(results.problem)
        return 2
    if command == "hint":
        hints.hint(screen, results, task)
        return 0
    if command == "list":
        report.listing(screen, results)
    else:
        report.whole(screen, results, remember()["tasks"])
        remember(tasks=results.states())
    return 1 if results.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

"""What a run found, in the order in which a student needs it: where I am, what is wrong, what is next."""

from .results import line_of
from .screen import OTHERS, PRINTED


def overview(screen, results):
    """All tasks with their state."""
    facts = results.facts
    screen.text(f"{facts['title']}: the public checks of {facts['file']}")
    screen.line()
    for task in ("", *facts["tasks"]):
        checks = results.of(task)
        if not checks:
            continue
        title = f"{task} {facts['tasks'][task]['title']}" if task else "as given"
        state = results.state(task)
        good = sum(check.verdict == "passed" for check in checks)
        screen.raw(
            f"  {title:<16} {screen.word('ok' if state == 'done' else state, 6)} {good:>3} of {len(checks)}"
        )
    done = sum(state == "done" for state in results.states().values())
    passed, checks = len(results.passed), len(results.checks)
    tasks = f"{done} of {len(facts['tasks'])} tasks done"
    screen.text(f"{screen.bar(passed, checks)}{passed} of {checks} checks pass, {tasks}", "  ")


def changes(screen, results, before):
    """What is done now and was not, and the other way round; `before` are the states of the last run."""
    now = results.states()
    for task, state in now.items():
        was, title = before.get(task), results.facts["tasks"][task]["title"]
        if was and was != "done" and state == "done":
            screen.text(f"Since the last run: {task} {title} is done.", "  ")
        elif was == "done" and state in ("fails", "to do"):  # of one that waits nothing is known
            screen.text(f"Since the last run: {task} {title} was done and is not any more.", "  ")


def failure(screen, results, check):
    """One failure in full."""
    screen.text(check.name)
    for part in check.message.split("; "):
        screen.text(part, "  ")
    if check.task and results.state(check.task) == "fails":
        for names, _, why in results.recognised:
            screen.text(f"It behaves like {' or '.join(names)}. {why}", "  ")
    if check.printed.strip():
        lines = check.printed.rstrip().splitlines()
        screen.line("  Your code printed:")
        for line in lines[:PRINTED]:
            screen.line(f"    {line}")
        if len(lines) > PRINTED:
            screen.line(f"    and {len(lines) - PRINTED} lines more")


def others(screen, results, shown):
    """The failures beside `shown`, a line each, and how many checks wait."""
    rest = [check for check in results.failed if check is not shown]
    waiting = sum(check.verdict == "skipped" for check in results.checks)
    if rest:
        screen.line("Also:")
    for check in rest[:OTHERS]:
        screen.line(f"  {check.name}: {check.message}")
    if len(rest) > OTHERS:
        screen.line(f"  and {len(rest) - OTHERS} more")
    if waiting:
        screen.line(f"{waiting} checks wait: they need what fails above.")


def listing(screen, results):
    """Every check in one line."""
    for check in results.checks:
        state = {"passed": "ok", "failed": "fails", "skipped": "waits"}[check.verdict]
        room = screen.width - 10
        name = check.name if len(check.name) <= room else check.name[: room - 3] + "..."
        screen.raw(f"  {screen.word(state, 6)} {name}")


def next_step(screen, results):
    facts, task = results.facts, results.current()
    if not results.failed:
        return passed(screen, results)
    if not task:
        screen.text("Next: mend this first; everything else rests on it. What was given stays as it was.")
        return None
    entry, line = facts["tasks"][task], line_of(facts, task)
    where = f", {facts['file']} line {line}" if line else f" in {facts['file']}"
    screen.text(f"Next: task {task}, {entry['title']}{where}.")
    screen.line(f"  a hint     python check.py hint {task}")
    if results.state(task) == "fails" and entry["method"] in facts["pictures"]:
        screen.line(f"  a picture  python check.py show {task}")
    return None


def passed(screen, results):
    """Nothing fails: what this says, and what it does not."""
    facts = results.facts
    screen.line(f"The public checks pass, {len(results.passed)} of {len(results.checks)}.")
    screen.text("Hidden checks use other inputs. What they look at:")
    for check in facts["hidden"]:
        screen.text(f"{check['title']} ({check['points']:g} points): {', '.join(check['parts'])}", "  ")
    screen.line(f"Next: hand in {facts['file']}.")


def whole(screen, results, before):
    """The report of one run."""
    if results.problem:
        screen.text(results.problem)
        return
    overview(screen, results)
    changes(screen, results, before)
    screen.line()
    if results.failed:
        failure(screen, results, results.failed[0])
        screen.line()
        others(screen, results, results.failed[0])
    next_step(screen, results)

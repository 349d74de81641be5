"""Hints, one more each time: those of a recognised mistake first, then the task's own."""

from .facts import remember


def hint(screen, results, task):
    """Show the hints of `task` that were shown before, and the next. Their number is remembered."""
    title = f"{task} {results.facts['tasks'][task]['title']}"
    ladders = ladders_of(results, task)
    if not ladders:
        screen.text(f"There are no hints for {title}; its section in README.md derives it.")
        return
    shown = remember()["hints"]
    # The first ladder that has a step left, else the last one again, whole.
    key, steps = next(((key, steps) for key, steps in ladders if count(shown, key) < len(steps)), ladders[-1])
    number = min(count(shown, key) + 1, len(steps))
    screen.text(f"{title}, hint {number} of {len(steps)}" + ("" if key == task else f" ({key})"))
    for step in steps[:number]:
        screen.text(step, "  ")
    if number == len(steps) and key == ladders[-1][0]:
        screen.text("That was the last one. README.md has the derivation.")
    remember(hints={**shown, key: number})


def ladders_of(results, task):
    """(key, hints) in the order in which they are given: of recognised mistakes, then of the task."""
    ladders = []
    if results.state(task) == "fails":
        ladders += [(" or ".join(names), steps) for names, steps, _ in results.recognised if steps]
    own = results.facts["tasks"][task]["hints"]
    return ladders + ([(task, own)] if own else [])


def count(shown, key):
    number = shown.get(key, 0)
    return number if isinstance(number, int) else 0

"""What an assignment still has to have before it can be audited, or before its audit says enough."""

from __future__ import annotations

from collections.abc import Mapping

from ..build import BuildError, cut
from ..course import Course
from ..course.mistakes import load_mistakes
from ..layer import trusted_layer

TODO = "TODO:"  # as `autograder new` writes it


def missing(course: Course, name: str, source: str, styles: Mapping[str, bytes]) -> tuple[list[str], bool]:
    """One sentence for each thing that is missing, and whether the rest can be judged."""
    solution, mistakes = course.solution_path(name), course.mistakes_path(name)
    found = []
    try:
        trusted_layer(source.encode(), course.assignments[name].class_name)
        cut(source, {task: t.title for task, t in course.assignments[name].tasks.items()}, str(solution))
    except (ValueError, BuildError) as error:
        found.append(f"{solution}: the reference does not give a layer and its stub yet: {error}")
    unwritten = [str(n) for n, line in enumerate(source.splitlines(), 1) if TODO in line]
    if unwritten:
        found.append(f"{solution}: still to be written, on line {', '.join(unwritten)}")
    ready = not found
    known = load_mistakes(mistakes, source) if mistakes.is_file() else ()
    if not known:
        found.append(f"{mistakes}: holds no known mistake yet; without them no diagnosis can name one")
    tasks = course.assignments[name].tasks
    for task in tasks if known else ():
        if all(mistake.task != task for mistake in known):
            found.append(f"{mistakes}: no mistake for task {task}, {tasks[task].title}")
    public = course.root / course.course.assignments / name / f"test_{name}.py"
    if not public.is_file():
        found.append(f"{public}: there are no public tests for students yet")
    handout = public.with_name("README.md")
    if not handout.is_file():
        found.append(f"{handout}: there is no handout for students yet")
    elif TODO in handout.read_text(encoding="utf-8"):
        found.append(f"{handout}: the handout still has a TODO")
    if not styles:
        found.append("no correct styles: write the layer in other ways, so that false fails show")
    return found, ready

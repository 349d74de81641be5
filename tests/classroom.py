"""A class of any size for reports: eight layers judged in this process, given to many students.

Only for layers that the project itself wrote. Diagnoses are of the mistake that was made, its line and hints
those of the list, so that a report has something to say without a worker.
"""

import hashlib
import importlib.util
from functools import cache

import numpy as np
from click.testing import CliRunner
from judging import ASSIGNMENT, COURSE, NAME, REFERENCE, ROOT, checks

from autograder.checks.outcome import Outcome
from autograder.checks.problem import Problem
from autograder.cli.main import group
from autograder.course.mistakes import load_mistakes
from autograder.grade.figures import Artist
from autograder.grade.model import CheckGrade, Diagnosis, Digests, Flag, Grade, Isolation, Line
from autograder.gradebook import Gradebook
from autograder.layer import trusted_layer
from autograder.submission import Source

PLOTLY = importlib.util.find_spec("plotly") is not None
MISTAKES = {m.name: m for m in load_mistakes(COURSE.mistakes_path(NAME), REFERENCE)}
MADE = ("", *list(MISTAKES)[:: max(1, len(MISTAKES) // 7)][:7])  # "" is the reference
HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "](javascript:alert(1)) ![](http://example.org/x.png)",
    "`````",
    "=HYPERLINK(\"http://example.org\")",
    "bell\x07 and \x1b[2J",
    "right-to-left \u202eetirw\u202c",
    "{{ 7 * 7 }}{% raw %}",
    "::error::a log's command",
    "</title></textarea></style>&lt;",
    "a\u2028b\u0000c",
]  # fmt: skip


def source_of(mistake):
    text = MISTAKES[mistake].apply(REFERENCE) if mistake else REFERENCE
    return Source((text.encode(),), "py", hashlib.sha256(text.encode()).hexdigest())


@cache
def graded(mistake):
    """A grade of the layer with this mistake, and its source."""
    source = source_of(mistake)
    layer, judged = trusted_layer(source.chunks[0], ASSIGNMENT.class_name), []
    with np.errstate(all="ignore"):
        for check in checks():
            evidence, spec = check.run(layer).evidence, ASSIGNMENT.checks.present[check.id]
            verdict = Outcome(evidence).verdict
            said = diagnosis(mistake, source) if verdict != "passed" else None
            judged.append(
                CheckGrade(
                    id=check.id, title=spec.title, verdict=verdict, max_points=spec.points, diagnosis=said,
                    points=round(sum(e.points for e in evidence), 6), evidence=tuple(evidence),
                )
            )  # fmt: skip
        figures = artist().draw(layer) if mistake else None
    grade = Grade(
        student="",
        assignment=NAME,
        score=round(sum(check.points for check in judged), 6),
        max_score=ASSIGNMENT.points,
        checks=tuple(judged),
        isolation=Isolation(level="L1", detail="none: the project's own layers"),
        figures=figures,
        digests=Digests(submission=source.digest, course="0", grader="0"),
    )
    return grade, source


@cache
def artist():
    return Artist(Problem(ASSIGNMENT, REFERENCE.encode()))


def diagnosis(name, source):
    mistake = MISTAKES[name]
    number = mistake.line(REFERENCE)
    line = Line(number=number, text=source.line_text(number).strip())
    sentence = (
        f"The evidence.\nLine {number}: {line.text}\nThis is what {name} gives.\nNext: {mistake.hints[2]}"
    )
    return Diagnosis(
        mistakes=((name,),), lines=(line,), sentence=sentence, kinds=("evidence", "line", "name", "hints"),
        hints=mistake.hints,
    )  # fmt: skip


def student(number, name=None, mistake=None):
    """Student `number` of a class, with a flag now and then."""
    grade, source = graded(MADE[number % len(MADE)] if mistake is None else mistake)
    flags = [Flag(kind="note", detail=f"from submissions/{number}")]
    if number % 50 == 7:
        flags.append(Flag(kind="review", detail="the score stands, a person should look"))
    return grade.model_copy(
        update={"student": name or f"student_{number:04d}", "flags": tuple(flags)}
    ), source


def hostile(number):
    """A student whose name, flags, sentence and line hold what a page, a log or a program might obey."""
    text = HOSTILE[number]
    grade, source = student(number, f"{number} {text}", MADE[1])
    bad = [
        check.model_copy(
            update={
                "diagnosis": check.diagnosis
                and check.diagnosis.model_copy(
                    update={"sentence": text, "lines": (Line(number=3, text=text),)}
                )
            }
        )
        for check in grade.checks
    ]
    code = source.chunks[0].replace(b"\n", f"\n# {text}\n".encode(), 5)
    kept = Source((code,), "py", hashlib.sha256(code).hexdigest())
    digests = grade.digests.model_copy(update={"submission": kept.digest})
    flags = (Flag(kind="unreadable", detail=text),)
    return grade.model_copy(update={"checks": tuple(bad), "flags": flags, "digests": digests}), kept


def fill(path, count, hostiles=True):
    """A gradebook of `count` students, the hostile ones among them."""
    with Gradebook(path) as book:
        for number in range(count):
            bad = hostiles and number < len(HOSTILE)
            grade, source = hostile(number) if bad else student(number)
            book.put(grade, "", source)
            if number % 100 == 20:
                book.put(student(number, mistake="")[0], "", source_of(""))
    return path


def report(out, *arguments):
    """What `autograder report` prints about the gradebook in `out`."""
    command = ["report", "--out", str(out), "--course", str(ROOT / "grading.toml"), *map(str, arguments)]
    done = CliRunner().invoke(group, command, standalone_mode=False, catch_exceptions=False)
    return done.output

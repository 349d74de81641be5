"""JUnit XML: a suite a student, a case a check, points as properties."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as Xml

from autograder.exports.atomic import replacing
from autograder.exports.csv import cell
from autograder.grade.model import CheckGrade, Grade
from autograder.reports.inert import xml
from autograder.reports.words import words

# JUnit's third kind, error, means that a test itself broke; only ours count so.
_KIND = {"passed": None, "skipped": "skipped", "grader-fault": "error", "review": None}


def write_junit(grades: Iterable[Grade], path: Path) -> None:
    """Write one document of all grades. Raises OSError."""
    root = Xml.Element("testsuites")
    for grade in grades:
        kinds = [_KIND.get(check.verdict, "failure") for check in grade.checks]
        suite = Xml.SubElement(
            root,
            "testsuite",
            name=xml(grade.student),
            tests=str(len(kinds)),
            failures=str(kinds.count("failure")),
            errors=str(kinds.count("error")),
            skipped=str(kinds.count("skipped")),
        )
        for check, kind in zip(grade.checks, kinds, strict=True):
            _case(suite, grade, check, kind)
    Xml.indent(root)
    with replacing(path) as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n")


def _case(suite: Xml.Element, grade: Grade, check: CheckGrade, kind: str | None) -> None:
    case = Xml.SubElement(suite, "testcase", classname=grade.assignment, name=check.id)
    properties = Xml.SubElement(case, "properties")
    for name, value in (("points", check.points), ("max_points", check.max_points)):
        Xml.SubElement(properties, "property", name=name, value=cell(value))
    if kind:
        lines = [xml(line) for line in words(check)]
        told = Xml.SubElement(case, kind, message=lines[0] if lines else check.verdict)
        told.text = "\n".join(lines)

"""The class report: one HTML file that needs no other and asks nobody for anything.

Its policy, in the file itself, forbids every request and every script but the file's own, each known by its
digest. So nothing that a student wrote can run, whatever else may fail.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..exports.atomic import replacing
from ..submission import SubmissionError
from .class_data import ClassData
from .words import number

_SCRIPTS = ("page.js", "charts.js")


@cache
def environment() -> Environment:
    """Templates of this room; everything put into one is escaped."""
    made = Environment(
        loader=PackageLoader("autograder.reports"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters["number"] = number
    return made


def write_class_report(data: ClassData, path: Path) -> None:
    """Raises SubmissionError without plotly, OSError when the file cannot be written."""
    page = data.page()
    library, scripts = plotly(), [text_of(name) for name in _SCRIPTS]
    text = (
        environment()
        .get_template("class.html")
        .render(
            page=page,
            policy="; ".join(
                [
                    "default-src 'none'",
                    f"script-src {' '.join(_digest(script) for script in [library, *scripts])}",
                    "style-src 'unsafe-inline'",  # the plotting library sets styles; no student's text is one
                    "img-src data:",
                ]
            ),
            style=Markup(text_of("report.css")),
            data=Markup(data.script(page)),
            library=Markup(library),
            scripts=[Markup(script) for script in scripts],
        )
    )
    with replacing(path) as file:
        file.write(text)


@cache
def plotly() -> str:
    """The plotting library, as its Python package carries it. That package itself is not imported."""
    try:
        found = resources.files("plotly") / "package_data" / "plotly.min.js"
        script = found.read_text(encoding="utf-8")
    except (ModuleNotFoundError, OSError):
        raise SubmissionError(
            "the class report draws with plotly, which is not installed; pip install 'autograder[report]'"
        ) from None
    return script.replace("</script", "<\\/script")


def text_of(name: str) -> str:
    """A file of the templates' folder as it is."""
    return (resources.files("autograder.reports") / "templates" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"

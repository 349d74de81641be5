"""The class report and the feedback files: what they say, and that what students wrote does nothing."""

import base64
import hashlib
import json
import re
import sqlite3
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from classroom import HOSTILE, MADE, MISTAKES, PLOTLY, fill, graded, hostile, report, student
from click.testing import CliRunner
from judging import ASSIGNMENT
from markdown_it import MarkdownIt

from autograder.cli.main import group
from autograder.grade.model import DETAILS, Flag
from autograder.gradebook import Gradebook, Late, Rules
from autograder.reports import html
from autograder.reports.anonymise import AnonymousGradebook, Pseudonyms
from autograder.reports.class_data import ClassData
from autograder.reports.entry import Entry
from autograder.reports.feedback import Feedback, fenced
from autograder.reports.files import write_files
from autograder.reports.inert import inert
from autograder.reports.table import QUIET, class_table
from autograder.submission import SubmissionError

SEEDS = [spec.hidden_seed for spec in ASSIGNMENT.checks.present.values() if hasattr(spec, "hidden_seed")]
needs_plotly = pytest.mark.skipif(not PLOTLY, reason="the class report draws with plotly")


class Reader(HTMLParser):
    """Elements and texts of a page; scripts and the data apart."""

    def __init__(self, document):
        super().__init__()
        self.tags, self.attributes, self.texts, self.scripts, self._inside = [], [], [], [], None
        self.feed(document)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self._inside = dict(attributes).get("type", "script") if tag == "script" else tag

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        kind = self._inside
        (self.scripts if kind and (kind == "script" or "/" in kind) else self.texts).append((kind, data))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Thirty students, twelve of them hostile."""
    folder = tmp_path_factory.mktemp("small")
    fill(folder / "gradebook.db", 30)
    return folder


@pytest.fixture(scope="module")
def page(small):
    pytest.importorskip("plotly")
    report(small, "--html", small / "class.html")
    return (small / "class.html").read_text(encoding="utf-8")


# ---- the class report ----


def test_the_page_asks_for_nothing_and_runs_only_its_own_scripts(page):
    read = Reader(page)
    [policy] = [value for name, value in read.attributes if name == "content" and "default-src" in value]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy and "http" not in policy
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    scripts = [text for kind, text in read.scripts if kind in ("script", "text/plain")]
    assert {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts} == allowed
    assert len(allowed) == 3
    assert not {name for name, _ in read.attributes if name == "src" or name.startswith("on")}
    links = [value for name, value in read.attributes if name == "href"]
    assert all(re.fullmatch(r"#[a-z0-9-]+|data:,", link) for link in links)


def test_no_element_of_the_page_comes_from_a_student(page):
    tags = set(Reader(page).tags)
    assert not tags & {"img", "iframe", "object", "embed", "form", "base", "textarea"}
    assert page.count("<script") == 4 + page.split('id="library">')[1].split("</script>")[0].count("<script")
    assert "alert(1)</script>" not in page


def test_the_data_of_the_page_is_json_that_holds_every_student(page):
    [text] = [text for kind, text in Reader(page).scripts if kind == "application/json"]
    assert text.isascii() and not set(text) & set("<>&")
    data = json.loads(text)
    assert len(data["students"]) == 30
    names = {s["n"] for s in data["students"]}
    assert {inert(hostile(i)[0].student) for i in range(len(HOSTILE))} <= names
    assert [check[0] for check in data["checks"]] == list(ASSIGNMENT.checks.present)
    wrong = next(s for s in data["students"] if s["n"] == "student_0017")
    assert wrong["c"] == [MADE[17 % len(MADE)]]
    number = MISTAKES[wrong["c"][0]].line(graded("")[1].chunks[0].decode())
    [[where, lines]] = wrong["l"]
    assert where == f"line {number}" and [n for n, _, hit in lines if hit] == [number]
    twice = next(s for s in data["students"] if s["n"] == "student_0020")
    assert [counts for *_, counts in twice["t"]] == [False, True]


def test_causes_and_flags_are_counted(page):
    texts = " ".join(" ".join(text for _, text in Reader(page).texts).split())
    assert "30 students, median" in texts
    assert re.search(re.escape(MADE[1]) + r" 1[0-9] ", texts)  # twelve hostile ones and one or two more
    assert "For a person first" in texts


def test_page_and_terminal_ask_for_a_person_about_the_same_flags():
    kinds = ("late", "time-unknown", "adjusted", "taken-back", "note", "review")
    grades = [
        student(number)[0].model_copy(update={"flags": (Flag(kind=kind, detail="why"),)})
        for number, kind in enumerate(kinds)
    ]
    data = ClassData(ASSIGNMENT)
    for grade in grades:
        data.add(Entry(grade, (), None))
    assert data.page()["flagged"] == [(5, "student_0005", [["review", "why"]])]
    assert "for a person first: 1 review" in class_table(grades, [])
    assert json.loads(data.script(data.page()))["quiet"] == list(QUIET)


@needs_plotly
def test_the_same_gradebook_gives_the_same_bytes(small, page):
    report(small, "--html", small / "again.html")
    assert (small / "again.html").read_text(encoding="utf-8") == page


@needs_plotly
def test_a_thousand_students_are_below_15_megabytes(tmp_path):
    fill(tmp_path / "gradebook.db", 1000)
    said = report(tmp_path, "--html", tmp_path / "class.html")
    assert said.strip() == f"{tmp_path / 'class.html'}: the class report of 1000 students"
    assert (tmp_path / "class.html").stat().st_size < 15e6


def test_files_are_a_view_of_their_own(small):
    runner = CliRunner()
    done = runner.invoke(
        group, ["report", "--out", str(small), "--html", "x.html", "--student", "student_0017"]
    )
    assert done.exit_code == 2 and "give one" in done.output


def test_without_plotly_it_says_what_to_install_and_writes_nothing(small, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    html.plotly.cache_clear()
    monkeypatch.setattr(html.resources, "files", missing)
    with pytest.raises(SubmissionError, match=r"not installed; pip install 'autograder\[report\]'"):
        report(small, "--html", small / "none.html")
    assert not (small / "none.html").exists()


# ---- feedback ----


@pytest.fixture(scope="module")
def feedback(small):
    folder = small / "feedback"
    report(small, "--feedback", folder)
    return folder


def test_every_student_has_two_files(feedback):
    assert len(list(feedback.glob("*.html"))) == len(list(feedback.glob("*.md"))) == 30
    assert not [path for path in feedback.iterdir() if path.suffix not in (".html", ".md")]


def test_feedback_says_what_the_terminal_says(small, feedback):
    said = report(small, "--student", "student_0017")
    lines = [line.strip() for line in said.splitlines() if line.startswith("    ")]
    texts = "\n".join(
        text for _, text in Reader((feedback / "student_0017.html").read_text(encoding="utf-8")).texts
    )
    markdown = (feedback / "student_0017.md").read_text(encoding="utf-8")
    assert lines
    for line in lines:
        assert line in texts and line in markdown


def test_feedback_has_no_other_student_and_no_hidden_seed(feedback):
    assert len(SEEDS) == 3
    for path in feedback.iterdir():
        text = path.read_text(encoding="utf-8")
        others = set(re.findall(r"student_\d{4}", text)) - {path.stem}
        assert not others and not any(str(seed) in text for seed in SEEDS)


def test_hostile_feedback_is_inert(feedback):
    for path in feedback.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        tags = set(Reader(text).tags)
        assert not tags & {"script", "img", "iframe", "a", "form"}
        assert "default-src 'none'" in text.replace("&#39;", "'")
    for path in feedback.glob("*.md"):
        tokens = MarkdownIt("commonmark").parse(path.read_text(encoding="utf-8"))
        inline = [child.type for token in tokens for child in token.children or ()]
        assert not {"html_inline", "link_open", "image"} & set(inline)
        assert not [token for token in tokens if token.type == "html_block"]


@pytest.mark.parametrize("text", ["```", "a\n````\nb", "~~~", "`````text"])
def test_no_run_of_backticks_ends_a_fence(text):
    [token] = MarkdownIt("commonmark").parse(fenced(text.split("\n")))
    assert (token.type, token.content) == ("fence", f"{text}\n")


@pytest.mark.parametrize("detail", DETAILS)
def test_feedback_shows_as_much_as_the_course_says(tmp_path, detail):
    grade, source = student(1, "ada", MADE[1])
    Feedback(ASSIGNMENT, detail, tmp_path).write(grade, source.where)
    for name in ("ada.html", "ada.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        level = DETAILS.index(detail)
        assert "The evidence." in text
        assert ("Line " in text) == (level >= 1)
        assert (f"This is what {MADE[1]} gives." in text) == (level >= 2)
        assert ("Hint 1 of 3" in text) == (level >= 3)


@pytest.mark.parametrize("hidden", [False, True], ids=["names", "pseudonyms"])
def test_feedback_goes_with_the_last_attempt_that_counts(tmp_path, hidden):
    due = datetime(2026, 3, 1, tzinfo=UTC)
    names = Pseudonyms(tmp_path / "pseudonyms.json")
    path, folder = tmp_path / "gradebook.db", tmp_path / "feedback"
    with AnonymousGradebook(path, print, names) if hidden else Gradebook(path) as book:
        for number, name in enumerate(("ada", "bob", "cy")):
            book.put(student(number, name)[0], submitted_at=due + timedelta(hours=number))

        def written(rules):
            write_files(book, ASSIGNMENT, rules, None, folder, "hints")
            return {path.name for path in folder.iterdir()}

        called = [names.name(name) if hidden else name for name in ("ada", "bob", "cy")]
        files = {f"{name}{suffix}" for name in called for suffix in (".html", ".md")}
        assert written(Rules()) == files
        (folder / "mine.md").write_text("mine", encoding="utf-8")
        in_time = written(Rules("last-before-deadline", Late(due + timedelta(hours=1))))
        assert in_time == {"mine.md", *(name for name in files if not name.startswith(called[2]))}
        with sqlite3.connect(path) as other:
            other.execute("UPDATE grades SET checksum = 'damaged' WHERE student = 'ada'")
        assert written(Rules("last-before-deadline", Late(due))) == {
            "mine.md", f"{called[0]}.html", f"{called[0]}.md",
        }  # fmt: skip


def test_feedback_of_a_perfect_layer_has_no_pictures(tmp_path):
    grade, source = student(0, "ada", "")
    Feedback(ASSIGNMENT, "hints", tmp_path).write(grade, source.where)
    text = (tmp_path / "ada.md").read_text(encoding="utf-8")
    assert text.startswith("# A self-attention layer: 100 of 100\n\nada\n")
    assert "expected" not in text

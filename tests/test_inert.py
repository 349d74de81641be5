"""Strings that a student controls, in every place where they are shown: seen, and obeyed by nothing.

Hypothesis: 300 examples a property, mixtures of any text (surrogates too) with what terminals, logs,
spreadsheets and browsers obey.
"""

import csv
import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from autograder.reports.html import environment
from autograder.reports.inert import cell, inert, json_line, markdown, xml

TOKENS = [
    "::", ":", "::error::", "##[error]", "##vso[x]", "##", "[", "#", "\x1b[2J", "\r", "\n", "\t", "\0",
    "\x9b31m", "\u202e", "\u200f", "\u2066", "\u2028", "\ufeff", "\ufffe", "\uffff", "\udcff", "\ud800",
    "=", "+", "-", "@", "@ada", "＝", " ", "'",
    '"', "<", ">", "&", "&amp;", "<script>", "]]>", "`", "*", "**",
    "_", "~~", "|", "![](http://x.y)", "[a](b)", "<b>", "http://x.y", "\\", "\\u003a", "1.", "1)", "# ",
    "> ", "- ", "$$", "a", "ß",
]  # fmt: skip
HOSTILE = st.lists(st.one_of(st.sampled_from(TOKENS), st.text(max_size=4)), max_size=8).map("".join)
COMMAND = re.compile(r"::|##\w*\[")
hostile = given(HOSTILE)
trials = settings(max_examples=300, derandomize=True, deadline=None)


def calm(text):
    """Whether a terminal or a log obeys nothing in `text`."""
    marks = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
    odd = [c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in marks]
    return not odd and not COMMAND.search(text)


@trials
@hostile
def test_plain_text_is_one_calm_line(text):
    shown = inert(text)
    assert calm(shown) and len(shown.splitlines()) <= 1
    assert inert(shown) == shown
    if text.isascii() and text.isprintable() and not COMMAND.search(text):
        assert shown == text


@trials
@hostile
def test_markdown_shows_the_text_and_marks_up_nothing(text):
    shown = markdown(text)
    assert calm(shown)
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    expected = inert(text).replace("@", "@\u200b")
    [paragraph] = [t for t in reader.parse("x " + shown) if t.type == "inline"]
    assert {t.type for t in paragraph.children} <= {"text", "text_special"}
    assert "".join(t.content for t in paragraph.children) == f"x {expected}".rstrip(" ")
    cells = [t.children for t in reader.parse(f"|a|b|\n|-|-|\n|{shown}|c|\n") if t.type == "inline"]
    assert len(cells) == 4
    assert "".join(t.content for t in cells[2]) == expected.strip(" ")
    assert not re.search(r"@\w", shown)


PAGE = environment().from_string("""<p title='{{ name }}'>{{ name }}</p>""")


class Reader(HTMLParser):
    def __init__(self, document):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(document)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))

    def handle_data(self, data):
        self.text += data


@trials
@hostile
def test_html_shows_the_text_and_opens_nothing(text):
    page = PAGE.render(name=inert(text))
    assert calm(page)
    read = Reader(page)
    assert read.tags == [("p", [("title", inert(text))])]
    assert read.text == inert(text)


@trials
@hostile
def test_a_cell_is_no_formula_and_one_cell(text):
    shown = cell(text)
    assert calm(shown)
    assert not shown.lstrip(" ").startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    out = io.StringIO(newline="")
    csv.writer(out).writerow(["x", shown])
    assert list(csv.reader(io.StringIO(out.getvalue(), newline=""))) == [["x", shown]]


@trials
@hostile
def test_xml_holds_only_what_xml_may_hold(text):
    shown = xml(text)
    assert calm(shown)
    element = ElementTree.Element("case", name=shown)
    element.text = shown
    read = ElementTree.fromstring(ElementTree.tostring(element, encoding="utf-8"))
    assert (read.get("name"), read.text or "") == (shown, shown)


@trials
@hostile
def test_a_json_line_is_calm_and_says_the_same(text):
    text = text.encode("utf-8", "replace").decode()  # JSON of the grade is UTF-8
    document = json.dumps({"student": text, text: [1, text]}, ensure_ascii=False)
    line = json_line(document)
    assert calm(line)
    assert json.loads(line) == json.loads(document)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ": :error: :x"),
        (":::", ": : :"),
        ("##[group]a", "## [group]a"),
        ("##vso[task.complete]", "## vso[task.complete]"),
        ("###[a", "### [a"),
        ("a##b", "a##b"),
        ("\x1b]0;x\x07", "␛]0;x␇"),
        ("gnp\u202e.py", "gnp\\u202e.py"),
        ("Zoë 日本 O'Neil", "Zoë 日本 O'Neil"),
    ],
)
def test_inert(text, shown):
    assert inert(text) == shown


@pytest.mark.parametrize(
    "student", ["ada", "wei-chen", "smith.j@uni.edu", "s012345", "Zoë 日本", "O'Neil, J."]
)
def test_the_ids_of_platforms_stay_in_a_table(student):
    assert cell(student) == inert(student) == student

"""The class report and the feedback files: what they say, that they are inert, that no name escapes."""

import base64
import hashlib
import importlib.util
import json
import os
import re
import stat
from html.parser import HTMLParser

import pytest
from classroom import HOSTILE, MADE, MISTAKES, fill, graded, hostile, student
from click.testing import CliRunner
from judging import ASSIGNMENT, COURSE, NAME, ROOT
from markdown_it import MarkdownIt

from autograder.cli.main import group
from autograder.grade.model import DETAILS
from autograder.gradebook import Gradebook
from autograder.reports.anonymise import Pseudonyms
from autograder.reports.feedback import Feedback, fenced
from autograder.reports.inert import inert
from autograder.submission import SubmissionError

SEEDS = [spec.hidden_seed for spec in ASSIGNMENT.checks.present.values() if hasattr(spec, "hidden_seed")]
PLOTLY = importlib.util.find_spec("plotly") is not None
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


def report(out, *arguments):
    command = ["report", "--out", str(out), "--course", str(ROOT / "grading.toml"), *map(str, arguments)]
    done = CliRunner().invoke(group, command, standalone_mode=False, catch_exceptions=False)
    return done.output


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


def test_feedback_of_a_perfect_layer_has_no_pictures(tmp_path):
    grade, source = student(0, "ada", "")
    Feedback(ASSIGNMENT, "hints", tmp_path).write(grade, source.where)
    text = (tmp_path / "ada.md").read_text(encoding="utf-8")
    assert text.startswith("# A self-attention layer: 100 of 100\n\nada\n")
    assert "expected" not in text


# ---- pseudonyms ----


def named_in(diagnosis, name):
    """A diagnosis that quotes the student: in its sentence, and in its line."""
    [line] = diagnosis.lines
    told = f"{line.text}  # {name}"
    sentence = f"{diagnosis.sentence.replace(line.text, told)}\nNext: see {name.upper()}"
    lines = (line.model_copy(update={"text": told}),)
    return diagnosis.model_copy(update={"sentence": sentence, "lines": lines})


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Three students who write their names into their files."""
    folder = tmp_path_factory.mktemp("named")
    with Gradebook(folder / "gradebook.db") as book:
        for number, name in enumerate(("lovelace_ada", "Hopper Grace", "curie-marie")):
            grade, source = student(number, name, MADE[1])
            code = source.chunks[0].replace(
                b"dscores", f"d{name.split('_')[0].split(' ')[0].split('-')[0]}".encode()
            )
            code = code.replace(b"\n", f"  # by {name}\n".encode())
            digest = hashlib.sha256(code).hexdigest()
            digests = grade.digests.model_copy(update={"submission": digest})
            kept = source.__class__((code,), "py", digest)
            checks = tuple(
                check.model_copy(update={"diagnosis": check.diagnosis and named_in(check.diagnosis, name)})
                for check in grade.checks
            )
            book.put(grade.model_copy(update={"digests": digests, "checks": checks}), "", kept)
    return folder


NAMES = re.compile("lovelace|hopper|grace|curie|marie", re.IGNORECASE)


def anonymous(folder):
    html = ("--html", folder / "class.html") if PLOTLY else ()
    report(folder, "--anonymise", "--feedback", folder / "feedback", *html)
    views = [
        report(folder, "--anonymise", *view)
        for view in ((), ("--check", "gradcheck"), ("--check", "forward"))
    ]
    written = [p for p in folder.rglob("*") if p.suffix in (".html", ".md")]
    pages = [p.read_text(encoding="utf-8") for p in written]
    return sorted(p.name for p in written), [p.split('id="library">')[0] for p in pages] + views


def test_no_name_is_in_any_report_and_pseudonyms_stay(named):
    files, texts = anonymous(named)
    assert not [text for text in texts if NAMES.search(text)]
    assert anonymous(named) == (files, texts)
    mapping = json.loads((named / "pseudonyms.json").read_text(encoding="utf-8"))
    assert sorted(mapping["students"].values()) == ["Hopper Grace", "curie-marie", "lovelace_ada"]
    assert {f"{pseudonym}.md" for pseudonym in mapping["students"]} <= set(files)
    if os.name == "posix":
        assert stat.S_IMODE((named / "pseudonyms.json").stat().st_mode) == 0o600


def test_one_student_is_found_by_either_name(named):
    anonymous(named)
    [pseudonym] = [
        p for p, s in json.loads((named / "pseudonyms.json").read_text())["students"].items() if "ada" in s
    ]
    by_name, by_pseudonym = (
        report(named, "--anonymise", "--student", s) for s in ("lovelace_ada", pseudonym)
    )
    assert by_name == by_pseudonym and pseudonym in by_name and not NAMES.search(by_name)


def test_without_the_file_pseudonyms_are_others(tmp_path):
    one, other = Pseudonyms(tmp_path / "one.json"), Pseudonyms(tmp_path / "other.json")
    assert one.name("ada") != other.name("ada")
    one.save()
    assert Pseudonyms(tmp_path / "one.json").name("ada") == one.name("ada")


def test_two_students_never_share_a_pseudonym(tmp_path):
    """20,000 students: six hexadecimal digits would repeat about twelve times."""
    names = Pseudonyms(tmp_path / "p.json")
    assert len({names.name(f"s{i}") for i in range(20000)}) == 20000


def test_a_damaged_mapping_is_one_sentence_and_is_not_replaced(tmp_path):
    (tmp_path / "p.json").write_text("{", encoding="utf-8")
    with pytest.raises(SubmissionError, match=r"p\.json: cannot be read as a mapping of pseudonyms"):
        Pseudonyms(tmp_path / "p.json")
    assert (tmp_path / "p.json").read_text() == "{"


def test_the_policy_is_the_courses():
    assert COURSE.diagnosis.detail in DETAILS and NAME in COURSE.assignments

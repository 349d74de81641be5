"""The report of 1,000 students and the feedback files in a real Chromium: `make browser`.

Zero complaints of the console, zero requests beside the file, no serious accessibility fault (axe-core).
"""

import importlib.util
import statistics
from pathlib import Path

import pytest
from chromium import WHERE, chromium
from classroom import HOSTILE, MADE, fill
from click.testing import CliRunner
from judging import ROOT
from markdown_it import MarkdownIt

from autograder.cli.main import group
from autograder.reports.inert import inert

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not WHERE, reason="Chromium is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("playwright") is None, reason="playwright is not installed"),
]
COUNT = 1000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    fill(folder / "gradebook.db", COUNT)
    command = ["report", "--out", folder, "--course", ROOT / "grading.toml"]
    for files in (["--html", folder / "class.html"], ["--feedback", folder / "feedback"]):
        done = CliRunner().invoke(group, [str(word) for word in (*command, *files)])
        assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="module", params=["light", "dark"])
def browser(request):
    with chromium(color_scheme=request.param) as new:
        yield new


@pytest.fixture
def report(browser, folder):
    watched = browser()
    watched.open(folder / "class.html")
    yield watched
    assert watched.complaints == [] and watched.dialogs == []
    assert {url.split("#")[0] for url in watched.requests} == {(folder / "class.html").as_uri()}
    watched.page.close()


def rows(page):
    return page.locator("#table tbody tr")


def first(page):
    return rows(page).first.locator("th").inner_text()


def test_a_thousand_students_open_within_two_seconds(report, folder):
    took = "performance.timing.loadEventEnd - performance.timing.navigationStart"
    times = []
    for _ in range(3):
        report.open(folder / "class.html")
        times.append(report.page.evaluate(took))
    print(f"load: median {statistics.median(times)} ms of {times}")
    assert statistics.median(times) < 2000
    assert rows(report.page).count() == COUNT


def test_search_finds_names_mistakes_flags_and_verdicts(report):
    page = report.page
    for wanted, least, most in (
        ("student_0123", 1, 1),
        (MADE[2], 100, 140),
        ("review", 15, 20),
        ("no such", 0, 0),
    ):
        page.fill("#search", wanted)
        count = rows(page).count()
        assert least <= count <= most, (wanted, count)
        assert page.locator("#found").inner_text() == f"{count} of {COUNT} students"
    page.fill("#search", "")
    assert rows(page).count() == COUNT


def test_a_cause_leads_to_its_students(report):
    page = report.page
    button = page.locator("button.find").first
    count = int(button.inner_text())
    button.click()
    assert rows(page).count() == count > 100


def test_sorting_by_score_and_by_name_and_back(report):
    page, scores = report.page, []
    page.get_by_role("button", name="Score").click()
    scores = [float(text) for text in page.locator("#table td.number").all_inner_texts()]
    assert scores == sorted(scores, reverse=True) and scores[0] == 100
    page.get_by_role("button", name="Score").click()
    scores = [float(text) for text in page.locator("#table td.number").all_inner_texts()]
    assert scores == sorted(scores)
    assert page.locator("th[aria-sort]").all_inner_texts() == ["Score"]
    page.get_by_role("button", name="Flags").click()
    assert rows(page).first.locator("td").last.inner_text() != ""
    page.get_by_role("button", name="Student").click()
    assert first(page).startswith("0 ")


def test_a_student_by_click_and_back(report):
    page = report.page
    page.fill("#search", "student_0017")
    page.get_by_role("link", name="student_0017").last.click()
    page.wait_for_selector("#student h1")
    assert page.locator("#student h1").inner_text().startswith("student_0017: ")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.locator("#class").is_hidden()
    assert page.locator("#student pre .hit").count() == 1
    assert MADE[17 % len(MADE)] in page.locator("#student").inner_text()
    page.go_back()
    page.wait_for_selector("#class:not([hidden])")
    assert page.locator("#student").is_hidden()


def test_pictures_of_a_student(report):
    page = report.page
    page.evaluate("location.hash = '#student-17'")
    page.wait_for_selector("#student .js-plotly-plot")
    labels = page.locator("#student [role=img]").evaluate_all("found => found.map(e => e.ariaLabel)")
    assert any(label.startswith("A: theirs, expected and the difference.") for label in labels)
    assert any(label.startswith("Loss over 10 steps: theirs ends at ") for label in labels)
    drawn = page.locator("#student .js-plotly-plot").count()
    assert drawn == len(labels) >= 2


def test_the_keyboard_reaches_everything(report):
    page = report.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the students"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("student_0100")
    for _ in range(3 + 9):  # the table's region, then its column heads, then the one row
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "student_0100":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#student h1")
    assert "student_0100" in page.locator("#student h1").inner_text()


@pytest.mark.parametrize("at", [None, 17, 0])
def test_axe_finds_no_serious_fault(report, at):
    from axe_playwright_python.sync_playwright import Axe

    page = report.page
    if at is not None:
        page.evaluate(f"location.hash = '#student-{at}'")
        page.wait_for_selector("#student h1")
    else:  # the same elements, fewer rows: axe looks at each
        page.fill("#search", "student_012")
        page.evaluate("document.querySelectorAll('details').forEach(found => found.open = true)")
    found = Axe().run(page).response["violations"]
    faults = [(v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in found]
    assert [fault for fault in faults if fault[1] in ("serious", "critical")] == []
    print(f"axe: {faults}")


def test_what_students_wrote_is_text(report):
    page = report.page
    names = page.locator("#table tbody th").all_inner_texts()
    page.get_by_role("button", name="Student").click()
    wanted = {" ".join(inert(f"{number} {text}").split()) for number, text in enumerate(HOSTILE)}
    assert wanted <= {" ".join(name.split()) for name in names}
    seen = set()
    for at in range(len(HOSTILE)):  # their names begin with a number: the first in the order of ids
        page.evaluate(f"location.hash = '#student-{at}'")
        page.locator(f"#student[data-at='{at}']").wait_for()
        seen.add(" ".join(page.locator("#student h1 bdi").inner_text().split()))
        assert page.locator("#student :is(img, script, iframe, object, form)").count() == 0
    assert seen == wanted


def test_the_policy_of_the_file_stops_scripts_and_requests(browser, folder):
    """So a name that got past every escape would still do nothing."""
    watched = browser()
    page = watched.open(folder / "class.html")
    page.evaluate(
        """() => {
          const [script, image, division] = ["script", "img", "div"].map((t) => document.createElement(t));
          script.textContent = "window.hit = 1";
          image.src = "http://127.0.0.1:9/x.png";
          division.innerHTML = '<img src="data:," onerror="window.hit = 2">';
          document.body.append(script, image, division);
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.hit") is None
    assert watched.refused == {"http://127.0.0.1:9/x.png": "csp"}  # asked for, and not sent
    assert len(watched.complaints) >= 3  # and this is how a complaint would be seen


def test_printed_it_has_no_search_box(report):
    page = report.page
    page.emulate_media(media="print")
    assert page.locator("#search").is_hidden() and page.locator("#table").is_visible()
    page.evaluate("location.hash = '#student-17'")
    page.wait_for_selector("#student h1")
    assert page.locator("#student nav").is_hidden()
    assert page.pdf()[:5] == b"%PDF-"
    page.emulate_media(media="screen")


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_feedback_of_a_hostile_name_opens_and_does_nothing(browser, folder, number):
    [path] = [p for p in (folder / "feedback").glob(f"{number} *.html") if p.is_file()]
    watched = browser()
    page = watched.open(path)
    assert page.locator("h1").inner_text().startswith("A self-attention layer: ")
    assert " ".join(page.locator("bdi").inner_text().split()) == " ".join(
        inert(f"{number} {HOSTILE[number]}").split()
    )
    assert (watched.complaints, watched.dialogs, len(watched.requests)) == ([], [], 1)
    page.close()


def test_axe_finds_no_serious_fault_in_feedback(browser, folder):
    from axe_playwright_python.sync_playwright import Axe

    watched = browser()
    page = watched.open(folder / "feedback" / "student_0017.html")
    found = Axe().run(page).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
    page.close()


def test_hostile_markdown_rendered_with_html_allowed_does_nothing(browser, folder):
    reader = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table")
    for path in sorted((folder / "feedback").glob("[0-9]*.md")):
        watched = browser()
        watched.page.set_content(reader.render(Path(path).read_text(encoding="utf-8")))
        assert watched.page.locator("h1").count() == 1
        assert watched.page.locator("script, img, iframe, a").count() == 0
        assert (watched.complaints, watched.dialogs, watched.requests) == ([], [], [])
        watched.page.close()

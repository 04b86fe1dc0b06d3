"""The page of a class is complete, loads nothing, and shows foreign text as text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kit.report_samples import HOSTILE, SEED, class_of, hostile_report, marks, report, row
from scaffold.classroom.model import ClassReport, Item, LabResult
from scaffold.classroom.report import charts
from scaffold.classroom.report.page import page
from scaffold.classroom.report.safe import line, stem

CHROMIUM = "/usr/bin/chromium"


class Seen(HTMLParser):
    """What is in a page: tags and attributes, the cells of the table of students, and what stands in scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.blocks: dict[str, list[str]] = {"style": [], "script": [], "title": []}
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "tr" and "data-student" in dict(attrs):
            self.rows.append([])
        elif tag in {"td", "th"} and self.rows:
            self.rows[-1].append("")
        elif tag in self.blocks:
            self.blocks[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside in self.blocks:
            self.blocks[self._inside][-1] += data
        elif self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    @property
    def details(self) -> Any:
        return json.loads(self.blocks["script"][0])


@pytest.fixture(scope="module")
def hostile() -> Seen:
    return Seen(page(replace(hostile_report(), title=HOSTILE["a script's end"], seed=HOSTILE["HTML"])))


def test_foreign_text_adds_no_tag_and_no_attribute(hostile: Seen) -> None:
    plain = Seen(page(report(*(row(str(number)) for number in range(len(HOSTILE))))))

    assert {tag for tag, _ in hostile.tags} == {tag for tag, _ in plain.tags}
    assert sum(tag == "script" for tag, _ in hostile.tags) == 2
    assert [name for _, attributes in hostile.tags for name in attributes if name.startswith(("on", "style"))] == []
    assert hostile.blocks["title"][0] == HOSTILE["a script's end"] + ": class report"


def test_what_went_in_comes_back(hostile: Seen) -> None:
    ids = list(HOSTILE.values())

    assert [cells[1] for cells in hostile.rows] == [line(text, 200) for text in ids]
    students = hostile.details["students"]
    assert list(students) == sorted(stem(text) for text in ids)
    assert {name: each["id"] for name, each in students.items()} == {stem(text): line(text, 200) for text in ids}


def test_the_details_have_the_witnesses_and_the_differences() -> None:
    items = [
        Item("test_a_b", "checkpoint", "passed", "failed", "", "call 3 differs"),
        Item("test_c", "python", "not run", "not run"),
        Item("test_d", "bonus", "passed", "passed", "", "nobody needs this"),
    ]
    details = Seen(page(report(row("ada", labs=[LabResult("10.1", "timed out", "time was up", items)])))).details

    [[lab, status, reason, found]] = details["students"]["ada"]["labs"]
    texts = details["texts"]
    assert (lab, status, texts[reason]) == ("10.1", "timed out", "time was up")
    assert details["items"] == [["a b", "checkpoint"], ["c", "python"], ["d", "bonus"]]
    assert [each[:3] for each in found] == [[0, 1, 0], [1, -1, -1], [2, 1, 1]]
    assert [texts[number] for number in found[0][3:]] == ["", "call 3 differs"]
    assert "nobody needs this" not in texts


def test_the_page_loads_nothing_and_allows_only_its_own_script(hostile: Seen) -> None:
    loaded = [each for _, attributes in hostile.tags for name, each in attributes.items() if name in {"src", "data"}]
    linked = [attributes["href"] or "" for _, attributes in hostile.tags if "href" in attributes]
    assert loaded == []
    assert [each for each in linked if not each.startswith(("#student-", "data:,"))] == []

    [policy] = [each["content"] or "" for tag, each in hostile.tags if tag == "meta" and "http-equiv" in each]
    style, script = hostile.blocks["style"][0], hostile.blocks["script"][1]
    assert policy.startswith("default-src 'none'; ")
    assert re.findall("'(sha256-[^']*)'", policy) == [sha256(style), sha256(script)]
    assert "unsafe" not in policy
    assert re.findall(r"@import|url\(|https?:", style + script) == []
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script) == []


def sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


SANDBOXES = {
    "named": ("Landlock 7 and namespaces", False),
    "with a no in it": ("bubblewrap, no network", False),
    "none": ("none", True),
    "no sandbox": ("no sandbox (--no-sandbox)", True),
    "without": ("WITHOUT a sandbox", True),
    "empty": ("", True),
    "blank": ("  ", True),
}


@pytest.mark.parametrize(("sandbox", "loud"), SANDBOXES.values(), ids=SANDBOXES)
def test_a_run_without_a_sandbox_is_said_aloud(sandbox: str, loud: bool) -> None:
    text = page(replace(report(row("ada")), sandbox=sandbox))
    assert ('role="alert"' in text) == loud
    assert SEED in text


def test_a_thousand_students_are_a_page_of_a_few_megabytes() -> None:
    text = page(class_of(1_000))
    assert len(text.encode("utf-8")) < 4_000_000
    assert len(Seen(text).rows) == 1_000


def test_bars_and_rates_are_of_those_who_handed_something_in() -> None:
    [first, *_] = report().checkpoints
    right, wrong = (
        [LabResult("10.1", "graded", "", [Item(first[1], "checkpoint", "passed", exam)])]
        for exam in ("passed", "failed")
    )
    points = {"a": 23, "b": 22.9, "c": 2.3, "d": 0}
    rows = [row(each, "graded", points[each], wrong if each == "d" else right) for each in points]
    whole = report(*rows, row("e", "missing"))

    assert [bar.students for bar in charts.distribution(whole)] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (charts.rates(whole)[0].right, charts.rates(whole)[0].students) == (3, 4)
    summary = charts.summary(whole)
    assert (summary.students, summary.handed_in, summary.full, summary.to_look_at) == (5, 4, 1, 1)
    assert (summary.median, summary.mean, summary.maximum) == ("12.6", "12.05", "23")


NOBODY = {
    "no students": report(),
    "nobody handed in": report(row("ada", "missing")),
    "no points to be had": report(replace(row("ada"), marks=marks(0, 0))),
}


@pytest.mark.parametrize("empty", NOBODY.values(), ids=NOBODY)
def test_a_class_with_nothing_to_draw_has_a_page(empty: ClassReport) -> None:
    assert charts.distribution(empty)[9].students == 0
    assert len(Seen(page(empty)).rows) == len(empty.rows)


@pytest.fixture
def browser_page(tmp_path: Path) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: the extra [browser]")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        opened.requests, opened.errors = [], []
        opened.on("request", lambda request: opened.requests.append(request.url))
        opened.on("console", lambda message: opened.errors.append(message.text))
        opened.on("pageerror", lambda error: opened.errors.append(str(error)))
        opened.on("dialog", lambda dialog: (opened.errors.append(dialog.message), dialog.dismiss()))
        rows = (*class_of(60).rows, *hostile_report().rows)
        path = tmp_path / "index.html"
        path.write_text(page(replace(class_of(0), rows=rows)), "utf-8")
        opened.goto(path.as_uri())
        yield opened
        assert opened.errors == []
        assert opened.requests == [path.as_uri()]
        browser.close()


@pytest.mark.timeout(120)
def test_the_table_is_sorted_and_filtered_by_keyboard(browser_page: Any) -> None:
    heading = browser_page.get_by_role("columnheader", name="points")
    heading.get_by_role("button").focus()
    browser_page.keyboard.press("Enter")
    points = [float(each) for each in browser_page.locator(".students td:nth-child(4)").all_text_contents()]
    assert (heading.get_attribute("aria-sort"), points) == ("descending", sorted(points, reverse=True))
    browser_page.keyboard.press("Space")
    points = [float(each) for each in browser_page.locator(".students td:nth-child(4)").all_text_contents()]
    assert (heading.get_attribute("aria-sort"), points) == ("ascending", sorted(points))
    browser_page.get_by_role("columnheader", name="student").get_by_role("button").click()
    assert browser_page.locator("[aria-sort]").all_text_contents() == ["student"]

    browser_page.fill("#text", "ADA lovelace")
    shown = browser_page.locator(".students tbody tr:visible a").all_text_contents()
    assert shown
    assert all("Ada Lovelace" in name for name in shown)
    assert browser_page.text_content("#shown") == f"{len(shown)} of {60 + len(HOSTILE)}"

    browser_page.fill("#text", "")
    browser_page.select_option("#status", "missing")
    assert set(browser_page.locator(".students tbody tr:visible .status").all_text_contents()) == {"missing"}
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= 1280


OPEN_EACH = """async (links) => {
  const headings = [];
  for (const link of links) {
    const changed = new Promise((done) => window.addEventListener("hashchange", done, { once: true }));
    location.hash = link;
    await changed;
    headings.push(document.querySelector("#student h2").textContent);
  }
  return headings;
}"""


@pytest.mark.timeout(120)
def test_each_student_opens_by_the_link_and_foreign_text_stays_text(browser_page: Any) -> None:
    links = [f"#student-{stem(text)}" for text in HOSTILE.values()]
    headings = browser_page.evaluate(OPEN_EACH, links)
    assert headings == [line(text.strip(), 200) or "(no name)" for text in HOSTILE.values()]

    browser_page.keyboard.press("Escape")
    browser_page.locator("#class").wait_for()
    assert browser_page.evaluate("[document.scripts.length, document.images.length]") == [2, 0]

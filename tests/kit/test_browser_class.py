"""What an instructor does with the pages of a class in a real browser: sort, filter, open a student, look at a pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip(
    "playwright", reason="the package playwright is not installed: python -m pip install -e '.[dev,browser]'"
)
from playwright.sync_api import Browser, Page, expect

from kit.browser import HEIGHT, IN_A_BROWSER, WIDTH, page_of, screenshot
from kit.copies import solution_of
from kit.disguises import DISGUISES
from kit.report_samples import HOSTILE, class_of, hostile_report, hostile_similarity
from scaffold.classroom.model import ClassReport, Similarity
from scaffold.classroom.report import write_reports
from scaffold.classroom.report.safe import line, stem
from scaffold.classroom.similarity import similar_pairs
from scaffold.course import LABS
from scaffold.stubs import fresh_stub

pytestmark = IN_A_BROWSER

NARROW = 800
LONG_NAME = "Karl-Theodor Maria Nikolaus Johann Jacob Philipp Franz Joseph " * 3
ROWS = ".students tbody tr:visible"
PAIRS = ".pairs tbody tr:visible"
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


def copies() -> Similarity:
    """Return who is alike among students of whom some have copied from one another, and one from the reference."""
    solutions = {lab.number: solution_of(lab) for lab in LABS}
    files = {
        student: {number: DISGUISES[disguise](text).encode() for number, text in solutions.items()}
        for student, disguise in (("s0003", "unchanged"), ("s0005", "renamed"), ("s0007", "all of it"))
    }
    return similar_pairs(files, {lab.number: fresh_stub(lab) for lab in LABS}, solutions, at_least=0.6)


@pytest.fixture(scope="module")
def report() -> ClassReport:
    """A class of sixty, one of whom has a long name and a long id, with pairs."""
    whole = class_of(60)
    first, *others = whole.rows
    named = replace(first, student=replace(first.student, name=LONG_NAME, id="s0000" + "x" * 90))
    return replace(whole, rows=[named, *others], similar=copies())


@pytest.fixture(scope="module")
def folder(report: ClassReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_reports(report, folder)
    return folder


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    """The page of the class, opened from its file. Nothing but files of the report may be asked for."""
    with page_of(browser, allowed=folder.as_uri()) as page:
        page.goto((folder / "index.html").as_uri())
        yield page


def column(page: Page, title: str) -> list[str]:
    """Return what a column of the students that are shown is sorted by, from above."""
    place = page.locator(".students thead th").all_text_contents().index(title) + 1
    cells = page.locator(f"{ROWS} > :nth-child({place})")
    found: list[str] = cells.evaluate_all("cells => cells.map(cell => cell.dataset.value ?? cell.textContent)")
    return found


@pytest.mark.parametrize("title", ["points", "10.1", "10.7", "to look at", "problems"])
def test_numbers_are_sorted_by_keyboard_the_highest_first(page: Page, title: str) -> None:
    heading = page.get_by_role("columnheader", name=title, exact=True)
    heading.get_by_role("button").focus()

    page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    downwards = [float(value) for value in column(page, title)]
    page.keyboard.press("Space")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    upwards = [float(value) for value in column(page, title)]

    assert downwards == sorted(upwards, reverse=True)
    assert upwards == sorted(upwards)
    assert len(set(upwards)) > 1
    expect(heading.get_by_role("button")).to_be_focused()


@pytest.mark.parametrize("title", ["student", "id", "status"])
def test_words_are_sorted_from_the_first_letter_on(page: Page, title: str) -> None:
    page.get_by_role("columnheader", name="points").get_by_role("button").click()
    page.get_by_role("columnheader", name=title, exact=True).get_by_role("button").click()

    latin = [value for value in column(page, title) if value.isascii()]
    assert [value.partition(" ")[0] for value in latin] == sorted(value.partition(" ")[0] for value in latin)
    assert page.locator(".students [aria-sort]").all_text_contents() == [title]


def test_students_are_filtered(page: Page) -> None:
    shown = page.locator("#shown")
    expect(shown).to_have_text("60 of 60 students")

    page.get_by_label("Find").fill("ADA lovelace")
    names = page.locator(f"{ROWS} a").all_text_contents()
    assert 0 < len(names) < 60
    assert [name for name in names if "Ada Lovelace" not in name] == []
    expect(shown).to_have_text(f"{len(names)} of 60 students")

    page.get_by_label("Find").fill("")
    page.get_by_label("Status").select_option("missing")
    assert set(column(page, "status")) == {"missing"}
    page.get_by_label("Status").select_option("")
    page.get_by_label("only those to look at").check()
    assert "0" not in column(page, "to look at")


def test_a_filter_that_fits_nobody_says_so_and_is_taken_back(page: Page) -> None:
    page.get_by_label("Find").fill("no such person")
    expect(page.get_by_text("No student is like that.")).to_be_visible()
    expect(page.locator("#shown")).to_have_text("0 of 60 students")
    page.screenshot(path=screenshot("class-nobody"))

    page.get_by_role("button", name="Show all").click()
    expect(page.locator(ROWS)).to_have_count(60)
    expect(page.get_by_text("No student is like that.")).to_be_hidden()
    expect(page.get_by_label("Find")).to_be_focused()


def test_a_student_is_opened_by_the_link_and_left_again(page: Page) -> None:
    page.get_by_role("columnheader", name="points").get_by_role("button").click()
    link = page.locator(f"{ROWS} a").nth(9)
    name = link.text_content() or ""
    link.focus()
    page.keyboard.press("Enter")

    heading = page.get_by_role("heading", name=name, exact=True)
    expect(heading).to_be_focused()
    expect(page.get_by_role("heading", name="Lab 10.1")).to_be_visible()
    expect(page.locator(".students")).to_be_hidden()
    page.screenshot(path=screenshot("class-student"), full_page=True)

    page.go_back()
    expect(link).to_be_focused()
    expect(page.locator(ROWS)).to_have_count(60)
    page.go_forward()
    expect(heading).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".students")).to_be_visible()


def test_the_similar_submissions_are_opened_from_the_class(page: Page, report: ClassReport) -> None:
    page.get_by_role("link", name="pairs of similar submissions").click()
    expect(page.get_by_role("heading", name="Similar submissions")).to_be_visible()
    expect(page.locator(PAIRS)).to_have_count(len(report.similar.pairs))

    page.get_by_role("columnheader", name="longest").get_by_role("button").press("Enter")
    longest = page.locator(f"{PAIRS} > :last-child").evaluate_all("cells => cells.map(cell => +cell.dataset.value)")
    assert longest == sorted(longest, reverse=True)
    page.get_by_label("without the reference").check()
    page.locator("#lab").select_option("10.4")
    expect(page.locator("#shown")).to_have_text(f"3 of {len(report.similar.pairs)} pairs")
    expect(page.locator(".pair:visible")).to_have_count(3)

    page.get_by_label("Find").fill("no such person")
    expect(page.get_by_text("No pair is like that.")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(PAIRS)).to_have_count(len(report.similar.pairs))

    page.locator(f"{PAIRS} th a").nth(4).press("Enter")
    opened = page.locator(".pair:target")
    expect(opened.get_by_role("heading", level=3)).to_be_focused()
    expect(opened.locator("mark").first).to_be_in_viewport()
    left, right = (opened.locator(".passage").first.locator("pre").nth(side).bounding_box() for side in (0, 1))
    assert left is not None
    assert right is not None
    assert (left["y"], left["x"] + left["width"] < right["x"]) == (right["y"], True)
    page.screenshot(path=screenshot("similarity-pair"))


def test_the_pairs_of_one_student_are_opened_from_that_student(page: Page, report: ClassReport) -> None:
    page.goto(f"{page.url}#student-s0005")
    page.get_by_role("link", name="Look at similar code").click()

    own = [pair for pair in report.similar.pairs if "s0005" in {pair.first, pair.second}]
    expect(page.locator(PAIRS)).to_have_count(len(own))
    expect(page.get_by_text("These are the pairs of one student.")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(PAIRS)).to_have_count(len(report.similar.pairs))

    page.locator(PAIRS).filter(has_text="s0005").first.get_by_role("link").filter(has_text="s0005").click()
    expect(page.locator("#student h2")).to_be_focused()


@pytest.mark.parametrize("name", ["index", "similarity"])
def test_no_page_is_wider_than_its_window_or_the_paper(page: Page, folder: Path, name: str) -> None:
    page.goto((folder / f"{name}.html").as_uri())
    for width in (WIDTH, NARROW):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=screenshot(f"class-{name}-{width}-{scheme}"), full_page=name == "index")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(media="print", color_scheme="light")
    page.set_viewport_size({"width": 718, "height": HEIGHT})  # what A4 leaves between its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    expect(page.get_by_label("Find")).to_be_hidden()


@pytest.mark.parametrize(("name", "rows"), [("index", ".students"), ("similarity", ".pairs")])
def test_without_javascript_there_are_the_rows_and_no_dead_buttons(
    browser: Browser, folder: Path, name: str, rows: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / f"{name}.html").as_uri())

    expect(page.locator(f"{rows} tbody tr").first).to_be_visible()
    expect(page.locator("noscript p")).to_contain_text("Without JavaScript, the table can't be sorted")
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("textbox")).to_have_count(0)
    context.close()


def test_foreign_text_stays_text(browser: Browser, tmp_path: Path) -> None:
    write_reports(replace(hostile_report(), similar=hostile_similarity()), tmp_path)
    with page_of(browser, allowed=tmp_path.as_uri()) as page:
        page.goto((tmp_path / "index.html").as_uri())
        headings = page.evaluate(OPEN_EACH, [f"#student-{stem(text)}" for text in HOSTILE.values()])
        assert headings == [line(text.strip(), 200) or "(no name)" for text in HOSTILE.values()]
        assert page.evaluate("[document.scripts.length, document.images.length]") == [2, 0]

        page.goto((tmp_path / "similarity.html").as_uri())
        expect(page.locator(PAIRS)).to_have_count(len(HOSTILE))
        assert page.evaluate("[document.scripts.length, document.images.length]") == [1, 0]
        page.screenshot(path=screenshot("similarity-hostile"), full_page=True)
        for lab in page.locator("#lab option").evaluate_all("options => options.map(each => each.value)"):
            page.locator("#lab").select_option(lab)
            assert page.locator(PAIRS).count() > 0

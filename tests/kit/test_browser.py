"""The notebooks in a real browser: JupyterLab is started as a user does, and its pages are clicked and typed into.

Screenshots are written into the folder that SESSION_TREE_SCREENSHOTS names, or else into `session-tree-screenshots` in
the system's folder for temporary files: each lab as it opens, and the whole notebook in slices, light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

pytest.importorskip(
    "playwright", reason="the package playwright is not installed: python -m pip install -e '.[dev,browser]'"
)
from playwright.sync_api import Browser, expect

from kit.browser import ERROR, IN_A_BROWSER, PICTURE, NotebookPage, Scheme, Words, opened, words_of, words_on
from kit.copies import Course, copy_of_the_course
from kit.jupyterlab import JupyterLab, changed_files
from scaffold.breakages import breakages_of
from scaffold.course import LABS, Lab
from scaffold.given.samples import retry_session
from scaffold.notebook import TreeExplorer
from scaffold.notebook.jupyter_settings import notebook_of

pytestmark = IN_A_BROWSER


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_of_the_course(tmp_path_factory.mktemp("browser") / "course")


@pytest.fixture(scope="module", params=LABS, ids=lambda lab: lab.number)
def walkthrough(browser: Browser, server: JupyterLab, request: pytest.FixtureRequest) -> Iterator[NotebookPage]:
    """The notebook of a lab after Run All; that of lab 10.1 beside the lab's text and tests, at the printed address."""
    lab: Lab = request.param
    with opened(browser, server, notebook_of(lab), address=server.address if lab == LABS[0] else "") as notebook:
        notebook.run_all()
        yield notebook


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Lab:
    """The lab of the walkthrough."""
    lab: Lab = request.node.callspec.params["walkthrough"]
    return lab


def test_run_all_gives_what_is_saved(walkthrough: NotebookPage) -> None:
    expect(walkthrough.page.locator(ERROR)).to_have_count(0)
    assert walkthrough.texts() == walkthrough.saved_texts()


def test_each_display_is_live_and_shows_the_saved_picture(walkthrough: NotebookPage) -> None:
    displays = walkthrough.displays()

    assert displays != []
    for cell, saved in displays:
        picture = cell.locator(PICTURE)
        expect(picture).to_have_count(1)
        assert words_on(picture) == words_of(saved)


# Not the first: beside text and tests there is less room than a picture needs.
@pytest.mark.parametrize("walkthrough", LABS[1:], indirect=True, ids=lambda lab: lab.number)
def test_nothing_on_a_page_is_wider_than_its_place(walkthrough: NotebookPage) -> None:
    assert walkthrough.too_wide() == []


@pytest.mark.parametrize("walkthrough", LABS[:1], indirect=True, ids=lambda lab: lab.number)
def test_beside_text_and_tests_drawings_keep_their_lines_and_words_their_letters(walkthrough: NotebookPage) -> None:
    drawing = walkthrough.page.locator(".jp-Notebook .jp-RenderedMarkdown pre").first
    expect(drawing).to_have_css("white-space", "pre")
    expect(drawing).to_have_css("margin-left", "0px")
    expect(walkthrough.page.locator(".jp-OutputArea-output pre").first).to_have_css("word-break", "normal")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_notebook_can_be_looked_at(walkthrough: NotebookPage, lab: Lab, scheme: Scheme) -> None:
    walkthrough.photograph(lab.folder, scheme)


def test_another_breakage_turns_its_own_tests_red(walkthrough: NotebookPage, lab: Lab) -> None:
    box = walkthrough.page.locator(".session-tree-break-it").last
    shown = box.locator("select").input_value()
    other = next(each for each in breakages_of(lab) if not each.hangs and each.name != shown)

    box.locator("select").select_option(other.name)
    box.get_by_role("button", name="Break it").click()

    expect(box.locator(f"{PICTURE} > title")).to_have_text(other.name)
    expect(box.get_by_role("button", name="Break it")).to_be_enabled()
    words = " ".join(text.strip() for text, _ in words_on(box.locator(PICTURE)))
    assert words.startswith(f"{lab.number} {other.name}: ")
    assert set(re.findall(r"test_\w+", words.partition("red: ")[2])) >= set(other.red)


def chosen_in(explorer: NotebookPage) -> tuple[str, Words]:
    """Return what an explorer shows of the choice: the place line, and the words of its picture."""
    box = explorer.page.locator(".session-tree-explorer")
    return str(box.locator("p > b").first.text_content()), words_on(box.locator(PICTURE))


def faces_of(leaf: str) -> tuple[str, Words]:
    """Return the same, of an explorer in which a leaf is chosen by a call."""
    explorer = TreeExplorer(retry_session())
    explorer.choose(leaf)
    return explorer.text().split("\n")[0], words_of(explorer.svg())


@pytest.mark.parametrize("walkthrough", LABS[:1], indirect=True, ids=lambda lab: lab.number)
def test_a_leaf_is_chosen_by_mouse(walkthrough: NotebookPage) -> None:
    box = walkthrough.page.locator(".session-tree-explorer")
    assert chosen_in(walkthrough) == faces_of("answer")

    for leaf in ("ask2", "answer"):
        box.locator("option", has_text=f"{leaf}\xa0").click()
        expect(box.locator("p > b").first).to_contain_text(f"{leaf}: number")
        assert chosen_in(walkthrough) == faces_of(leaf)


# Those with an explorer of more than one leaf.
@pytest.mark.parametrize("walkthrough", [LABS[0], LABS[5]], indirect=True, ids=lambda lab: lab.number)
def test_a_leaf_is_chosen_by_keyboard_and_the_notebook_stays_as_it_is(walkthrough: NotebookPage) -> None:
    box, press = walkthrough.page.locator(".session-tree-explorer"), walkthrough.page.keyboard.press
    place, cells = box.locator("p > b").first, walkthrough.page.locator(".jp-Notebook .jp-Cell")
    first, last = (words.split()[0] for words in box.locator("option").all_text_contents())
    size = cells.count()

    box.get_by_placeholder("find an id or a word").click()
    press("Tab")
    expect(box.locator("select")).to_be_focused()
    press("Home")
    expect(place).to_contain_text(f"{first}: ")
    for key, leaf in [("End", last), ("ArrowUp", first), ("ArrowDown", last), ("x", last), ("Home", first)]:
        press(key)  # JupyterLab would leave the list at an arrow, and cut the cell at an x
        expect(place).to_contain_text(f"{leaf}: ")
        place_line, words = chosen_in(walkthrough)
        bold = [text for text, weight in words if weight == "bold"]
        assert leaf in bold
        assert ({first, last} - {leaf}).isdisjoint(bold)
        assert place_line.startswith(f"{leaf}: ")
    expect(box.locator("select")).to_be_focused()
    assert cells.count() == size


@pytest.mark.parametrize("walkthrough", LABS[6:], indirect=True, ids=lambda lab: lab.number)
def test_the_bytes_of_a_line_are_shown(walkthrough: NotebookPage) -> None:
    cell = walkthrough.cells.nth(walkthrough.number_of("\nFileBytes(file)"))

    cell.locator("select").select_option("line 3: torn")
    expect(cell.locator("pre")).to_contain_text("7b 22 69 64 22 3a 22 64 22")  # {"id":"d"
    cell.locator("select").select_option("choose a line")
    expect(cell.locator("pre")).to_have_count(0)


def test_the_course_is_as_it_was(server: JupyterLab, copied: Course, files_before: Mapping[str, bytes]) -> None:
    assert server.process.poll() is None
    assert changed_files(copied.root, files_before) == set()

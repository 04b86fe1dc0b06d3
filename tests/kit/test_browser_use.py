"""What a reader does in a real browser: stop a cell, save, write a lab; and the pages to read offline."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

pytest.importorskip(
    "playwright", reason="the package playwright is not installed: python -m pip install -e '.[dev,browser]'"
)
from playwright.sync_api import Browser, expect

from kit.browser import ERROR, IN_A_BROWSER, PICTURE, NotebookPage, opened, page_of, screenshot, words_of, words_on
from kit.copies import Course, copy_of_the_course, solution_of
from kit.jupyterlab import JupyterLab, changed_files, jupyterlab_in
from scaffold.course import LABS, ROOT, Lab
from scaffold.given.generator import make_session
from scaffold.notebook import SessionTree
from scaffold.notebook.careless import MISHAPS
from scaffold.notebook.faces import WIDGET_VIEW
from scaffold.notebook.jupyter_settings import notebook_of
from scaffold.practice import make_practice_folder

pytestmark = IN_A_BROWSER

NEVER_ENDS = "def path_to(entries, leaf_id):\n    while True:\n        pass\n"
SAVED = "notebooks/saved.ipynb"
SCRATCH = [
    "from scaffold.given.generator import make_session\nfrom scaffold.notebook import SessionTree",
    "SessionTree(make_session(60))",
    "%lab 10.1",
    "import asyncio\nawait asyncio.Event().wait()",
    "'still here'",
]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A copy of the course in which lab 10.1 never ends, with a notebook to try things in, and one to be saved."""
    copied = copy_of_the_course(tmp_path_factory.mktemp("browser") / "course")
    copied.source(LABS[0]).write_text(NEVER_ENDS, "utf-8")
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(SCRATCH)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), copied.root / "notebooks" / "scratch.ipynb")
    shutil.copy(copied.root / "notebooks" / "lab_10_6.ipynb", copied.root / SAVED)
    return copied


@pytest.fixture
def scratch(browser: Browser, server: JupyterLab) -> Iterator[NotebookPage]:
    """The notebook to try things in, as it opens."""
    with opened(browser, server, "notebooks/scratch.ipynb") as notebook:
        yield notebook


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    root = tmp_path_factory.mktemp("browser") / "practice"
    make_practice_folder(root)
    with jupyterlab_in(root, "10.1", "--no-browser") as server:
        yield server


def test_a_folded_session_is_unfolded(scratch: NotebookPage) -> None:
    scratch.start(0)
    cell = scratch.start(1)
    picture, toggle = cell.locator(PICTURE), cell.get_by_role("button", name="Show all 60 entries")
    folded, whole = (words_of(SessionTree(make_session(60), at_most=size).svg()) for size in (40, 60))

    expect(picture).to_contain_text("entries")
    assert words_on(picture) == folded
    toggle.click()
    expect(picture).not_to_contain_text("⋮")
    assert words_on(picture) == whole
    toggle.click()
    expect(picture).to_contain_text("⋮")
    assert words_on(picture) == folded


def test_while_tests_run_something_moves(scratch: NotebookPage) -> None:
    scratch.start(0)
    cell = scratch.start(2)

    expect(cell.locator("progress")).to_be_visible()
    expect(cell.locator(".jp-OutputArea")).to_contain_text("timed out")
    expect(cell.locator("progress")).to_have_count(0)
    expect(cell.locator(ERROR)).to_contain_text("lab 10.1 is not green yet")


@pytest.mark.parametrize(("number", "under_way"), [(2, "progress"), (3, ".jp-InputPrompt:text('[*]')")])
def test_stop_ends_what_never_ends(scratch: NotebookPage, number: int, under_way: str) -> None:
    scratch.start(0)
    cell = scratch.start(number)
    expect(cell.locator(under_way)).to_be_visible()

    scratch.stop()

    expect(cell.locator(ERROR)).to_be_visible()
    expect(cell.locator("progress")).to_have_count(0)
    expect(scratch.start(4).locator(".jp-OutputArea")).to_contain_text("still here")


def test_what_is_saved_keeps_its_pictures(browser: Browser, server: JupyterLab) -> None:
    with opened(browser, server, SAVED) as notebook:
        page = notebook.page
        notebook.run_all()
        expect(page.locator(".session-tree-explorer")).to_be_visible()
        with page.expect_response(lambda answer: answer.request.method == "PUT" and "/api/contents/" in answer.url):
            page.keyboard.press("Control+s")
        page.reload()
        notebook.wait_until_there()

        for cell, _ in notebook.displays():
            expect(cell.locator(".jp-RenderedSVG :is(svg, img)")).to_be_visible()
        expect(page.locator(".jupyter-widgets")).to_have_count(0)
        expect(page.get_by_text("Error displaying widget")).to_have_count(0)
    file = server.root / SAVED
    assert WIDGET_VIEW not in file.read_text("utf-8")
    assert notebook.saved_texts() == NotebookPage(page, file).saved_texts()


@contextmanager
def student_notebook(browser: Browser, practice: JupyterLab, lab: Lab) -> Iterator[NotebookPage]:
    with opened(browser, practice, notebook_of(lab)) as notebook:
        notebook.run_all()
        yield notebook


def test_a_student_writes_the_lab_in_the_notebook(browser: Browser, practice: JupyterLab) -> None:
    with student_notebook(browser, practice, LABS[0]) as notebook:
        yours = notebook.number_of("%%lab 10.1")
        errors = notebook.page.locator(ERROR)
        expect(notebook.cells.nth(yours).locator(ERROR)).to_contain_text("lab 10.1 is not green yet")
        expect(errors).to_have_count(1)  # Run All stops there

        needs_it = notebook.start(yours + 1)
        expect(needs_it.locator(ERROR)).to_contain_text("Lab 10.1: path_to is not written yet")
        expect(needs_it.locator(ERROR)).not_to_contain_text("Traceback")

        notebook.write(yours, f"%%lab 10.1\n{solution_of(LABS[0])}")
        expect(notebook.start(yours).locator(".jp-OutputArea")).to_contain_text("✓ 2/2 + 2/2 Python")
        expect(notebook.start(yours + 1).locator(".jp-OutputArea")).to_contain_text("['a', 'd', 'm']")
        expect(errors).to_have_count(0)
    assert (practice.root / "labs/lab_10_1/session.py").read_text("utf-8") == solution_of(LABS[0])


def test_a_practice_folder_offers_the_careless_writer(browser: Browser, practice: JupyterLab) -> None:
    with student_notebook(browser, practice, LABS[4]) as notebook:
        box = notebook.page.locator(".session-tree-break-it").first
        assert box.locator("option").all_text_contents() == [name.replace(" ", "\xa0") for name in MISHAPS]

        box.locator("select").select_option(MISHAPS[-1])
        box.get_by_role("button", name="Break it").click()

        expect(box.locator(f"{PICTURE} > title")).to_have_text(MISHAPS[-1])
        expect(box.locator(PICTURE)).to_contain_text("your lab 10.4 is not written")


def test_the_offline_pages_load_nothing(browser: Browser, tmp_path: Path) -> None:
    assert Course(ROOT)("notebook", "--html", str(tmp_path / "pages")).returncode == 0

    for name in ["index", *(lab.folder for lab in LABS)]:
        file = tmp_path / "pages" / f"{name}.html"
        with page_of(browser, allowed="file:") as page:
            page.goto(file.as_uri())
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=screenshot(f"offline-{name}-{scheme}"), full_page=True)
            assert page.locator("svg").count() > 0 or name == "index"


def test_the_course_is_as_it_was_but_for_what_was_saved(
    server: JupyterLab, copied: Course, files_before: Mapping[str, bytes]
) -> None:
    assert server.process.poll() is None
    assert changed_files(copied.root, files_before) <= {SAVED}

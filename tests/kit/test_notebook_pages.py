"""`python grade.py notebook --html DIR` writes pages that are complete, and that need no network."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import grade
from kit.copies import Course
from scaffold.course import LABS
from scaffold.notebook import pages

pytestmark = pytest.mark.timeout(60)

NAMES = ["index.html", *(f"{lab.folder}.html" for lab in LABS)]


class Seen(HTMLParser):
    """What is in a page: the tags, what it would load, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in {"src", "srcset", "data", "poster"} or (name == "href" and tag != "a"):
                self.loaded.append(value or "")
            elif name == "href":
                self.links.append(value or "")
            elif name.startswith("on"):
                self.handlers.append(name)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages, by name."""
    folder = tmp_path_factory.mktemp("pages") / "new" / "folder"
    return {path.name: path.read_text("utf-8") for path in pages.export_pages(folder)}


def test_there_is_an_index_and_a_page_for_each_lab(written: dict[str, str]) -> None:
    assert list(written) == NAMES
    assert Seen(written["index.html"]).links == NAMES[1:]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_loads_nothing_and_runs_nothing(written: dict[str, str], name: str) -> None:
    seen = Seen(written[name])

    assert {"script", "link", "iframe", "object", "embed", "base"} & set(seen.tags) == set()
    assert seen.handlers == []
    assert [source for source in seen.loaded if not source.startswith("data:")] == []
    assert re.findall(r"@import|url\(", written[name]) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_leads_to_pages_that_are_there(written: dict[str, str], name: str) -> None:
    beside = [link.partition("#")[0] for link in Seen(written[name]).links if not re.match(r"#|[a-z]+:", link)]
    assert set(beside) - set(NAMES) == set()


def test_pages_lead_on_and_back(written: dict[str, str]) -> None:
    for before, name, after in zip(NAMES, NAMES[1:], [*NAMES[2:], "index.html"], strict=False):
        assert {before, "index.html", after} <= set(Seen(written[name]).links)


def test_a_page_says_what_it_is(written: dict[str, str]) -> None:
    for lab in LABS:
        page = written[f"{lab.folder}.html"]
        assert f"<title>Lab {lab.number}: " in page
        assert '<html lang="en">' in page
        assert 'name="viewport"' in page


def test_saved_pictures_and_folds_are_in_the_page(written: dict[str, str]) -> None:
    seen = Seen(written["lab_10_1.html"])
    assert {"svg", "details", "summary"} <= set(seen.tags)


def test_the_same_notebooks_give_the_same_bytes_and_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", "utf-8")
    first = {path.name: path.read_bytes() for path in pages.export_pages(tmp_path)}

    again = {path.name: path.read_bytes() for path in pages.export_pages(tmp_path)}

    assert again == first
    assert {path.name for path in tmp_path.iterdir()} == {"letter.txt", *NAMES}
    assert (tmp_path / "letter.txt").read_text("utf-8") == "dear"


A_SAVED_WIDGET = """{"nbformat": 4, "nbformat_minor": 5, "metadata": {"widgets": {
  "application/vnd.jupyter.widget-state+json": {"state": {}, "version_major": 2, "version_minor": 0}}}, "cells": [
  {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# A `lab` & more\\n\\n[file](../labs/README.md#a), [on](lab_10_2.ipynb)"},
  {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "source": "x < 1", "outputs": [
    {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "in words",
      "application/vnd.jupyter.widget-view+json": {"model_id": "m", "version_major": 2, "version_minor": 0},
      "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><title>drawn</title></svg>"}},
    {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "words only",
      "application/vnd.jupyter.widget-view+json": {"model_id": "m", "version_major": 2, "version_minor": 0}}},
    {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "no script",
      "application/javascript": "alert(1)"}}]}]}
"""  # noqa: E501 (it is JSON)


@pytest.fixture
def widget_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    notebooks = tmp_path / "course" / "notebooks"
    notebooks.mkdir(parents=True)
    (notebooks / "lab_10_1.ipynb").write_text(A_SAVED_WIDGET, "utf-8")
    monkeypatch.setattr(pages, "ROOT", tmp_path / "course")
    return pages.export_pages(tmp_path / "out")[1].read_text("utf-8")


def test_a_saved_widget_is_shown_as_its_picture_or_in_words(widget_page: str) -> None:
    assert "<title>drawn</title>" in widget_page
    assert "in words" not in widget_page
    assert "words only" in widget_page
    assert "no script" in widget_page
    assert {"script", "iframe"} & set(Seen(widget_page).tags) == set()
    assert "widget-view" not in widget_page


def test_a_link_to_a_file_of_the_course_becomes_plain_text(widget_page: str) -> None:
    assert "<p>file, on</p>" in widget_page  # there is no lab_10_2 here
    assert "<title>A lab &amp; more</title>" in widget_page


REFUSED = {
    "a folder in the course": ("inside", "inside the course itself"),
    "a file": ("../letter.txt", "is a file, and the pages need a folder"),
}


@pytest.mark.parametrize(("folder", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_folder_that_will_not_do_is_refused(course: Course, folder: str, reason: str) -> None:
    (course.root.parent / "letter.txt").write_text("dear", "utf-8")

    done = course("notebook", "--html", folder)

    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert not (course.root / "inside").exists()
    assert (course.root.parent / "letter.txt").read_text("utf-8") == "dear"


def test_the_command_writes_all_labs_and_none_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade.main(["notebook", "--html", str(tmp_path)]) == 0
    assert f"wrote {len(NAMES)} pages; begin with {tmp_path / 'index.html'}" in capsys.readouterr().out

    assert grade.main(["notebook", "10.1", "--html", str(tmp_path)]) == 2
    assert "leave 10.1 out" in capsys.readouterr().err


def test_a_notebook_that_is_none_is_named(course: Course, tmp_path: Path) -> None:
    (course.root / "notebooks" / "lab_10_3.ipynb").write_text("{", "utf-8")

    done = course("notebook", "--html", str(tmp_path / "out"))

    assert done.returncode == 2
    assert "lab_10_3.ipynb can't be read as a notebook" in done.stderr
    assert not (tmp_path / "out").exists()

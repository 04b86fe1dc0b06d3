"""Drives notebooks in Chromium as a reader does: with the mouse, the keyboard and the menus of JupyterLab.

Nothing here waits for a time to pass. Each step waits for what it brings about, as long as Playwright is told to.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import nbformat
import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect, sync_playwright

from kit.jupyterlab import JupyterLab
from kit.pictures import words_in
from scaffold.course import ROOT

MILLISECONDS = 20_000  # for one step; most take a few hundred
WIDTH, HEIGHT = 1280, 800
# JupyterLab shows an error of a cell as it shows what is written to stderr. No notebook writes there.
ERROR = '.jp-OutputArea-output[data-mime-type$=".stderr"]'
PICTURE = ".widget-html svg"  # JupyterLab's own icons are SVG, too
_SVG = "image/svg+xml"

_SWITCHES = ["--disable-gpu", "--disable-quic", "--disable-sync"]  # beside those that Playwright sets itself
_KERNEL_IS_IDLE = "(ipykernel) | Idle"
_SLICE = 1200  # pixels of a notebook in one screenshot
# What stays for some seconds only must be noticed when it comes.
_NOTICE = """
new MutationObserver(() => document.querySelectorAll(".jp-Dialog, .Toastify__toast").forEach(found => {
    if (!found.noticed) { found.noticed = true; console.error("it popped up: " + found.textContent) }
})).observe(document, {childList: true, subtree: true})
"""
_OUTPUTS = """cells => cells.map(cell => [...cell.querySelectorAll(".jp-OutputArea-output[data-mime-type]")].map(
    output => [output.dataset.mimeType, output.textContent.trimEnd()]))"""
_WORDS = (
    """svg => [...svg.querySelectorAll("text")].map(each => [each.textContent, each.getAttribute("font-weight")])"""
)
_TOO_WIDE = """() => [...document.querySelectorAll("html, .jp-OutputArea-output, .jp-OutputArea-output div")]
    .filter(box => box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1)
    .map(box => `${box.className}: ${box.scrollWidth} > ${box.clientWidth}: ${box.textContent.slice(0, 80)}`)"""
# How high a window must be to show all cells, and the status bar beneath them.
_END_AFTER_SCROLLING_UP = """() => {
    document.querySelector(".jp-WindowedPanel-outer").scrollTop = 0
    return Math.ceil([...document.querySelectorAll(".jp-Notebook .jp-Cell")].pop().getBoundingClientRect().bottom) + 60
}"""

Words = list[tuple[str, str | None]]
Scheme = Literal["light", "dark"]


def chromium() -> str | None:
    """Return where Chromium is, or a browser that is made of it."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


IN_A_BROWSER = [
    pytest.mark.browser,
    # The method `thread` ends the whole run. It is the last resort, for the steps have limits of their own, and an
    # exception from a signal would come up in the middle of Playwright's loop.
    pytest.mark.timeout(180, method="thread"),
    pytest.mark.skipif(chromium() is None, reason="there is no chromium: install one, with apt for instance"),
]


@contextmanager
def started() -> Iterator[Browser]:
    """Lend a browser with a fresh profile. It runs without its own sandbox, which root and containers can't use."""
    expect.set_options(timeout=MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=_SWITCHES)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(browser: Browser, *, allowed: str) -> Iterator[Page]:
    """Lend a page with a storage of its own, and see that it asks only what is allowed, and shows no trouble.

    `allowed` is how an address begins: that of a server, or `file:`.
    """
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
    context.set_default_timeout(MILLISECONDS)
    context.add_init_script(_NOTICE)
    page = context.new_page()
    asked: list[str] = []
    troubles: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url.replace("ws:", "http:", 1)))
    page.on("pageerror", lambda error: troubles.append(f"an error of the page: {error}"))
    page.on("console", lambda line: troubles.append(line.text) if line.type == "error" else None)
    page.on("crash", lambda _: troubles.append("the page crashed"))
    try:
        yield page
        assert asked != []
        assert [url for url in asked if not url.startswith((allowed, "data:", "blob:"))] == []
        assert troubles == []
    finally:
        context.close()


class NotebookPage:
    """A notebook of JupyterLab in a page. `cells` are its code cells, counted from 0."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        notebook = nbformat.read(file, as_version=4)
        self.saved = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self.cells = page.locator(".jp-CodeCell")

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.wait_until_there()

    def wait_until_there(self) -> None:
        """Wait until all cells are on the page, and the kernel has started. The cells out of sight come last."""
        expect(self.cells).to_have_count(len(self.saved))
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        expect(self.cells.locator(".jp-InputPrompt", has_text="[*]")).to_have_count(0)
        # In a narrow column the indicator is there, but hidden behind a button.
        expect(self.page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')).to_have_count(1)
        # The indicator is idle before there is a kernel, too. Then a cell that is told to run forgets it.
        expect(self.page.locator("#jp-main-statusbar").get_by_text(_KERNEL_IS_IDLE)).to_be_visible()

    def number_of(self, source: str) -> int:
        """Return which of the code cells has this text in it, first."""
        return next(number for number, cell in enumerate(self.saved) if source in cell.source)

    def menu(self, menu: str, item: str) -> None:
        self.page.locator(".lm-MenuBar-item").get_by_text(menu, exact=True).click()
        self.page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()

    def run_all(self) -> None:
        """Run all cells, and wait until each has ended, or has been given up after an error."""
        self.menu("Edit", "Clear Outputs of All Cells")  # so that no number in a prompt is an old one
        expect(self.cells.locator(".jp-InputPrompt", has_text=re.compile(r"\[\s\]:"))).to_have_count(len(self.saved))
        self.menu("Run", "Run All Cells")
        expect(self.prompt(len(self.saved) - 1).or_(self.page.locator(ERROR)).first).to_be_visible()
        self.wait_until_idle()

    def prompt(self, number: int) -> Locator:
        """Return the prompt of a cell that has been run."""
        return self.cells.nth(number).locator(".jp-InputPrompt").filter(has_text=re.compile(r"\[\d+\]:"))

    def start(self, number: int) -> Locator:
        """Run one cell, and return it without waiting for its end."""
        cell = self.cells.nth(number)
        cell.locator(".jp-InputPrompt").click()
        self.page.keyboard.press("Control+Enter")
        return cell

    def write(self, number: int, text: str) -> None:
        """Put a text into a cell, in place of what is there."""
        self.cells.nth(number).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def stop(self) -> None:
        """Press Stop."""
        self.page.locator('[data-command="notebook:interrupt-kernel"]').first.click()

    def texts(self) -> list[list[tuple[str, str]]]:
        """Return the outputs of each cell that are no live display: their kind and text."""
        found: list[list[list[str]]] = self.cells.evaluate_all(_OUTPUTS)
        return [[(kind, text) for kind, text in outputs] for outputs in found]

    def saved_texts(self) -> list[list[tuple[str, str]]]:
        """Return the same of the saved notebook."""
        return [
            [_text_of(output) for output in cell.outputs if _SVG not in output.get("data", {})] for cell in self.saved
        ]

    def displays(self) -> list[tuple[Locator, str]]:
        """Return the cells that show something live, each with the picture that is saved of it."""
        return [
            (self.cells.nth(number), output.data[_SVG])
            for number, cell in enumerate(self.saved)
            for output in cell.outputs
            if _SVG in output.get("data", {})
        ]

    def too_wide(self) -> list[str]:
        """Return the beginnings of what is wider than its place, so that one must scroll to the side."""
        found: list[str] = self.page.evaluate(_TOO_WIDE)
        return found

    def photograph(self, name: str, scheme: Scheme) -> None:
        """Take pictures: first of the window with the beginning, then of the whole notebook in slices."""
        self.page.emulate_media(color_scheme=scheme)
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-light", str(scheme == "light").lower())
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)  # it covers the page while the theme changes
        self.page.mouse.move(0, 0)
        height: int = self.page.evaluate(_END_AFTER_SCROLLING_UP)
        cells = self.page.locator(".jp-Notebook .jp-Cell")
        expect(cells.first).to_be_in_viewport()
        self.page.screenshot(path=screenshot(f"{name}-{scheme}"))
        self.page.set_viewport_size({"width": WIDTH, "height": height})
        expect(cells.last).to_be_in_viewport(ratio=1)  # JupyterLab has taken up the new size
        for number, top in enumerate(range(0, height, _SLICE), start=1):
            clip: FloatRect = {"x": 0, "y": top, "width": WIDTH, "height": min(_SLICE, height - top)}
            self.page.screenshot(path=screenshot(f"{name}-{scheme}-{number}"), clip=clip)
        self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


@contextmanager
def opened(browser: Browser, server: JupyterLab, path: str, *, address: str = "") -> Iterator[NotebookPage]:
    """Lend a notebook of the server's course, in a page of its own: at an address, or else alone in the window."""
    with page_of(browser, allowed=server.base) as page:
        notebook = NotebookPage(page, server.root / path)
        notebook.open(address or server.address_of(path))
        yield notebook


def _text_of(output: nbformat.NotebookNode) -> tuple[str, str]:
    if output.output_type == "stream":
        return f"application/vnd.jupyter.{output.name}", str(output.text).rstrip()
    return "text/plain", str(output.data["text/plain"]).rstrip()


def words_on(picture: Locator) -> Words:
    """Return the words of a picture on the page, each with its weight."""
    found: list[list[str]] = picture.evaluate(_WORDS)
    return [(words, weight) for words, weight in found]


def words_of(svg: str) -> Words:
    """Return the same of a picture as it is drawn."""
    return [(words, attributes.get("font-weight")) for words, attributes in words_in(svg)]


def screenshot_folder() -> Path:
    """Return where screenshots are written. Raises ValueError for a folder in the course."""
    named = os.environ.get("SESSION_TREE_SCREENSHOTS")
    folder = Path(named) if named else Path(tempfile.gettempdir(), "session-tree-screenshots")
    if folder.resolve().is_relative_to(ROOT):
        raise ValueError(f"{folder} is inside the course; let SESSION_TREE_SCREENSHOTS name a folder outside of {ROOT}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def screenshot(name: str) -> Path:
    return screenshot_folder() / f"{name}.png"

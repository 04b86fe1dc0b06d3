"""Writes the notebooks as pages: text, code, and the outputs that were saved. They load nothing, and run nothing."""

from __future__ import annotations

import html
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scaffold.course import ROOT
from scaffold.grading.verdict import GraderError

_TEMPLATE, _STYLE = (Path(__file__).with_name(name) for name in ("page.html.j2", "page.css"))
# The first of these that an output has is shown. A live widget has none of its own, so its picture is shown.
_SHOWN = ["image/svg+xml", "text/html", "text/markdown", "image/png", "image/jpeg", "text/plain"]
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_LINK = re.compile(r'<a href="([^":#]+)(?:#[^"]*)?"[^>]*>(.*?)</a>', re.DOTALL)  # to another file
_INDEX = """# Session Tree Labs: the notebooks

These pages show what was saved in the notebooks. To change and run one, use `python grade.py notebook` in the course.

"""


def export_pages(folder: Path) -> list[Path]:
    """Write `index.html` and a page for each notebook into a folder, and return their paths, the index first.

    The same notebooks give the same bytes. Whatever else is in the folder stays. Raises ValueError for a folder inside
    the course, NotADirectoryError for a file, and GraderError if nbconvert is missing or a notebook can't be read.
    """
    if folder.resolve().is_relative_to(ROOT):
        raise ValueError(f"{folder} is inside the course itself; name a folder outside of {ROOT}")
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file, and the pages need a folder; nothing was written")
    if find_spec("nbconvert") is None:
        raise GraderError("nbconvert is not installed: python -m pip install -e . does it, with JupyterLab")
    notebooks = {f"{path.stem}.html": _read(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    titles = {name: _title(notebook) for name, notebook in notebooks.items()}
    pages = {"index.html": _index(titles), **notebooks}
    texts = {name: _page(notebook, name, titles) for name, notebook in pages.items()}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8", newline="\n")
    return [folder / name for name in texts]


def _read(path: Path) -> Any:
    from nbformat import read  # noqa: PLC0415 (one of the heavy ones)

    try:
        notebook = read(path, as_version=4)
    except ValueError as error:
        raise GraderError(f"{path} can't be read as a notebook: {error}; restore the course's file") from None
    notebook.metadata.language_info = {"name": "ipython", "pygments_lexer": "ipython3"}  # it knows `%lab`
    return notebook


def _title(notebook: Any) -> str:
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    title = next((found[1] for text in texts if (found := _TITLE.search(text))), "A notebook without a title")
    return title.replace("`", "")


def _index(titles: dict[str, str]) -> Any:
    from nbformat import v4  # noqa: PLC0415

    links = "\n".join(f"- [{title}]({name})" for name, title in titles.items())
    return v4.new_notebook(cells=[v4.new_markdown_cell(_INDEX + links, id="index")])  # a made-up id would vary


def _page(notebook: Any, name: str, titles: dict[str, str]) -> str:
    """Return a notebook as a page."""
    from nbconvert import HTMLExporter  # noqa: PLC0415
    from traitlets.config import Config  # noqa: PLC0415

    exporter = HTMLExporter(  # type: ignore[no-untyped-call]  # it has types only in part
        config=Config({"NbConvertBase": {"display_data_priority": _SHOWN}}),
        template_name="basic",  # the others load scripts from the network
        template_file=str(_TEMPLATE),
        exclude_anchor_links=True,
    )
    page = {"title": _title(notebook), "style": _style(), "navigation": _navigation(name, list(titles.items()))}
    text, _ = exporter.from_notebook_node(notebook, resources={"page": page})
    return _LINK.sub(lambda link: _reachable(link, titles), str(text))


def _reachable(link: re.Match[str], titles: dict[str, str]) -> str:
    """Lead a link between notebooks to the page, and keep the text alone of one that leads to the course's files."""
    target = link[1].removesuffix(".ipynb").removesuffix(".html") + ".html"
    return link[0].replace(link[1], target, 1) if target in {"index.html", *titles} else link[2]


def _navigation(name: str, pages: list[tuple[str, str]]) -> str:
    """Return links to the page before, to the index, and to the page after; none on the index itself."""
    names = [each for each, _ in pages]
    if name not in names:
        return ""
    place = names.index(name)
    before, after = pages[max(place - 1, 0) : place], pages[place + 1 : place + 2]
    links = [(each, f"← {title}") for each, title in before]
    links += [("index.html", "All notebooks")]
    links += [(each, f"{title} →") for each, title in after]
    items = "\n".join(f'<a href="{html.escape(each)}">{html.escape(text)}</a>' for each, text in links)
    return f'<nav aria-label="Notebooks">\n{items}\n</nav>'


def _style() -> str:
    from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]  # noqa: PLC0415 (it has no types)

    light, dark = (HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "github-dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n{_STYLE.read_text('utf-8')}"

"""Makes the notebooks from their sources, runs them, and compares them with those that are there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from scaffold.course import ROOT, Lab
from scaffold.notebook.percent import Kind, cells_of
from scaffold.notebook.saving import leave_out_widgets

SECONDS_A_CELL = 90  # far more than any needs
_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook_file(lab: Lab, root: Path = ROOT) -> Path:
    """Return where a lab's notebook is."""
    return root / "notebooks" / f"{lab.folder}.ipynb"


def fresh_notebook(lab: Lab, kind: Kind) -> NotebookNode:
    """Return a lab's notebook as its source makes it, without outputs."""
    cells: list[dict[str, Any]] = []
    for number, cell in enumerate(cells_of(lab, kind), start=1):
        cell_type = "markdown" if cell.is_markdown else "code"
        rest: dict[str, Any] = {} if cell.is_markdown else {"outputs": [], "execution_count": None}
        cells.append({"cell_type": cell_type, "id": f"cell-{number:02}", "source": cell.text, "metadata": {}, **rest})
    notebook: NotebookNode = nbformat.from_dict(
        {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    )
    return notebook


@dataclass(frozen=True)
class Run:
    """A notebook with its outputs, and how each code cell ended: `ok`, or what the kernel's reply says instead."""

    notebook: NotebookNode
    statuses: tuple[str, ...]


def run(notebook: NotebookNode, folder: Path, course: Path = ROOT) -> Run:
    """Run a notebook in a folder, with the course that is in another one.

    All cells are run, also after an error; but none after one that takes too long, or that ends the kernel.
    """
    statuses: list[str] = []

    def note(execute_reply: dict[str, Any], **_: Any) -> None:
        statuses.append(execute_reply["content"]["status"])

    client = NotebookClient(
        notebook,
        timeout=SECONDS_A_CELL,
        kernel_name="python3",
        allow_errors=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        on_cell_executed=note,
    )
    with tempfile.TemporaryDirectory(prefix="session-tree-", ignore_cleanup_errors=True) as scratch:
        try:
            client.execute(env=_environment(Path(scratch), course))
        except (CellTimeoutError, DeadKernelError) as error:
            statuses.append("timed out" if isinstance(error, CellTimeoutError) else "kernel died")
    codes = sum(cell.cell_type == "code" for cell in notebook.cells)
    statuses += ["not run"] * (codes - len(statuses))
    leave_out_widgets(notebook)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = nbformat.from_dict(_METADATA)  # the kernel adds its version
    return Run(notebook, tuple(statuses))


def _environment(scratch: Path, course: Path) -> dict[str, str]:
    """Return an environment in which a kernel finds the course, and nothing of the user's own settings."""
    paths = [str(course), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "IPYTHONDIR": str(scratch),
        "COLUMNS": "100",
    }


def walkthroughs(labs: Iterable[Lab]) -> Iterator[tuple[Lab, Run]]:
    """Run the walkthrough of each lab, and yield it as soon as it is there."""
    for lab in labs:
        yield lab, run(fresh_notebook(lab, "walkthrough"), ROOT / "notebooks")


def as_text(notebook: NotebookNode) -> str:
    """Return the text of a notebook's file."""
    text: str = nbformat.writes(notebook)
    return text + "\n"


def write(lab: Lab, done: Run) -> bool:
    """Write a walkthrough into the course, and tell whether that changed anything. Raises ValueError for a red cell."""
    if red := red_cells(done):
        raise ValueError(f"the notebook of lab {lab.number} was not written: {'; '.join(red)}")
    path, text = notebook_file(lab), as_text(done.notebook)
    if path.exists() and path.read_bytes() == text.encode():
        return False
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
    return True


def drift(lab: Lab, done: Run) -> list[str]:
    """Say where a walkthrough that was just run differs from the one in the course; nothing if they are the same."""
    path = notebook_file(lab)
    if not path.exists():
        return [f"{path.name} is missing"]
    text = path.read_text("utf-8")
    if text == as_text(done.notebook):
        return []
    there, here = nbformat.reads(text, as_version=4).cells, done.notebook.cells
    differing = [f"{path.name}, {cell.id} differs" for cell, other in zip(here, there, strict=False) if cell != other]
    return differing or [f"{path.name} differs in its number of cells, or in its form"]


def red_cells(done: Run) -> list[str]:
    """Name the code cells whose execution did not end well, by the status of the kernel's reply alone."""
    codes: Sequence[NotebookNode] = [cell for cell in done.notebook.cells if cell.cell_type == "code"]
    return [
        f"{cell.id} ended with {status!r}: {cell.source.splitlines()[0]}"
        for cell, status in zip(codes, done.statuses, strict=True)
        if status != "ok"
    ]

"""`%lab 10.1` runs the tests of a lab; `%%lab 10.1` writes the cell to its `session.py` before that."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import html
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from scaffold import student_files
from scaffold.course import REFERENCE, ROOT, Lab, find_lab
from scaffold.grading.engine import DEFAULT_LIMITS, Engine
from scaffold.grading.failure import MissingNameError, NotLoadableError
from scaffold.grading.grade_labs import grade_labs
from scaffold.grading.screen import Screen
from scaffold.grading.tree import find_tree
from scaffold.notebook.faces import WIDGET_VIEW
from scaffold.stubs import fresh_stub

_LOOK_UP = 0.2  # seconds
_written: dict[Path, bytes] = {}  # what cells have written, in this kernel


class NotGreenError(Exception):
    """A lab that was run in a notebook is not green. What is wrong was shown before."""


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. Write %lab 10.1, or %%lab 10.1 above the text of a session.py")


def _parser() -> argparse.ArgumentParser:
    parser = _Arguments(prog="%lab", add_help=False)
    parser.add_argument("lab")
    parser.add_argument("--tree", default="labs")
    return parser


def lab_magic(line: str, cell: str | None = None) -> None:
    """Run the tests of a lab, as `python grade.py 10.1` does; with a cell, write it to the lab's file first."""
    asked = _parser().parse_args(shlex.split(line))
    try:
        lab = find_lab(asked.lab)
        tree = find_tree(asked.tree)
    except (KeyError, FileNotFoundError) as error:
        raise UsageError(str(error.args[-1])) from None
    if cell is not None:
        if tree == REFERENCE:
            raise UsageError("a cell is written to labs/, and never to the reference: leave --tree out")
        print(write_cell(cell, lab, tree), flush=True)
    run(lab, tree)


def write_cell(cell: str, lab: Lab, tree: Path) -> str:
    """Write a cell to the lab's file, and say what was done.

    What was in the file is kept beside it, unless it is the stub, or came from a cell of this kernel. A cell that is
    still the stub is not written over anything else.
    """
    path = tree / lab.folder / "session.py"
    name = f"{tree.name}/{lab.folder}/session.py"
    text = (cell.rstrip() + "\n").encode()
    stub = fresh_stub(lab).encode()
    old = path.read_bytes() if path.is_file() else stub
    if text == old:
        return f"{name} is this cell already"
    if text == stub:
        return f"not written: this cell is the stub, and {name} is further. Its tests:"
    kept = ""
    if old not in {stub, _written.get(path)}:
        kept = f"; what was there before is in {student_files.keep(path).name}, beside it"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    _written[path] = text
    return f"wrote {name}{kept}"


def run(lab: Lab, tree: Path) -> None:
    """Run the tests of a lab in a child process, and show the verdict. Raises NotGreenError."""
    with _spinner(f"running the tests of lab {lab.number}"), Engine() as engine:
        [verdict] = grade_labs(engine, tree, [lab], REFERENCE, go_on=True)
    Screen(sys.stdout, names=True, advice=False).verdict(verdict)
    if not verdict.passed:
        raise NotGreenError(f"lab {lab.number} is not green yet: {verdict.status}")


@contextlib.contextmanager
def _spinner(words: str) -> Iterator[None]:
    """Show that something is under way, where widgets can be shown; a saved notebook keeps nothing of it."""
    import ipywidgets  # noqa: PLC0415 (slow to load, and not needed for the import line)
    from IPython.display import display  # noqa: PLC0415

    limit = DEFAULT_LIMITS.seconds
    spinner = ipywidgets.HTML(f"<progress></progress> {html.escape(words)} (at most {limit} s; Stop ends them)")
    display({WIDGET_VIEW: spinner._repr_mimebundle_()[WIDGET_VIEW]}, raw=True)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        spinner.close()


def show_in_one_line(
    shell: InteractiveShell, kind: type[BaseException], error: BaseException, trace: Any, tb_offset: int | None = None
) -> list[str]:
    """Show errors that speak for themselves without a traceback. The cell has failed all the same."""
    if isinstance(error, NotImplementedError) and not str(error).startswith("Lab "):
        lines = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    else:
        lines = [f"{error}", *_advice(error)]
    shell._showtraceback(kind, error, lines)  # noqa: SLF001 (what the kernel sends is sent there)
    return lines


def _advice(error: BaseException) -> list[str]:
    if isinstance(error, NotImplementedError):
        return [
            "Write it in your session.py, or in the cell of this notebook that begins with %%lab; then run this again."
        ]
    return []


def _look_up_regularly(loop: asyncio.AbstractEventLoop) -> None:
    """Let the kernel's event loop notice Stop while a cell awaits something.

    The loop is told of a signal, but not woken by it, and sleeps on until some message comes. (ipykernel, issue 881.)
    """
    loop.call_later(_LOOK_UP, _look_up_regularly, loop)


def load_into(shell: InteractiveShell) -> None:
    """Make the magic known to a running IPython. Raises ImportError in a notebook of another copy of the course."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "grade.py").is_file() and (folder / "scaffold").is_dir() and not folder.samefile(ROOT):
            raise ImportError(
                f"this notebook is in {folder}, and Python takes the course from {ROOT}. "
                f"Run `python grade.py notebook` in {folder}, or install that copy with `python -m pip install -e .`"
            )
    with contextlib.suppress(RuntimeError):  # in a terminal no loop runs between the cells
        _look_up_regularly(asyncio.get_running_loop())
    shell.register_magic_function(lab_magic, "line_cell", "lab")  # type: ignore[arg-type]  # its types forget functions
    shell.set_custom_exc(  # type: ignore[no-untyped-call]
        (NotImplementedError, NotLoadableError, MissingNameError, NotGreenError), show_in_one_line
    )

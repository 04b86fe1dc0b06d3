"""Cuts the solutions into the stubs that students begin with.

A function is a task if its docstring has a line that begins with `Task 10.N`. Of a task the signature and docstring
stay, and the body becomes one NotImplementedError. All else stays as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scaffold.course import LABS, ROOT, Lab

_TASK_LINE = re.compile(r"^\s*Task 10\.\d [a-z]", re.MULTILINE)


@dataclass(frozen=True)
class Task:
    """A function to be written: its name (`path_to`, `Store.append`) and the lines of its body, counted from 1."""

    name: str
    first_line: int
    last_line: int
    indent: int


def tasks_in(source: str) -> list[Task]:
    """Return the tasks of a solution, in the order of the file."""
    return list(_tasks_under(ast.parse(source), prefix=""))


def _tasks_under(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[Task]:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _tasks_under(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and _is_task(child):
            docstring, *body = child.body
            last_line = body[-1].end_lineno
            assert docstring.end_lineno is not None
            assert last_line is not None
            yield Task(f"{prefix}{child.name}", docstring.end_lineno + 1, last_line, docstring.col_offset)


def _is_task(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return _TASK_LINE.search(ast.get_docstring(function) or "") is not None


def cut(source: str, lab: Lab) -> str:
    """Return the stub of a solution."""
    lines = source.splitlines(keepends=True)
    for task in reversed(tasks_in(source)):
        error = f'raise NotImplementedError("Lab {lab.number}: {task.name} is not written yet")\n'
        lines[task.first_line - 1 : task.last_line] = [" " * task.indent + error]
    return "".join(lines)


def fresh_stub(lab: Lab) -> str:
    """Return the lab's stub as students get it: cut from the solution, or as a practice folder was given it."""
    solution = ROOT / "solutions" / lab.folder / "session.py"
    if solution.exists():
        return cut(solution.read_text("utf-8"), lab)
    return pristine_stub(ROOT, lab).read_text("utf-8")


def pristine_stub(root: Path, lab: Lab) -> Path:
    """Return where a practice folder keeps the stub that `reset` brings back."""
    return root / "scaffold" / "pristine" / f"{lab.folder}.py"


def write_stubs() -> list[Path]:
    """Cut all solutions into `labs/`, and return the files that this changed."""
    changed = []
    for lab in LABS:
        path = ROOT / "labs" / lab.folder / "session.py"
        stub = fresh_stub(lab)
        if not path.exists() or path.read_text("utf-8") != stub:
            path.write_text(stub, "utf-8", newline="\n")
            changed.append(path)
    return changed

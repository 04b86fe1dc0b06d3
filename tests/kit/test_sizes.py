"""What is meant to be read stays short enough to be read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scaffold.course import ROOT

FOLDERS = ("scaffold", "solutions", "tests")
SOURCES = [ROOT / "grade.py", *sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
TABLES_OF_CASES = {"test_lab_10_2.py", "test_lab_10_5.py"}  # long because they list what must hold


def lines_of_code(path: Path) -> int:
    """Count the lines that are neither blank, nor a comment, nor part of a docstring."""
    text = path.read_text("utf-8")
    lines = {
        number for number, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = node.body[0] if node.body else None
            if isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant):
                lines -= set(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return len(lines)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_and_its_functions_are_short(path: Path) -> None:
    total = len(path.read_text("utf-8").splitlines())
    assert total <= 300 or path.name in TABLES_OF_CASES
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 50, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", sorted((ROOT / "solutions").rglob("session.py")), ids=lambda path: path.parent.name)
def test_a_solution_can_be_read_in_one_sitting(path: Path) -> None:
    assert lines_of_code(path) <= (160 if path.parent.name in {"lab_10_2", "lab_10_5"} else 120)


def test_the_command_line_is_nothing_else() -> None:
    assert len((ROOT / "grade.py").read_text("utf-8").splitlines()) < 150

"""A copy of the course to try things on, and what counts as an answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scaffold.course import ROOT, Lab
from scaffold.stubs import tasks_in


def solution_of(lab: Lab) -> str:
    return (ROOT / "solutions" / lab.folder / "session.py").read_text("utf-8")


def answers_of(lab: Lab) -> set[str]:
    """Return the lines, without indentation, that are cut from a solution and long enough to give something away."""
    lines = [line.strip() for line in solution_of(lab).splitlines()]
    cut = {line for task in tasks_in(solution_of(lab)) for line in lines[task.first_line - 1 : task.last_line]}
    return {line for line in cut if len(line) > 25}


class Course:
    """A copy of the course that a test may change, and its command line."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run `grade.py` as a student does, without a terminal."""
        return subprocess.run(
            [sys.executable, "grade.py", *arguments],
            cwd=self.root,
            env=clean_environment() | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def source(self, lab: Lab) -> Path:
        """Return where the student writes."""
        return self.root / "labs" / lab.folder / "session.py"

    def solve(self, lab: Lab) -> None:
        """Put the reference's answer there."""
        shutil.copy(ROOT / "solutions" / lab.folder / "session.py", self.source(lab))


def copy_of_the_course(root: Path) -> Course:
    """Make a copy in a new folder."""
    root.mkdir()
    for name in ("labs", "solutions", "scaffold", "tests", "notebooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.bak"))
    for name in ("grade.py", "pyproject.toml", "LICENSE", ".gitignore", ".gitattributes"):
        shutil.copy(ROOT / name, root / name)
    return Course(root)


def clean_environment() -> dict[str, str]:
    left_out = ("PYTEST_", "SESSION_TREE", "NO_COLOR")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return environment | {"PYTHONUTF8": "1", "COLUMNS": "100"}

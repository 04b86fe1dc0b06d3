"""What the course's checks of itself share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.copies import Course
from scaffold.course import ROOT
from scaffold.grading.engine import Engine, Limits


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine(Limits(seconds_a_test=2, seconds=30)) as ready:
        yield ready


@pytest.fixture
def solutions() -> Path:
    return ROOT / "solutions"


@pytest.fixture
def labs() -> Path:
    return ROOT / "labs"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    root = tmp_path / "course"
    root.mkdir()
    for name in ("labs", "solutions", "scaffold", "tests", "notebooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.bak"))
    for name in ("grade.py", "pyproject.toml", "LICENSE", ".gitignore", ".gitattributes"):
        shutil.copy(ROOT / name, root / name)
    return Course(root)

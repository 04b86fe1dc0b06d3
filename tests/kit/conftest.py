"""What the course's checks of itself share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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

"""The options that say which tree the tests look at.

They are a plugin and no part of `tests/conftest.py`, because pytest must know them before it can tell whether
`solutions` in `pytest --tree solutions` is a folder of tests.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--tree` and `--beneath`."""
    tree = os.environ.get("SESSION_TREE", "labs")
    parser.addoption(
        "--tree", default=tree, help="labs, solutions, or --tree=FOLDER that has lab_10_1 ... (default: labs)"
    )
    parser.addoption("--beneath", help="take the labs that a lab builds on from this tree instead")

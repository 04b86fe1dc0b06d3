"""Hints: for each task some steps that lead closer to it, and for each test one sentence for whom it is red."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from scaffold.course import Lab

_FOLDER = Path(__file__).parent


def hint_for_test(lab: Lab, function: str) -> str:
    """Return the hint for a red test, or "" where there is none."""
    hint: str = _read(lab).get("tests", {}).get(function, "")
    return hint


def steps_for_tasks(lab: Lab) -> dict[str, list[str]]:
    """Return the steps for each task of a lab, in the order in which they are built."""
    steps: dict[str, list[str]] = _read(lab).get("tasks", {})
    return {task: steps.get(task, []) for task in lab.tasks}


def _read(lab: Lab) -> dict[str, Any]:
    path = _FOLDER / f"{lab.folder}.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}

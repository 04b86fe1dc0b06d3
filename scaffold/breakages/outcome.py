"""What a breakage does: the tests that go red, and the scenes with a session file that go another way."""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scaffold.breakages import Breakage
from scaffold.course import ROOT, Lab
from scaffold.grading.engine import Engine

_SECONDS = 30
_WITH_FILES = ("10.4", "10.5")


@dataclass(frozen=True)
class Played:
    """A scene as one tree plays it: the bytes of the session file, and what was seen, in words."""

    data: bytes
    seen: str


@dataclass(frozen=True)
class Scene:
    """A scene that the broken tree plays in another way than the reference."""

    title: str
    broken: Played
    reference: Played


@dataclass(frozen=True)
class Outcome:
    """The test functions that are red, what the first of them says, and the scenes."""

    red: tuple[str, ...]
    message: str
    scenes: tuple[Scene, ...]


def edit_of(breakage: Breakage) -> list[str]:
    """Return the lines of the edit, each with `-`, `+` or a space before it."""
    before, after = (text.strip("\n").split("\n") for text in (breakage.find, breakage.replace))
    lines = list(difflib.unified_diff(before, after, n=1, lineterm=""))[2:]
    return [f"{line[0]} {line[1:]}" for line in lines if not line.startswith("@@")]


def outcome_of(breakage: Breakage, engine: Engine) -> Outcome:
    """Apply a breakage to a copy of the reference, run the lab's tests, and play the scenes."""
    with breakage.applied() as tree:
        verdict = engine.run_lab(breakage.lab, tree, stop_at_timeout=False)
        first = verdict.first_red()
        scenes = _scenes(breakage.lab, tree) if breakage.lab.number in _WITH_FILES else ()
        return Outcome(tuple(verdict.red()), first.message if first else "", tuple(scenes))


def _scenes(lab: Lab, broken: Path) -> Iterator[Scene]:
    right, wrong = _play(lab, ROOT / "solutions"), _play(lab, broken)
    for one, other in zip(wrong, right, strict=False):
        if one != other:
            yield Scene(one["title"], _played(one), _played(other))


def _played(scene: dict[str, Any]) -> Played:
    return Played(bytes.fromhex(scene["bytes"]), scene["seen"])


def _play(lab: Lab, tree: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-P", str(Path(__file__).with_name("scenarios.py")), str(tree), lab.number]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS, stdin=subprocess.DEVNULL)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return []  # the tests have said what is wrong
    scenes: list[dict[str, Any]] = json.loads(done.stdout)
    return scenes

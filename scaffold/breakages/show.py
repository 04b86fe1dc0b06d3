"""Shows what a breakage does: the tests that go red, and where there is a file, its bytes and what recovery says."""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scaffold.breakages import Breakage
from scaffold.course import ROOT, Lab, find_lab
from scaffold.grading.engine import Engine
from scaffold.grading.failure import printable
from scaffold.grading.tree import Tree

_SECONDS = 30
_WITH_FILES = ("10.4", "10.5")


def show(breakage: Breakage, engine: Engine) -> Iterator[str]:
    """Yield the lines that a person reads."""
    yield f"{breakage.lab.number} {breakage.name}: {breakage.what}"
    yield from _difference(breakage)
    with breakage.applied() as tree:
        verdict = engine.run_lab(breakage.lab, tree, stop_at_timeout=False)
        yield ""
        yield f"red: {', '.join(verdict.red()) or 'nothing'}"
        if (red := verdict.first_red()) is not None:
            yield from (f"    {line}" for line in red.message.split("\n"))
        if breakage.lab.number in _WITH_FILES:
            yield from _scenes(breakage.lab, tree)


def _difference(breakage: Breakage) -> Iterator[str]:
    yield ""
    before, after = (text.strip("\n").split("\n") for text in (breakage.find, breakage.replace))
    for line in list(difflib.unified_diff(before, after, n=1, lineterm=""))[2:]:
        if not line.startswith("@@"):
            yield f"  {line[0]} {line[1:]}"
    if breakage.hangs:
        yield ""
        yield "This one never comes to an end; the limit of each test stops it, and that takes its time."


def _scenes(lab: Lab, broken: Path) -> Iterator[str]:
    """Yield the scenes that go another way than with the reference."""
    right, wrong = _play(lab, ROOT / "solutions"), _play(lab, broken)
    recover = Tree(ROOT / "solutions").load(find_lab("10.4")).recover_jsonl
    for scene, other in zip(wrong, right, strict=False):
        if scene == other:
            continue
        yield ""
        yield f"scene: {scene['title']}"
        yield from _numbered(scene["bytes"])
        yield f"    broken:    {printable(scene['seen'], 400)}"
        yield f"    reference: {printable(other['seen'], 400)}"
        if lab.number != "10.4" and scene["bytes"] != other["bytes"]:
            yield f"    recovery of these bytes:      {_reading(recover, scene['bytes'])}"
            yield f"    recovery of the reference's:  {_reading(recover, other['bytes'])}"


def _play(lab: Lab, tree: Path) -> list[dict[str, str]]:
    command = [sys.executable, "-P", str(Path(__file__).with_name("scenarios.py")), str(tree), lab.number]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS, stdin=subprocess.DEVNULL)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return []  # the tests have said what is wrong
    scenes: list[dict[str, str]] = json.loads(done.stdout)
    return scenes


def _numbered(text: str) -> Iterator[str]:
    """Yield the physical lines with their numbers, committed ones with their mark."""
    *committed, tail = text.split("\n")
    for number, line in enumerate(committed, start=1):
        yield f"    {number:>3} | {_visible(line)}\\n"
    if tail:
        yield f"    {len(committed) + 1:>3} | {_visible(tail)}   (no newline: a torn tail)"


def _visible(line: str) -> str:
    """Return a line in which also an odd space, or a separator, can be seen."""
    escaped = (each if each.isprintable() else each.encode("unicode_escape").decode() for each in line)
    return printable("".join(escaped), 400)


def _reading(recover: object, text: str) -> str:
    assert callable(recover)
    try:
        result = recover(text)
    except ValueError as error:
        return str(error)
    ids = ", ".join(entry["id"] for entry in result["entries"]) or "nothing"
    return f"{ids}; {'a torn tail' if result['warnings'] else 'no warning'}"

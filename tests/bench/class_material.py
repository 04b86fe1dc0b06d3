"""Honest submissions to measure with: the reference, and the reference with mistakes of `scaffold/breakages` in it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from scaffold.breakages import Breakage, all_breakages
from scaffold.course import LABS, REFERENCE, Lab

MISTAKES = 3  # at the most, each in another lab
Files = Mapping[str, bytes]  # by the folders of the labs


def submissions(number: int, seed: str) -> dict[str, Files]:
    """Return so many submissions by the names of their students: every other one is right, the rest half right.

    Mistakes by which something never ends are left out: every grader waits for those as long as it is told to.
    """
    chance = random.Random(seed)  # noqa: S311 (no secret)
    right = reference()
    mistakes = [each for each in all_breakages() if not each.hangs]
    found: dict[str, Files] = {}
    for count in range(number):
        labs = chance.sample(LABS, chance.randint(1, MISTAKES)) if count % 2 else []
        chosen = [chance.choice([each for each in mistakes if each.lab == lab]) for lab in labs]
        found[f"student{count:04}"] = right | dict(broken(each, right) for each in chosen)
    return found


def reference() -> dict[str, bytes]:
    assert REFERENCE is not None
    return {lab.folder: source_of(REFERENCE, lab).read_bytes() for lab in LABS}


def broken(breakage: Breakage, right: Files) -> tuple[str, bytes]:
    """Return the folder of a breakage's lab, and its file with the mistake in it."""
    folder = breakage.lab.folder
    text = right[folder].decode()
    assert text.count(breakage.find) == 1
    return folder, text.replace(breakage.find, breakage.replace).encode()


def fully_right(found: Mapping[str, Files]) -> set[str]:
    right = reference()
    return {student for student, files in found.items() if files == right}


def write(found: Mapping[str, Files], folder: Path) -> None:
    """Write a folder for each student, as class grading reads it."""
    for student, path, content in _files(found):
        target = folder / student / "labs" / path / "session.py"
        target.parent.mkdir(parents=True)
        target.write_bytes(content)


def _files(found: Mapping[str, Files]) -> Iterator[tuple[str, str, bytes]]:
    return ((student, path, content) for student, files in found.items() for path, content in files.items())


def source_of(tree: Path, lab: Lab) -> Path:
    return tree / lab.folder / "session.py"

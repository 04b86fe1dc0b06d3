"""Where a driver runs, and how the trusted side looks at the files that it leaves.

A sandbox is a stage of its own; it needs `run`, and can take `look_at` for `look`.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from scaffold.classroom.exam.driver import Observation
from scaffold.classroom.exam.operation import Operation

MAX_FILES = 1_000
MAX_BYTES = 2**20  # of one file; what is longer is cut
MAX_ALL_BYTES = 4 * 2**20  # of all files; a file with holes costs whoever made it nothing
MAX_LINE = 4 * 2**20
MAX_NAME = 300
MAX_NESTED = 500  # in a line; a driver nests three levels for each of `values.MAX_DEPTH`, at the most

_ESCAPE, _STRING = re.compile(rb"\\."), re.compile(rb'"[^"]*"')


@dataclass(frozen=True)
class Seen:
    """A file as the trusted side has seen it. `changed` is in nanoseconds since 1970. Only a regular file has data."""

    kind: Literal["file", "link", "other"]
    mode: int
    changed: int
    data: bytes = b""


class Stage(Protocol):
    """A place with a folder of its own, empty at first, in which drivers run one after the other."""

    def run(
        self, operations: Sequence[Operation], *, file_size_limit: int | None = None, kill_after: int | None = None
    ) -> list[bytes]:
        """Let a new process do operations in the folder, and return the lines it sends when nothing of it is left.

        No file may become longer than `file_size_limit` bytes; an append beyond that fails half-way, with EFBIG. The
        process is killed as soon as it has sent `kill_after` lines. A stage never raises for what the submission
        does: whatever ends the process, the lines until then are returned.
        """

    def look(self, names: Collection[str]) -> dict[str, Seen]:
        """Return the files of these names that are in the folder now; see `look_at`. The submission is not asked."""


def enter(folder: Path) -> None:
    """Make a folder of a stage this process's own, and one in it the system's for temporary files."""
    os.chdir(folder)
    temporary = Path("tmp").absolute()
    temporary.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)


def understood(line: bytes) -> Observation:
    """Return the observation that a line is. What is none becomes one that can't be right."""
    try:
        observation = json.loads(line) if len(line) <= MAX_LINE and not is_deep(line) else None
    except (ValueError, RecursionError):
        observation = None
    return observation if isinstance(observation, dict) else {"n": None, "seen": None}


def is_deep(line: bytes) -> bool:
    """Tell whether JSON is nested deeper than any process on its way may be able to read or write."""
    if line.count(b"[") + line.count(b"{") <= MAX_NESTED:
        return False
    level = 0
    for each in _STRING.sub(b"", _ESCAPE.sub(b"", line)):
        level += (each in b"[{") - (each in b"]}")
        if level > MAX_NESTED:
            return True
    return False


def look_at(folder: Path, names: Collection[str]) -> dict[str, Seen]:
    """Return the files of these names, and those in folders of these names, by their paths below the folder.

    Hostile code may have written to it. Links are not followed, and nothing waits.
    """
    seen: dict[str, Seen] = {}
    left = MAX_ALL_BYTES
    top = os.fspath(folder)
    waiting = [top]
    while waiting and len(seen) < MAX_FILES:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    continue
                name = entry.path[len(top) + 1 :].encode(errors="replace").decode()
                if len(seen) < MAX_FILES and (name in names or name.partition("/")[0] in names):
                    file = seen[name[:MAX_NAME]] = _look_at_file(entry, min(MAX_BYTES, left))
                    left -= len(file.data)
    return seen


def _look_at_file(entry: os.DirEntry[str], most: int) -> Seen:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        return Seen("link", stat.S_IMODE(status.st_mode), status.st_mtime_ns)
    if not stat.S_ISREG(status.st_mode):
        return Seen("other", stat.S_IMODE(status.st_mode), status.st_mtime_ns)
    try:
        descriptor = os.open(entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return Seen("other", stat.S_IMODE(status.st_mode), status.st_mtime_ns)
    with os.fdopen(descriptor, "rb") as file:
        return Seen("file", stat.S_IMODE(status.st_mode), status.st_mtime_ns, file.read(most))

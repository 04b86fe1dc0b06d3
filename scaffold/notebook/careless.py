"""A careless writer, to see what the rules of the store are for. It breaks all of them, and nothing is hidden here."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scaffold.given.entries import SessionEntry
from scaffold.given.faults import FaultyFileIO
from scaffold.given.file_io import DiskFileIO, SessionFileIO
from scaffold.given.samples import chapter_session


class CarelessWriter:
    """Writes a line for each entry and never looks back: not at what the file holds, nor at what has failed."""

    def __init__(self, path: Path, io: SessionFileIO) -> None:
        self._path = path
        self._io = io

    async def append(self, entry: SessionEntry) -> str:
        """Write an entry, and say how that went."""
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
        try:
            await self._io.append_file(self._path, line.encode())
        except OSError as error:
            return f"{entry['id']}: failed ({error.strerror})"
        return f"{entry['id']}: appended"


@dataclass(frozen=True)
class Mishap:
    """What the careless writer did to a file: its bytes before and after, and what it said of each append."""

    name: str
    what: str
    before: bytes
    after: bytes
    said: tuple[str, ...]


async def goes_on_after_a_failure(path: Path) -> list[str]:
    """The second of three writes fails after 27 bytes, and the writer goes on with the third."""
    a, b, _, d, _ = chapter_session()
    await DiskFileIO().ensure_file(path)
    writer = CarelessWriter(path, FaultyFileIO(fail_at=1, written=27))
    return [await writer.append(a), await writer.append(b), await writer.append(d)]


async def tries_again(path: Path) -> list[str]:
    """The second write fails after 27 bytes, and the writer tries the same entry again."""
    a, b, *_ = chapter_session()
    await DiskFileIO().ensure_file(path)
    writer = CarelessWriter(path, FaultyFileIO(fail_at=1, written=27))
    return [await writer.append(a), await writer.append(b), await writer.append(b)]


async def appends_behind_a_torn_tail(path: Path) -> list[str]:
    """A new process finds half a line at the end of the file, and appends without looking."""
    a, b, _, d, _ = chapter_session()
    await DiskFileIO().ensure_file(path)
    first = CarelessWriter(path, FaultyFileIO(fail_at=1, written=27))
    await first.append(a)
    await first.append(b)
    return [await CarelessWriter(path, DiskFileIO()).append(d)]


_SCENES: dict[str, Callable[[Path], Awaitable[list[str]]]] = {
    "careless: goes on after a failure": goes_on_after_a_failure,
    "careless: tries again": tries_again,
    "careless: appends behind a torn tail": appends_behind_a_torn_tail,
}
MISHAPS = tuple(_SCENES)


def mishap(name: str) -> Mishap:
    """Let the careless writer do its work on a file in a temporary folder. Raises KeyError for an unknown name."""
    with tempfile.TemporaryDirectory(prefix="session-tree-") as folder, ThreadPoolExecutor(1) as pool:
        path = Path(folder, "session.jsonl")
        # In a thread of its own, since a notebook has a running event loop already.
        said = pool.submit(asyncio.run, _play(name, path)).result()
        after = path.read_bytes()
    half = after[: after.index(b"\n") + 1 + 27]  # all scenes fail at the same byte
    return Mishap(name, str(_SCENES[name].__doc__), half, after, tuple(said))


async def _play(name: str, path: Path) -> list[str]:
    return await _SCENES[name](path)

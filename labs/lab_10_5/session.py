"""Lab 10.5: a session store in a file. New: a failed write may have left half a line, so the writer stops for good."""

from __future__ import annotations

import asyncio
import json
import os
from functools import partial
from pathlib import Path
from typing import Literal, Self

from scaffold.given.entries import RecoveredSession, SessionEntry
from scaffold.given.errors import ClosedError, InterruptedWriteError, LineError, NeedsRepairError, TreeError
from scaffold.given.fifo import Fifo, failed
from scaffold.given.file_io import DiskFileIO, SessionFileIO
from scaffold.given.lines import line_of_entry

from ..lab_10_2.session import parse_session_entry
from ..lab_10_3.session import check_place
from ..lab_10_4.session import recover_jsonl

ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_line(entry: SessionEntry) -> bytes:
    """Return an entry as one line of the file, with its commit mark.

    Task 10.5 a: JSON escapes the newlines inside strings, so the only one in the bytes is the commit mark.
    """
    raise NotImplementedError("Lab 10.5: to_line is not written yet")


def recover_bytes(data: bytes) -> RecoveredSession:
    """Recover a session from a file's bytes. Raises LineError for the first committed line that is damaged.

    A write may stop in the middle of a character, so the torn tail need not be UTF-8. Committed lines must be.

    Task 10.5 b: the byte 0x0A is never part of another character, so the bytes can be split before they are decoded.
    """
    raise NotImplementedError("Lab 10.5: recover_bytes is not written yet")


def as_fault(error: BaseException) -> Exception:
    """Return what everybody will get for a failed write: the error itself, if it can be handed on.

    A CancelledError would tell each caller that the caller was cancelled, and no future can hold a StopIteration.

    Task 10.5 e
    """
    raise NotImplementedError("Lab 10.5: as_fault is not written yet")


class JsonlSessionStore:
    """Appends the entries of one session to a file, as its only writer.

    `state` is one of
        ready         entries can be appended
        needs-repair  the file had a torn tail when it was opened: its complete lines can be read, and nothing is
                      appended, for a new line would be glued to the tail and make one damaged line of both
        tainted       a write of this store failed and may have left half a line: all that is called from now on, and
                      all that is queued, fails with that first error, and the file is not touched

    No state is left again. Repair the file if need be, and open a new store, which looks at the file afresh. An entry
    that is refused before its write began changes no state. (Chapter 10, step 5.)

    Await every append, or `drain()`, before the event loop ends; all in one loop and one thread. `aclose()` makes
    the store fit for `async with contextlib.aclosing(store)`.
    """

    def __init__(self, path: Path, io: SessionFileIO, ids: set[str], torn_line: int | None) -> None:
        self._path = path
        self._io = io
        self._ids = ids
        self._torn_line = torn_line
        self._fault: Exception | None = None
        self._closed = False
        self._queue = Fifo()

    @classmethod
    async def open(cls, path: str | os.PathLike[str], io: SessionFileIO | None = None) -> Self:
        """Open a session file, and make it if there is none. A file that is there is not changed.

        Raises LineError for a damaged committed line, or for one that can't follow those before it (it names the ids);
        OSError from the file.

        Task 10.5 c: make sure of the file, read it, recover it, and replay the ids in the order of the file.
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore.open is not written yet")

    @property
    def state(self) -> Literal["ready", "needs-repair", "tainted"]:
        """Whether the store can be written to; see the class."""
        if self._fault is None:
            return "ready" if self._torn_line is None else "needs-repair"
        return "tainted"

    def append(self, entry: object) -> asyncio.Future[None]:
        """Queue a copy of `entry` as it is now. The future is done when the line is in the file.

        The future fails with the first write error in a tainted store, NeedsRepairError, ClosedError, EntryError,
        TreeError, or the error of this write. Cancelling the future does not take the entry back.

        Task 10.5 d: at the call, refuse by state, then parse and serialize. In the queue, `_commit`.
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore.append is not written yet")

    def _refusal(self) -> Exception | None:
        """Return why no entry is taken in this state, or None if one is.

        Task 10.5 d: a future that fails adds to the traceback of its exception too.
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore._refusal is not written yet")

    async def _commit(self, entry: SessionEntry, line: bytes) -> None:
        """Write one line, when its turn has come.

        Task 10.5 e: since the call, an earlier job may have tainted the store, or committed the parent.
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore._commit is not written yet")

    def _raise_fault(self) -> None:
        """Raise the first write error, if there was one: the same object each time.

        Task 10.5 e: each raise adds to the traceback of an exception, so begin a new one.
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore._raise_fault is not written yet")

    async def read(self) -> RecoveredSession:
        """Return what the file holds now, after all appends that were called before. Raises what `open` raises.

        Task 10.5 f: in the queue, so that no half-written line is ever seen.
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore.read is not written yet")

    async def entries(self) -> list[SessionEntry]:
        """Return the entries that the file holds now, as `read` does.

        Task 10.5 f
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore.entries is not written yet")

    async def drain(self) -> None:
        """Wait until all that was appended before is written or refused.

        Task 10.5 f
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore.drain is not written yet")

    async def aclose(self) -> None:
        """Take no more entries, and wait for those that were taken. Reading is still possible.

        Task 10.5 f
        """
        raise NotImplementedError("Lab 10.5: JsonlSessionStore.aclose is not written yet")

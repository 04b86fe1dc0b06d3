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
    return ENCODER.encode(entry).encode() + b"\n"


def recover_bytes(data: bytes) -> RecoveredSession:
    """Recover a session from a file's bytes. Raises LineError for the first committed line that is damaged.

    A write may stop in the middle of a character, so the torn tail need not be UTF-8. Committed lines must be.

    Task 10.5 b: the byte 0x0A is never part of another character, so the bytes can be split before they are decoded.
    """
    end = data.rfind(b"\n") + 1
    try:
        committed = data[:end].decode()
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        recover_jsonl(data[:start].decode())  # an earlier line may be damaged in another way
        raise LineError(data.count(b"\n", 0, start) + 1, f"is not UTF-8: {error.reason}") from error
    return recover_jsonl(committed + data[end:].decode(errors="replace"))


def as_fault(error: BaseException) -> Exception:
    """Return what everybody will get for a failed write: the error itself, if it can be handed on.

    A CancelledError would tell each caller that the caller was cancelled, and no future can hold a StopIteration.

    Task 10.5 e
    """
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    fault = InterruptedWriteError("a write was broken off and may have left half a line; open a new store")
    fault.__cause__ = error
    return fault


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
        path, io = Path(path), io or DiskFileIO()
        await io.ensure_file(path)
        data = await io.read_file(path)
        recovered = recover_bytes(data)
        ids: set[str] = set()
        for index, entry in enumerate(recovered["entries"]):
            try:
                check_place(entry, ids)
            except TreeError as error:
                raise LineError(line_of_entry(data, index), str(error)) from error
            ids.add(entry["id"])
        torn_line = next((warning["line"] for warning in recovered["warnings"]), None)
        return cls(path, io, ids, torn_line)

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
        refusal = self._refusal()
        if refusal is not None:
            return failed(refusal)
        try:
            snapshot = parse_session_entry(entry)
            line = to_line(snapshot)
        except Exception as error:
            return failed(error)
        return self._queue.submit(partial(self._commit, snapshot, line))

    def _refusal(self) -> Exception | None:
        """Return why no entry is taken in this state, or None if one is.

        Task 10.5 d: a future that fails adds to the traceback of its exception too.
        """
        if self._fault is not None:
            return self._fault.with_traceback(None)
        if self._torn_line is not None:
            return NeedsRepairError(self._torn_line)
        return ClosedError("this store is closed; open a new one") if self._closed else None

    async def _commit(self, entry: SessionEntry, line: bytes) -> None:
        """Write one line, when its turn has come.

        Task 10.5 e: since the call, an earlier job may have tainted the store, or committed the parent.
        """
        self._raise_fault()
        check_place(entry, self._ids)
        try:
            await self._io.append_file(self._path, line)
        except BaseException as error:
            self._fault = as_fault(error)
            raise self._fault  # noqa: B904 (`from` would change an error that belongs to somebody else)
        self._ids.add(entry["id"])

    def _raise_fault(self) -> None:
        """Raise the first write error, if there was one: the same object each time.

        Task 10.5 e: each raise adds to the traceback of an exception, so begin a new one.
        """
        if self._fault is not None:
            raise self._fault.with_traceback(None)

    async def read(self) -> RecoveredSession:
        """Return what the file holds now, after all appends that were called before. Raises what `open` raises.

        Task 10.5 f: in the queue, so that no half-written line is ever seen.
        """

        async def recover() -> RecoveredSession:
            self._raise_fault()
            return recover_bytes(await self._io.read_file(self._path))

        return await self._queue.submit(recover)

    async def entries(self) -> list[SessionEntry]:
        """Return the entries that the file holds now, as `read` does.

        Task 10.5 f
        """
        return (await self.read())["entries"]

    async def drain(self) -> None:
        """Wait until all that was appended before is written or refused.

        Task 10.5 f
        """
        await self._queue.drain()

    async def aclose(self) -> None:
        """Take no more entries, and wait for those that were taken. Reading is still possible.

        Task 10.5 f
        """
        self._closed = True
        await self._queue.drain()

"""Lab 10.3: a session store in memory. New: an entry belongs to the store from the moment of the call."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Container

from scaffold.given.entries import SessionEntry
from scaffold.given.errors import TreeError, quoted
from scaffold.given.fifo import Fifo, failed

from ..lab_10_2.session import parse_session_entry


def check_place(entry: SessionEntry, committed: Container[str]) -> None:
    """Raise TreeError, which names the ids, unless `entry` can follow the entries with the committed ids.

    Its id must be new. It must be a root, of which there may be several, or its parent must be committed already: a
    child that is stored before its parent could not be restored if the parent never came.

    Task 10.3 a
    """
    child, parent = entry["id"], entry["parentId"]
    if child in committed:
        raise TreeError(f"the id {quoted(child)} is used twice; every entry needs its own", child)
    if parent is not None and parent not in committed:
        problem = f"entry {quoted(child)} names the parent {quoted(parent)}, which is missing; the parent comes first"
        raise TreeError(problem, child, parent)


class InMemorySessionStore:
    """Keeps the entries of one session, in the order in which they were appended.

    The entries change hands by deep copy, so that nobody can change what is stored: once when the caller calls
    `append`, and once for each reader. An append that fails leaves no trace. (Chapter 10, step 3.)
    """

    def __init__(self) -> None:
        self._entries: dict[str, SessionEntry] = {}
        self._queue = Fifo()

    def append(self, entry: object) -> asyncio.Future[None]:
        """Store a copy of `entry` as it is now, after all that was appended before. Await the result for the outcome.

        The future fails with EntryError for what is no entry, and with TreeError for a duplicate id or a parent that
        is missing when the entry's turn comes. This is no `async def`, which would run only when it is awaited, and
        so would store what the caller has made of the entry by then.

        Task 10.3 b: at the call, parse (that is the copy). In the queue, check the place and store.
        """
        try:
            snapshot = parse_session_entry(entry)
        except ValueError as error:
            return failed(error)

        async def commit() -> None:
            check_place(snapshot, self._entries)
            self._entries[snapshot["id"]] = snapshot

        return self._queue.submit(commit)

    async def entries(self) -> list[SessionEntry]:
        """Return copies of all entries, after all appends that were called before.

        Task 10.3 c
        """

        async def read() -> list[SessionEntry]:
            return copy.deepcopy(list(self._entries.values()))

        return await self._queue.submit(read)

"""Plays programs of steps with a store, and reports what each step shows.

A step is a word and what belongs to it. What a call returned is kept under a label, so that a later step can wait for
it, cancel it, or change what was passed.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from scaffold.classroom.exam.io import ScriptedIO
from scaffold.classroom.exam.recipes import build
from scaffold.classroom.exam.reports import Objects, error_report
from scaffold.classroom.exam.values import change, encode, sharing

Said = Any  # a JSON value


class Player:
    """Plays one program. `said` is what the steps have shown so far; `halfway` is called in the middle of a write."""

    def __init__(self, lab: Any, operation: dict[str, Any], halfway: Callable[[], None]) -> None:
        self.said: list[Said] = []
        self._lab = lab
        self._operation = operation
        self._halfway = halfway
        self._store: Any = None
        self._io = ScriptedIO({}, halfway)
        self._passed: dict[str, Any] = {}
        self._outcomes: dict[str, Any] = {}
        self._readings: list[Any] = []
        self._logged: list[str] = []
        self._objects: Objects | None = Objects() if "identity" in operation else None

    async def play(self) -> None:
        for step in self._operation["steps"]:
            try:
                said = await self._do(*step)
            except Exception as error:
                said = self._error(error)
            self.said.append(said)

    async def _do(self, word: str, *rest: Any) -> Said:
        return await getattr(self, f"_do_{word.replace(' ', '_')}")(*rest)

    def _error(self, error: BaseException) -> Said:
        return error_report(error, self._objects)

    @property
    def _file(self) -> Path:
        return Path(self._operation["file"])

    async def _outcome(self, awaitable: Awaitable[Any]) -> Said:
        """Wait for an outcome, of which only its kind matters."""
        try:
            await awaitable
        except (Exception, asyncio.CancelledError) as error:
            _let_through_if_ours(error)
            return self._error(error)
        return "done"

    # Stores, and what is asked of them

    async def _do_memory(self) -> Said:
        self._store = self._lab.InMemorySessionStore()

    async def _do_open(self, io: dict[str, Any]) -> Said:
        self._store = None
        self._io = ScriptedIO(io, self._halfway)
        if self._operation.get("identity") == "write error" and io:
            self._objects = Objects(self._io.error)
        arguments = (self._io,) if io else ()
        self._store = await self._lab.JsonlSessionStore.open(str(self._file), *arguments)

    async def _do_append(self, label: str, recipe: Any) -> Said:
        entry = self._passed[label] = build(recipe)
        self._outcomes[label] = outcome = self._store.append(entry)
        return "a future" if inspect.isawaitable(outcome) else "no future"

    async def _do_await(self, label: str) -> Said:
        return await self._outcome(self._outcomes[label])

    async def _do_change(self, label: str, changes: list[Any]) -> Said:
        change(self._passed[label], changes)
        return encode(self._passed[label])

    async def _do_spoil_result(self, label: str) -> Said:
        result = await self._outcomes[label]
        change(result, [(0.0, "add", "spoilt"), (0.0, "put", "spoilt")])

    async def _do_start(self, label: str, what: str) -> Said:
        self._outcomes[label] = asyncio.ensure_future(getattr(self._store, what)())

    async def _do_value(self, label: str) -> Said:
        return await self._reading(self._outcomes[label])

    async def _do_task(self, label: str) -> Said:
        self._outcomes[label] = asyncio.ensure_future(self._outcomes[label])

    async def _do_cancel(self, label: str) -> Said:
        self._outcomes[label] = asyncio.ensure_future(self._outcomes[label])
        self._outcomes[label].cancel()

    async def _do_settle(self, label: str) -> Said:
        """Wait for what was cancelled, which may have been done all the same."""
        said = await self._outcome(self._outcomes[label])
        cancelled = said != "done" and said["$error"]["name"] == "CancelledError"
        return "done" if cancelled else said

    async def _do_read(self) -> Said:
        return await self._reading(self._store.read())

    async def _do_entries(self) -> Said:
        return await self._reading(self._store.entries())

    async def _reading(self, reading: Awaitable[Any]) -> Said:
        self._readings.append(await reading)
        return {"read": encode(self._readings[-1])}

    async def _do_spoil(self, changes: list[Any]) -> Said:
        change(self._readings[-1], changes)
        return encode(self._readings[-1])

    async def _do_shared(self) -> Said:
        return [pair for pair in sharing(self._readings[-2:]) if pair[0] != pair[1]]

    async def _do_drain(self) -> Said:
        return await self._outcome(self._store.drain())

    async def _do_aclose(self) -> Said:
        return await self._outcome(self._store.aclose())

    async def _do_state(self) -> Said:
        state = self._store.state
        return encode(getattr(state, "value", state))

    # What is around a store

    async def _do_yield(self, times: int) -> Said:
        for _ in range(times):
            await asyncio.sleep(0)

    async def _do_waits(self, label: str) -> Said:
        return not self._outcomes[label].done()

    async def _do_arrived(self, what: str) -> Said:
        if self._store is None:
            raise RuntimeError("no store was opened")  # or else each operation would take all the time that it may
        await self._io.arrived[what].wait()

    async def _do_gate(self, what: str, is_open: bool) -> Said:
        self._io.set_gate(what, is_open)

    async def _do_break_reading(self, broken: bool) -> Said:
        self._io.reading_fails = broken

    async def _do_blame(self) -> Said:
        return self._io.error.__cause__ is None

    async def _do_mark(self) -> Said:
        self._io.reads = 0

    async def _do_appends(self) -> Said:
        return self._io.appends

    async def _do_reads(self) -> Said:
        return self._io.reads

    async def _do_write(self, data: str) -> Said:
        self._file.write_bytes(bytes.fromhex(data))

    async def _do_bytes(self) -> Said:
        return {"$file": self._file.read_bytes().hex()}

    async def _do_log(self) -> Said:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self._logged.append(str(context["message"])))

    async def _do_forget(self) -> Said:
        self._outcomes.clear()
        self._passed.clear()
        gc.collect()

    async def _do_logged(self) -> Said:
        asyncio.get_running_loop().set_exception_handler(None)
        return self._logged


def _let_through_if_ours(error: BaseException) -> None:
    """Raise again what says that the driver itself was cancelled, because a program's time is up."""
    task = asyncio.current_task()
    if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
        raise error

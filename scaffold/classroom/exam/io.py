"""A file seam that fails, waits, or stands still where an operation says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scaffold.given.file_io import DiskFileIO

ERRORS: dict[str, Callable[[], BaseException]] = {
    "OSError": lambda: OSError(28, "No space left on device"),
    "RuntimeError": lambda: RuntimeError("the disk is gone"),
    "CancelledError": asyncio.CancelledError,
    "StopIteration": StopIteration,
}


class ScriptedIO(DiskFileIO):
    """A disk, or a piece of memory, that goes by a script.

    fail_at  the number of the append that fails, after `written` bytes, with `error`
    gated    each append writes half of its bytes, and waits at a gate
    halfway  an append writes so many bytes, says so, and never ends
    memory   there is no file
    """

    def __init__(self, script: dict[str, Any], halfway: Callable[[], None]) -> None:
        self.error = ERRORS[script.get("error", "OSError")]()
        self.appends = 0
        self.reads = 0
        self.reading_fails = False
        self.arrived = {"write": asyncio.Event(), "reading": asyncio.Event()}
        self._gates = {"write": asyncio.Event(), "reading": asyncio.Event()}
        self._script = script
        self._say_halfway = halfway
        self._memory = b"" if script.get("memory") else None
        self.set_gate("reading", True)
        self.set_gate("write", not script.get("gated"))

    def set_gate(self, what: str, is_open: bool) -> None:
        if is_open:
            self._gates[what].set()
        else:
            self._gates[what].clear()
            self.arrived[what].clear()

    async def ensure_file(self, path: Path) -> None:
        if self._memory is None:
            await super().ensure_file(path)

    async def read_file(self, path: Path) -> bytes:
        self.reads += 1
        self.arrived["reading"].set()
        await self._gates["reading"].wait()
        if self.reading_fails:
            raise OSError(5, "Input/output error")
        return await super().read_file(path) if self._memory is None else self._memory

    def append_file(self, path: Path, data: bytes) -> Any:
        """Append, or fail. A StopIteration is raised at the call, as a plain function may do it."""
        number = self.appends
        self.appends += 1
        fails = number == self._script.get("fail_at")
        if fails and isinstance(self.error, StopIteration):
            raise self.error
        return self._append(path, data, fails=fails)

    async def _append(self, path: Path, data: bytes, *, fails: bool) -> None:
        if "halfway" in self._script:
            await self._put(path, data[: self._script["halfway"]])
            self._say_halfway()
            await asyncio.Event().wait()
        data = data[: self._script.get("written", 12)] if fails else data
        half = len(data) // 2 if self._script.get("gated") else 0
        if half:
            await self._put(path, data[:half])
        self.arrived["write"].set()
        await self._gates["write"].wait()
        await self._put(path, data[half:])
        if fails:
            raise self.error

    async def _put(self, path: Path, data: bytes) -> None:
        if self._memory is None:
            await super().append_file(path, data)
        else:
            self._memory += data

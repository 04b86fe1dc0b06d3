"""File seams that go wrong on purpose, to see what a store does then."""

from __future__ import annotations

import asyncio
from pathlib import Path

from scaffold.given.file_io import DiskFileIO


class FaultyFileIO(DiskFileIO):
    """A disk on which one append fails half-way, and all others succeed.

    That the later ones succeed is what makes a careless writer visible: it glues its next line to the half one.
    `appends` and `reads` count the calls.
    """

    def __init__(self, fail_at: int = 0, error: BaseException | None = None, written: int = 12) -> None:
        """Let the append with the index `fail_at` write its first `written` bytes, and then raise `error`."""
        self.fail_at = fail_at
        self.error = error or OSError(28, "No space left on device")
        self.written = written
        self.appends = 0
        self.reads = 0

    async def read_file(self, path: Path) -> bytes:
        self.reads += 1
        return await super().read_file(path)

    async def append_file(self, path: Path, data: bytes) -> None:
        call = self.appends
        self.appends += 1
        if call == self.fail_at:
            await super().append_file(path, data[: self.written])
            raise self.error
        await super().append_file(path, data)


class GatedFileIO(DiskFileIO):
    """A disk on which each append writes half of its bytes, and then waits until the gate is opened.

    `arrived` is set when an append is waiting. `appends` counts the calls.
    """

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.arrived = asyncio.Event()
        self.appends = 0

    async def append_file(self, path: Path, data: bytes) -> None:
        self.appends += 1
        half = len(data) // 2
        await super().append_file(path, data[:half])
        self.arrived.set()
        await self.gate.wait()
        await super().append_file(path, data[half:])

"""All sequences of up to three things that can happen to a session file: the invariants hold after each."""

from __future__ import annotations

import asyncio
import errno
import itertools
from pathlib import Path
from typing import Any

import pytest

from kit.invariants import SHORT, Model, line_of
from scaffold.given.errors import ClosedError, NeedsRepairError
from scaffold.given.file_io import DiskFileIO
from scaffold.given.samples import metadata_entry
from solutions import JsonlSessionStore

OPERATIONS = (
    "append",
    "append short",
    "append EIO",
    "cancel",
    "close",
    "reopen",
    "foreign append",
    "unlink",
    "replace",
)
SEQUENCES = [sequence for length in (1, 2, 3) for sequence in itertools.product(OPERATIONS, repeat=length)]


class ObedientIO(DiskFileIO):
    """A disk whose next append fails as it is told: "short" or "error"."""

    def __init__(self) -> None:
        self.fails = ""

    async def append_file(self, path: Path, data: bytes) -> None:
        fails, self.fails = self.fails, ""
        if fails == "short" and path.exists():
            await super().append_file(path, data[:SHORT])
            raise OSError(errno.ENOSPC, "full")
        if fails and path.exists():
            raise OSError(errno.EIO, "broken")
        await super().append_file(path, data)


class World:
    """The real file with its real store, and the model beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.io = ObedientIO()
        self.store: JsonlSessionStore | None = None
        self.model = Model()
        self.errors: dict[JsonlSessionStore, Exception] = {}
        self.ids = (f"e{number}" for number in itertools.count())

    def new_line(self, parent: str | None) -> tuple[Any, bytes]:
        entry = metadata_entry(next(self.ids), parent, "note", "道 🌳")
        return entry, line_of(entry)

    async def do(self, operation: str) -> None:
        """Let it happen to both, and compare what came of it."""
        match operation.split():
            case ["append", *fails]:
                await self.append({"": "", "short": "short", "EIO": "error"}[fails[0] if fails else ""])
            case ["cancel"]:
                await self.append("", cancelled=True)
            case ["close"]:
                await self.close()
            case ["reopen"]:
                await self.reopen()
            case ["foreign", "append"]:
                self.write(self.path.read_bytes() + self.new_line(None)[1] if self.path.exists() else b"")
            case ["unlink"]:
                self.path.unlink(missing_ok=True)
                self.model.data = None
            case ["replace"]:
                self.write(self.new_line(None)[1])

    def write(self, data: bytes) -> None:
        """Let somebody else put these bytes there."""
        other = self.path.with_name("other")
        other.write_bytes(data)
        other.replace(self.path)
        self.model.data = data

    async def append(self, fails: str, *, cancelled: bool = False) -> None:
        if self.store is None:
            return
        entry, line = self.new_line("root")
        expected = self.model.append(line, fails)
        self.io.fails = fails
        outcome = self.store.append(entry)
        if cancelled:
            outcome.cancel()
            await self.store.drain()
        else:
            assert await self.outcome_of(outcome) == expected

    async def outcome_of(self, outcome: asyncio.Future[None]) -> str:
        assert self.store is not None
        try:
            await outcome
        except NeedsRepairError:
            return "needs repair"
        except ClosedError:
            return "closed"
        except OSError as error:
            self.same_error(error)
            return f"fault {error.errno}"
        except ValueError:
            return "refused"
        return "appended"

    def same_error(self, error: Exception) -> None:
        """A store has one error for everybody."""
        assert self.store is not None
        assert self.errors.setdefault(self.store, error) is error

    async def close(self) -> None:
        if self.store is not None and self.model.store is not None:
            await self.store.aclose()
            self.model.store.closed = True

    async def reopen(self) -> None:
        self.model.open()
        try:
            self.store = await JsonlSessionStore.open(self.path, self.io)
        except ValueError:
            self.store = None
        assert (self.store is None) == (self.model.store is None)

    async def check(self) -> None:
        """Compare all that can be seen."""
        assert (self.path.read_bytes() if self.path.exists() else None) == self.model.data
        if self.store is None or self.model.store is None:
            return
        assert self.store.state == self.model.store.state
        try:
            recovered = await self.store.read()
        except ValueError:
            assert self.model.readable() is None
        except OSError as error:
            if self.model.store.fault is None:
                assert self.model.data is None
            else:
                self.same_error(error)
        else:
            assert self.model.store.fault is None
            assert [entry["id"] for entry in recovered["entries"]] == self.model.readable()


def test_there_are_819_of_them() -> None:
    assert len(SEQUENCES) == 819


@pytest.mark.parametrize("sequence", SEQUENCES, ids=", ".join)
async def test_the_invariants_hold_whatever_happens(tmp_path: Path, sequence: tuple[str, ...]) -> None:
    world = World(tmp_path / "session.jsonl")
    entry = metadata_entry("root", None, "note", 1)
    world.write(line_of(entry))
    await world.reopen()

    for operation in sequence:
        await world.do(operation)
        await world.check()

    await world.reopen()
    await world.check()

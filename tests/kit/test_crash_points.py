"""Wherever a write breaks off, what was committed is read again, and nothing is written after it."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kit.invariants import line_of
from scaffold.given import file_io
from scaffold.given.samples import message_entry, metadata_entry, user
from solutions import JsonlSessionStore

pytestmark = pytest.mark.timeout(60)

# Characters of one, two, three and four bytes.
ENTRIES: list[Any] = [
    message_entry("root", None, user("plain, Größe")),
    metadata_entry("道", "root", "note", ["叶子", {"🌳": "line\nend"}]),
    message_entry("leaf", "道", user("👩\u200d💻 done \u2028")),
]


LINES = [line_of(entry) for entry in ENTRIES]
WHOLE = b"".join(LINES)


@pytest.mark.parametrize("cut", range(len(WHOLE) + 1))
async def test_a_file_cut_at_any_byte_gives_its_committed_lines(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(WHOLE[:cut])

    store = await JsonlSessionStore.open(path)
    recovered = await store.read()

    whole_lines = WHOLE[:cut].count(b"\n")
    torn = not WHOLE[:cut].endswith(b"\n") and cut > 0
    assert recovered["entries"] == ENTRIES[:whole_lines]
    assert recovered["warnings"] == ([{"code": "unterminated_tail", "line": whole_lines + 1}] if torn else [])
    assert store.state == ("needs-repair" if torn else "ready")
    assert path.read_bytes() == WHOLE[:cut]


class FailingSystem:
    """Stands in for `os`, and for what the file seam uses of `Path`: the call with the index `fail_at` fails.

    The others do what they always do, so that a writer that goes on would be seen in the file. `calls` has the name
    of each call, `failed` is the name of the one that was made to fail.
    """

    def __init__(self, fail_at: int, fault: Callable[[int, Any], int]) -> None:
        self.calls: list[str] = []
        self.failed = ""
        self.fail_at = fail_at
        self._fault = fault
        for name in ("open", "write", "close", "fstat"):
            setattr(self, name, self.failing(name, getattr(os, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def failing(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            index = len(self.calls)
            self.calls.append(name)
            if index != self.fail_at:
                return real(*arguments, **options)
            self.failed = name
            if name == "close":
                real(*arguments)  # Linux closes the descriptor, whatever it reports
            return self._fault(*arguments[:2]) if name == "write" else self._fault(-1, b"")

        return call


def error_with(code: int) -> Callable[[int, Any], int]:
    def fault(_descriptor: int, _data: Any) -> int:
        raise OSError(code, os.strerror(code))

    return fault


def short_write(size: Callable[[int], int]) -> Callable[[int, Any], int]:
    """Write less than was asked for, without an error; the next call can tell why. Calls other than a write fail."""

    def fault(descriptor: int, data: Any) -> int:
        if descriptor < 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        written = size(len(data))
        return os.write(descriptor, data[:written]) if written else 0

    return fault


FAULTS: dict[str, Callable[[int, Any], int]] = {
    "ENOSPC": error_with(errno.ENOSPC),
    "EIO": error_with(errno.EIO),
    "EFBIG": error_with(errno.EFBIG),
    "EINTR": error_with(errno.EINTR),
    "a write of 0 bytes": short_write(lambda _size: 0),
    "a write of 1 byte": short_write(lambda _size: 1),
    "a write of all bytes but one": short_write(lambda size: size - 1),
}


async def open_and_append(path: Path) -> tuple[JsonlSessionStore | None, list[Any]]:
    """Open a store and append all entries at once. Return the outcome of each: None, or its error."""
    try:
        store = await JsonlSessionStore.open(path)
    except OSError:
        return None, []
    outcomes = [store.append(entry) for entry in ENTRIES]
    return store, await asyncio.gather(*outcomes, return_exceptions=True)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_each_system_call_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[int, Any], int]
) -> None:
    failed = []
    for fail_at in range(100):
        path = tmp_path / f"{fail_at}" / "session.jsonl"
        system = FailingSystem(fail_at, fault)
        with monkeypatch.context() as patch:
            patch.setattr(file_io, "os", system)
            patch.setattr(Path, "mkdir", system.failing("mkdir", Path.mkdir))
            patch.setattr(Path, "read_bytes", system.failing("read", Path.read_bytes))
            store, outcomes = await open_and_append(path)
        failed.append(system.failed)
        if not system.failed:
            break
        await check_what_is_left(path, store, outcomes, system)

    assert failed[-1] == "", "there was always one call more to fail"
    assert set(failed) == {"mkdir", "open", "fstat", "close", "read", "write", ""}


async def check_what_is_left(
    path: Path, store: JsonlSessionStore | None, outcomes: list[Any], system: FailingSystem
) -> None:
    data = path.read_bytes() if path.exists() else b""
    acknowledged = sum(outcome is None for outcome in outcomes)

    assert WHOLE.startswith(data)  # nothing was written after a gap
    assert data.startswith(b"".join(LINES[:acknowledged]))  # no committed line was lost
    assert [outcome is None for outcome in outcomes] == [index < acknowledged for index in range(len(outcomes))]
    if store is None:
        assert data == b""
    elif acknowledged < len(ENTRIES):
        errors = outcomes[acknowledged:]
        assert all(error is errors[0] for error in errors)
        assert store.state == "tainted"
        assert set(system.calls[system.fail_at + 1 :]) <= {"close"}  # no write after a failed one
        with pytest.raises(OSError, match=r".") as caught:
            await store.read()
        assert caught.value is errors[0]

    again = await JsonlSessionStore.open(path)
    committed = data.count(b"\n")
    assert await again.entries() == ENTRIES[:committed]
    assert committed >= acknowledged
    assert again.state == ("ready" if data.endswith(b"\n") or not data else "needs-repair")

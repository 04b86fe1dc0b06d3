"""What is measured, and against what."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scaffold.course import ROOT
from scaffold.given.generator import make_session
from scaffold.given.samples import metadata_entry
from solutions import InMemorySessionStore, JsonlSessionStore, parse_session_entry, path_to, recover_jsonl

Work = Callable[[], object]
Pair = tuple[Work, Work]


@dataclass(frozen=True)
class Row:
    """One line of the table. `goal` is what the ratio should not pass."""

    name: str
    floor: str
    goal: str
    prepared: Callable[..., AbstractContextManager[Pair]]
    rounds: int = 9
    of_session: bool = False
    is_memory: bool = False


def line(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"


def session_text(file: Path | None) -> str:
    """Return the text of a session file, or of 10,000 generated entries in many scripts."""
    return file.read_bytes().decode() if file else "".join(line(entry) for entry in make_session(10_000))


@contextmanager
def recovery(file: Path | None) -> Iterator[Pair]:
    text = session_text(file)
    lines = [each for each in text.split("\n") if each.strip()]
    yield lambda: recover_jsonl(text), lambda: [json.loads(each) for each in lines]


@contextmanager
def recovery_memory(file: Path | None) -> Iterator[Pair]:
    """Measure beside the text itself. The floor is as many bytes as the file has."""
    text = session_text(file)
    size = len(text.encode())
    yield lambda: recover_jsonl(text), lambda: bytearray(size)


def peak_memory(work: Work) -> int:
    """Return the most bytes that were in use at one time, beyond those in use before."""
    tracemalloc.start()
    kept = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return peak


def append_all(path: Path, entries: list[Any]) -> None:
    async def run() -> None:
        store = await JsonlSessionStore.open(path)
        for entry in entries:
            store.append(entry)
        await store.drain()

    asyncio.run(run())


def write_all(path: Path, entries: list[Any]) -> None:
    """Do the least that a writer must: check, serialize, and write each line with a system call of its own."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for entry in entries:
        os.write(descriptor, line(parse_session_entry(entry)).encode())
    os.close(descriptor)


@contextmanager
def append_burst() -> Iterator[Pair]:
    entries = make_session(2_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")

        def anew(work: Callable[[Path, list[Any]], None]) -> None:
            path.unlink(missing_ok=True)
            work(path, entries)

        yield lambda: anew(append_all), lambda: anew(write_all)


@contextmanager
def append_after_history() -> Iterator[Pair]:
    """1,000 appends to a store that is open already, on a long and on a short file."""
    loop = asyncio.new_event_loop()
    numbers = iter(range(10**9))
    with tempfile.TemporaryDirectory() as folder:
        stores = []
        for size in (100_000, 100):
            path = Path(folder, f"{size}.jsonl")
            path.write_text("".join(line(metadata_entry(f"h{each}", None, "n", each)) for each in range(size)), "utf-8")
            stores.append(loop.run_until_complete(JsonlSessionStore.open(path)))

        def appends(store: JsonlSessionStore) -> None:
            async def run() -> None:
                for _ in range(1_000):
                    store.append(metadata_entry(f"x{next(numbers)}", "h7", "note", "some words"))
                await store.drain()

            loop.run_until_complete(run())

        long, short = stores
        yield lambda: appends(long), lambda: appends(short)
    loop.close()


@contextmanager
def long_path() -> Iterator[Pair]:
    """One chain of 1,000,000 entries, and a hundred of 10,000: the same number of entries either way."""
    chain = [metadata_entry(f"e{each}", f"e{each - 1}" if each else None, "n", each) for each in range(1_000_000)]
    short = chain[:10_000]
    yield lambda: path_to(chain, "e999999"), lambda: [path_to(short, "e9999") for _ in range(100)]


def round_trip(entries: list[Any]) -> Any:
    """Copy entries by way of JSON text."""
    return json.loads(json.dumps(entries, ensure_ascii=False, separators=(",", ":")))


@contextmanager
def reading_memory() -> Iterator[Pair]:
    loop = asyncio.new_event_loop()
    entries: list[Any] = make_session(10_000)

    async def filled() -> InMemorySessionStore:
        store = InMemorySessionStore()
        for entry in entries:
            store.append(entry)
        await store.entries()
        return store

    store = loop.run_until_complete(filled())
    yield (
        lambda: loop.run_until_complete(store.entries()),
        lambda: round_trip(entries),
    )
    loop.close()


@contextmanager
def reading_file() -> Iterator[Pair]:
    loop = asyncio.new_event_loop()
    entries: list[Any] = make_session(10_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_text("".join(map(line, entries)), "utf-8")
        store = loop.run_until_complete(JsonlSessionStore.open(path))
        yield lambda: loop.run_until_complete(store.entries()), lambda: round_trip(entries)
    loop.close()


@contextmanager
def grading() -> Iterator[Pair]:
    """One lab of the reference: by the grader, and by pytest without plugins of others."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(*arguments: str) -> None:
        command = [sys.executable, *arguments]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)

    bare = ["-m", "pytest", "-q", "-p", "pytest_timeout", "-p", "no:cacheprovider", "--tree=solutions"]
    yield (
        lambda: run("grade.py", "10.1", "--tree", "solutions"),
        lambda: run(*bare, "tests/test_lab_10_1.py"),
    )


ROWS = (
    Row("recovery", "json.loads of each line", "1.5", recovery, of_session=True),
    Row("recovery-memory", "the bytes of the file", "2.3", recovery_memory, of_session=True, is_memory=True),
    Row("append-burst", "check, serialize and write, without a store", "1.5", append_burst),
    Row("append-after-100,000", "the same after 100 entries", "1.1", append_after_history, rounds=15),
    Row("path-of-1,000,000", "100 paths of 10,000", "-", long_path, rounds=3),
    Row("entries-of-the-memory-store", "a round trip through JSON", "1.0", reading_memory),
    Row("entries-of-the-file-store", "the same, without a file", "-", reading_file),
    Row("grade.py-10.1", "bare pytest of the same file", "1.5", grading),
)

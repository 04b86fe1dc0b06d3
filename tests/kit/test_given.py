"""What students are handed keeps its promises: the queue, the file seam, the faults, the samples, the agent."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import solutions
from scaffold.given import agent, faults, fifo, file_io, generator, samples
from scaffold.given.lines import line_of_entry

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


async def settled(*outcomes: asyncio.Future[Any]) -> list[Any]:
    return await asyncio.gather(*outcomes, return_exceptions=True)


# The queue


async def test_jobs_run_one_at_a_time_in_the_order_of_submission() -> None:
    queue, seen = fifo.Fifo(), []

    def job(number: int) -> Callable[[], Awaitable[int]]:
        async def run() -> int:
            seen.append(f"{number} begins")
            await asyncio.sleep(0)
            seen.append(f"{number} ends")
            return number

        return run

    results = await settled(*[queue.submit(job(number)) for number in range(3)])

    assert results == [0, 1, 2]
    assert seen == [f"{number} {step}" for number in range(3) for step in ("begins", "ends")]


async def test_a_failed_job_and_a_cancelled_caller_do_not_stop_the_queue() -> None:
    queue, ran = fifo.Fifo(), []

    async def fail() -> None:
        raise OSError("full")

    async def note() -> None:
        ran.append("noted")

    failing, cancelled, last = queue.submit(fail), queue.submit(note), queue.submit(note)
    cancelled.cancel()
    await queue.drain()

    assert isinstance(failing.exception(), OSError)
    assert last.result() is None
    assert ran == ["noted", "noted"]


@pytest.mark.parametrize("error", [StopIteration("x"), asyncio.CancelledError(), GeneratorExit()])
async def test_an_error_that_no_future_can_hold_still_reaches_the_caller(error: BaseException) -> None:
    queue = fifo.Fifo()
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)

    async def fail() -> None:
        raise error

    outcome = queue.submit(fail)
    await asyncio.wait([outcome])

    assert isinstance(outcome.exception(), fifo.JobStoppedError | RuntimeError)


async def test_a_stopped_worker_fails_all_that_waits() -> None:
    queue = fifo.Fifo()
    began = asyncio.Event()

    async def wait() -> None:
        began.set()
        await asyncio.Event().wait()

    outcomes = [queue.submit(wait), queue.submit(wait)]
    await began.wait()
    [worker] = fifo._workers
    worker.cancel()
    errors = await settled(*outcomes)

    assert [type(error) for error in errors] == [fifo.JobStoppedError] * 2
    assert await queue.submit(lambda: asyncio.sleep(0, "works again")) == "works again"


async def test_an_error_that_nobody_looks_at_makes_no_noise() -> None:
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))

    async def fail() -> None:
        raise ValueError

    queue = fifo.Fifo()
    queue.submit(fail)
    fifo.failed(ValueError())
    await queue.drain()
    gc.collect()

    assert complaints == []


# The file seam


@POSIX
async def test_a_new_session_is_private_and_an_old_one_keeps_its_bytes(tmp_path: Path) -> None:
    disk, path = file_io.DiskFileIO(), tmp_path / "new" / "folder" / "session.jsonl"
    await disk.ensure_file(path)
    assert path.stat().st_mode & 0o777 == 0o600

    path.chmod(0o644)
    path.write_bytes(b"torn")
    await disk.ensure_file(path)
    await disk.append_file(path, b"\xff\n\r\n")

    assert path.stat().st_mode & 0o777 == 0o644
    assert await disk.read_file(path) == b"torn\xff\n\r\n"


async def test_a_file_that_vanished_is_not_made_anew(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await file_io.DiskFileIO().append_file(tmp_path / "gone", b"x")
    assert list(tmp_path.iterdir()) == []


async def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data[:3])))
    path = tmp_path / "file"
    path.touch()

    await file_io.DiskFileIO().append_file(path, b"ten bytes!")

    assert path.read_bytes() == b"ten bytes!"


@POSIX
@pytest.mark.parametrize("kind", ["a folder", "a pipe"])
async def test_only_a_regular_file_is_taken(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "odd"
    if kind == "a folder":
        path.mkdir()
    else:
        os.mkfifo(path)

    with pytest.raises(OSError, match="odd"):
        await file_io.DiskFileIO().ensure_file(path)


async def test_the_faulty_disk_fails_once_and_then_works(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    disk = faults.FaultyFileIO(fail_at=1, written=2)

    await disk.append_file(path, b"one\n")
    with pytest.raises(OSError, match="No space left"):
        await disk.append_file(path, b"two\n")
    await disk.append_file(path, b"three\n")

    assert (path.read_bytes(), disk.appends) == (b"one\ntwthree\n", 3)


# Lines, samples, the generator


def test_the_line_of_an_entry_counts_blank_lines() -> None:
    data = b'\n{"a":1}\n \t\r\n\n{"b":2}\n{"torn'
    assert [line_of_entry(data, index) for index in (0, 1)] == [2, 5]
    with pytest.raises(IndexError):
        line_of_entry(data, 2)


@pytest.mark.parametrize("sample", [samples.chapter_session, samples.retry_session])
def test_a_sample_is_a_session_and_each_call_makes_it_anew(sample: Any) -> None:
    entries = sample()
    assert [solutions.parse_session_entry(entry) for entry in entries] == entries
    assert all(solutions.path_to(entries, entry["id"]) for entry in entries)
    assert sample()[0] is not entries[0]


@pytest.mark.parametrize("shape", ["chain", "bushy", "deep"])
def test_a_generated_session_is_valid_and_always_the_same(shape: Any) -> None:
    entries = generator.make_session(400, seed=3, shape=shape)
    text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)

    assert solutions.recover_jsonl(text)["entries"] == entries
    assert generator.make_session(400, seed=3, shape=shape) == entries
    assert generator.make_session(400, seed=4, shape=shape) != entries
    assert {len(character.encode()) for character in text} == {1, 2, 3, 4}
    parents = [entry["parentId"] for entry in entries]
    assert (len(set(parents)) == len(parents)) == (shape == "chain")


# The agent


async def test_a_branch_is_continued_where_it_ends() -> None:
    store, ids = solutions.InMemorySessionStore(), (f"e{number}" for number in count(1))
    await store.append(samples.message_entry("q", None, samples.user("What do my notes say?")))
    scripted = agent.ScriptedAgent(["read notes.txt", "read lost.txt", "Buy milk.", "Yes."], {"notes.txt": "milk"})

    history = solutions.messages_on_path(await store.entries(), "q")
    leaf = await agent.keep_run(scripted.run(history), store, "q", ids)
    assert leaf is not None
    await store.append(samples.message_entry("more", leaf, samples.user("Sure?")))
    history = solutions.messages_on_path(await store.entries(), "more")
    end = await agent.keep_run(scripted.run(history), store, "more", ids)
    assert end is not None

    entries = await store.entries()
    messages: list[Any] = solutions.messages_on_path(entries, end)
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant", "toolResult", "assistant", "toolResult", "assistant", "user", "assistant"]
    assert solutions.branch_stats(entries, end) == {"depth": 8, "messages": 8, "toolCalls": 2, "errorResults": 1}
    replies = [message for message in messages if message["role"] == "assistant"]
    calls = [block["id"] for reply in replies for block in reply["content"] if block["type"] == "toolCall"]
    results = [message["toolCallId"] for message in messages if message["role"] == "toolResult"]
    assert calls == results
    assert len(set(calls)) == 2

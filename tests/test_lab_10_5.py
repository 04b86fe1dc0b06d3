"""Lab 10.5: `JsonlSessionStore` adds lines to a file, and stops for good when a write may have gone wrong half-way."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import expect
from scaffold.given.faults import FaultyFileIO, GatedFileIO
from scaffold.given.samples import chapter_session, message_entry, metadata_entry, user

pytestmark = pytest.mark.lab_10_5

REFUSALS = (ValueError, LookupError, RuntimeError)  # of an entry that is out of place
ANY_ERROR = (Exception,)


def note(entry_id: str, parent_id: str | None, value: Any = 1) -> Any:
    return metadata_entry(entry_id, parent_id, "note", value)


def lines(*entries: Any) -> bytes:
    return b"".join(json.dumps(entry, ensure_ascii=False).encode() + b"\n" for entry in entries)


async def error_of(outcome: Any) -> BaseException:
    """Return the error with which something fails; if it does not, an error that no test accepts."""
    try:
        result = await outcome
    except NotImplementedError:
        raise
    except BaseException as error:
        return error
    return AssertionError(f"no error; the result is {expect.shown(result)}")


def state_of(store: Any) -> str:
    state = store.state
    return str(getattr(state, "value", state))


def ids(entries: Any) -> list[str]:
    return [entry["id"] for entry in entries]


# 10.5 a


async def open_a_new_file(session: Any, file: Path) -> None:
    path = file.parent / "deep" / "er" / "session.jsonl"
    store = await session.JsonlSessionStore.open(path)

    expect.same(path.read_bytes().decode(), "", "opening makes the folders and an empty file")
    expect.same(await store.read(), {"entries": [], "warnings": []}, "a new session is empty")


async def old_bytes_are_a_prefix(session: Any, file: Path) -> None:
    file.write_bytes(b"\n" + lines(note("old", None)).replace(b'":', b'" :'))
    before = file.read_bytes()
    store = await session.JsonlSessionStore.open(file)
    for entry in chapter_session():
        await store.append(entry)
        after = file.read_bytes()
        expect.holds(after.startswith(before), "old bytes are never rewritten", before.decode(), after.decode())
        expect.holds(after.endswith(b"\n"), "each line ends with its commit mark", "...\\n", after[-20:].decode())
        expect.same(after[len(before) :].count(b"\n"), 1, "an entry is one line")
        before = after


async def reopened(session: Any, file: Path) -> None:
    store = await session.JsonlSessionStore.open(str(file))
    for entry in chapter_session():
        store.append(entry)
    expect.same(await store.entries(), chapter_session(), "entries() sees all appends before it")

    again = await session.JsonlSessionStore.open(file)
    expect.same(
        await again.read(), {"entries": chapter_session(), "warnings": []}, "a new store reads what was written"
    )
    await again.append(note("more", "m"))
    expect.same(len(await again.entries()), 6, "a reopened session can be continued")


async def any_text_survives(session: Any, file: Path) -> None:
    odd = message_entry("道", None, user('a\nb\r\n "c" \\ \u2028 \u0085 🛣️ \x00'))
    store = await session.JsonlSessionStore.open(file)
    await store.append(odd)

    expect.same(file.read_bytes().count(b"\n"), 1, "a newline inside a text does not end the line")
    expect.same(await store.entries(), [odd], "every text comes back as it was")
    parsed = json.loads(file.read_bytes().decode("utf-8"))
    expect.same(parsed, odd, "the line is the entry as JSON, in UTF-8")


async def out_of_place(session: Any, file: Path) -> None:
    store = await session.JsonlSessionStore.open(file)
    await store.append(note("known", None))
    before = file.read_bytes()
    orphan = await error_of(store.append(note("kid", "ghost")))
    duplicate = await error_of(store.append(note("known", None)))

    expect.names_facts(orphan, "kid", "ghost", rule="a missing parent is refused, with both ids", kinds=REFUSALS)
    expect.names_facts(duplicate, "known", rule="a duplicate id is refused by name", kinds=REFUSALS)
    expect.same(file.read_bytes().decode(), before.decode(), "a refused entry does not touch the file")
    await store.append(note("kid", "known"))
    expect.same(ids(await store.entries()), ["known", "kid"], "a refused entry does not disturb the next")


async def ids_are_remembered(session: Any, file: Path) -> None:
    file.write_bytes(lines(note("old", None)))
    store = await session.JsonlSessionStore.open(file)
    duplicate = await error_of(store.append(note("old", None)))
    await store.append(note("new", "old"))

    expect.names_facts(duplicate, "old", rule="an id in the file can't be used again", kinds=REFUSALS)
    expect.same(ids(await store.entries()), ["old", "new"], "an entry in the file can be a parent")


FILES = {
    "a new file, in a new folder": open_a_new_file,
    "old bytes are a prefix of the new ones": old_bytes_are_a_prefix,
    "a new store reads what another one wrote": reopened,
    "any text survives": any_text_survives,
    "an entry that is out of place is refused": out_of_place,
    "a file's ids count": ids_are_remembered,
}


@pytest.mark.parametrize("scenario", FILES.values(), ids=FILES)
async def test_lines_are_only_added_and_a_new_store_reads_them(session: Any, tmp_path: Path, scenario: Any) -> None:
    await scenario(session, tmp_path / "session.jsonl")


# 10.5 b


async def copied_at_the_call(session: Any, file: Path) -> None:
    store = await session.JsonlSessionStore.open(file)
    root: Any = message_entry("root", None, user("as it was"))
    child = note("child", "root", {"list": [1]})
    first, second = store.append(root), store.append(child)
    root["message"]["content"][0]["text"] = "changed"
    child["value"]["list"].append(2)
    child["id"] = "changed"
    await asyncio.gather(second, first)

    expected = [message_entry("root", None, user("as it was")), note("child", "root", {"list": [1]})]
    expect.same(await store.entries(), expected, "a line is made when append is called")


async def one_write_at_a_time(session: Any, file: Path) -> None:
    io = GatedFileIO()
    store = await session.JsonlSessionStore.open(file, io)
    outcomes = [store.append(entry) for entry in chapter_session()]
    await io.arrived.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    expect.same(io.appends, 1, "a write begins when the one before it has ended")
    io.gate.set()
    await asyncio.gather(*reversed(outcomes))

    expect.same(ids(await store.entries()), ["a", "b", "r", "d", "m"], "lines are written in the order of the calls")


async def checks_in_the_queue(session: Any, file: Path) -> None:
    io = GatedFileIO()
    store = await session.JsonlSessionStore.open(file, io)
    parent, child, twice = store.append(note("p", None)), store.append(note("c", "p")), store.append(note("p", None))
    await io.arrived.wait()
    io.gate.set()
    await parent
    await child

    expect.names_facts(
        await error_of(twice), "p", rule="ids are checked in the queue, when those before are written", kinds=REFUSALS
    )
    expect.same(ids(await store.entries()), ["p", "c"], "a child may be queued behind its parent")


async def not_awaited(session: Any, file: Path) -> None:
    store = await session.JsonlSessionStore.open(file)
    store.append(note("a", None))
    await store.entries()

    expect.same(file.read_bytes().count(b"\n"), 1, "an append happens whether or not it is awaited")


QUEUE = {
    "the line is made at the call": copied_at_the_call,
    "one write at a time, in order": one_write_at_a_time,
    "ids are checked in the queue": checks_in_the_queue,
    "nobody has to await": not_awaited,
}


@pytest.mark.parametrize("scenario", QUEUE.values(), ids=QUEUE)
async def test_lines_are_made_at_the_call_and_written_in_order(session: Any, tmp_path: Path, scenario: Any) -> None:
    await scenario(session, tmp_path / "session.jsonl")


# 10.5 c


async def bad_values_do_not_taint(session: Any, file: Path) -> None:
    io = FaultyFileIO(fail_at=99)
    store = await session.JsonlSessionStore.open(file, io)
    bad = store.append(note("bad", None, {1, 2}))
    good = store.append(note("good", None))

    expect.names_facts(await error_of(bad), rule="what JSON can't hold is refused")
    expect.same(await error_of(store.append({})) is not None, True, "what is no entry is refused")
    await good
    expect.same(io.appends, 1, "an entry that is refused at the call causes no I/O")
    expect.same(ids(await store.entries()), ["good"], "only a failed write stops the store")


async def first_error_for_all(session: Any, file: Path) -> None:
    io = FaultyFileIO(fail_at=1)
    store = await session.JsonlSessionStore.open(file, io)
    await store.append(note("root", None))
    failing, queued = store.append(note("child", "root")), store.append(note("queued", "root"))
    seen = [await error_of(failing), await error_of(queued)]
    reads = io.reads
    seen += [await error_of(store.append(note("later", "root")))]
    seen += [await error_of(store.append({"id": ""}))]
    seen += [await error_of(store.read()), await error_of(store.entries())]

    whom = ["the failed append", "the queued append", "a later append", "an append of bad data", "read()", "entries()"]
    for who, error in zip(whom, seen, strict=True):
        expect.holds(
            error is io.error, f"{who} gets the first error, the very same object", repr(io.error), repr(error)
        )
    expect.same(io.appends, 2, "after a failed write nothing is written (calls of append_file)")
    expect.same(io.reads, reads, "after a failed write nothing is read")


async def half_a_line_stays_alone(session: Any, file: Path) -> None:
    io = FaultyFileIO(fail_at=1)
    store = await session.JsonlSessionStore.open(file, io)
    await store.append(note("root", None))
    outcomes = [store.append(note("child", "root")), store.append(note("queued", "root"))]
    for outcome in outcomes:
        await error_of(outcome)
    data = file.read_bytes()
    expect.same(
        data[data.rfind(b"\n") + 1 :].decode(),
        '{"id":"child"'[:12],
        "nothing is written behind half a line: a new line would be glued to it",
    )

    again = await session.JsonlSessionStore.open(file)
    recovered = await again.read()
    expect.same(ids(recovered["entries"]), ["root"], "a new store reads the complete lines")
    expect.same(recovered["warnings"], [{"code": "unterminated_tail", "line": 2}], "and warns of the half one")
    refusal = await error_of(again.append(note("more", "root")))
    expect.names_facts(refusal, "repair", rule="a new store refuses to append, and names the cure", kinds=ANY_ERROR)
    expect.same(file.read_bytes().decode(), data.decode(), "and leaves the file as it is")


FAULTS = {
    "bad values do not stop the store": bad_values_do_not_taint,
    "all get the first error, and the file is left alone": first_error_for_all,
    "half a line stays alone, and is found by a new store": half_a_line_stays_alone,
}


@pytest.mark.parametrize("scenario", FAULTS.values(), ids=FAULTS)
async def test_after_a_failed_write_the_file_is_left_alone(session: Any, tmp_path: Path, scenario: Any) -> None:
    await scenario(session, tmp_path / "session.jsonl")


# What Python adds


@pytest.mark.parametrize("tail", [b'{"id":"b', lines(note("b", "a"))[:-1], b"BAD", b"\xa0", b"\0"], ids=repr)
async def test_a_torn_tail_is_read_and_never_written_to(session: Any, tmp_path: Path, tail: bytes) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(lines(note("a", None)) + tail)
    io = FaultyFileIO(fail_at=99)

    store = await session.JsonlSessionStore.open(file, io)
    refusal = await error_of(store.append(note("c", "a")))
    invalid = await error_of(store.append({}))
    recovered = await store.read()

    expect.same(state_of(store), "needs-repair", "a torn tail at opening is a state of its own")
    for error in (refusal, invalid):
        expect.names_facts(
            error, "repair", rule="an append is refused by state, before it is looked at", kinds=ANY_ERROR
        )
        expect.names_line(error, 2, "the refusal gives the line of the tail")
    expect.same(recovered["warnings"], [{"code": "unterminated_tail", "line": 2}], "read() goes on, with the warning")
    expect.same(ids(await store.entries()), ["a"], "entries() gives the complete lines")
    expect.same(io.appends, 0, "nothing is written to a torn file")
    expect.holds(
        file.read_bytes().endswith(tail), "the tail is left as it is", repr(tail), repr(file.read_bytes()[-40:])
    )


WIDE = note("a", None, "é道🛣")


@pytest.mark.parametrize("cut", range(1, len(lines(WIDE))))
async def test_bytes_are_split_before_they_are_decoded(session: Any, tmp_path: Path, cut: int) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(lines(note("root", None)) + lines(WIDE)[:cut])

    store = await session.JsonlSessionStore.open(file)

    expect.same(ids(await store.entries()), ["root"], "a tail that ends in the middle of a character is still a tail")
    expect.same(state_of(store), "needs-repair", "a tail that ends in the middle of a character is still a tail")


BAD_UTF8 = lines(note("b", "a", "HERE")).replace(b"HERE", b"\xff")
WRONG = b'{"id":"b"}\n'
DAMAGED = {
    "what is no JSON": (lines(note("a", None)) + b"BAD\n", 2, ()),
    "what is no JSON, before a torn tail": (lines(note("a", None)) + b"BAD\n{", 2, ()),
    "a wrong shape": (lines(note("a", None)) + WRONG, 2, ()),
    "bytes that are no UTF-8": (lines(note("a", None)) + BAD_UTF8, 2, ()),
    "bytes that are no UTF-8, after blank lines": (b"\n\n" + BAD_UTF8 + lines(note("a", None)), 3, ()),
    "the first of two, if the second is no UTF-8": (WRONG + lines(note("a", None)) + BAD_UTF8, 1, ()),
    "the first of two, if it is no UTF-8": (BAD_UTF8 + WRONG, 1, ()),
    "UTF-16": ('{"id":"a"}\n'.encode("utf-16"), 1, ()),
    "a BOM": (b"\xef\xbb\xbf" + lines(note("a", None)), 1, ()),
    "an id that stands twice": (lines(note("twice", None), note("twice", None)), None, ("twice",)),
    "a parent that is missing": (lines(note("kid", "ghost")), None, ("kid", "ghost")),
    "a parent that comes later": (lines(note("kid", "late"), note("late", None)), None, ("kid", "late")),
}


@pytest.mark.parametrize(("rule", "data", "line", "facts"), expect.cases(DAMAGED))
async def test_a_damaged_file_is_not_opened(
    session: Any, tmp_path: Path, rule: str, data: bytes, line: int | None, facts: tuple[str, ...]
) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(data)

    error = await error_of(session.JsonlSessionStore.open(file))

    expect.names_facts(error, *facts, rule=f"a damaged file is not opened: {rule}", kinds=REFUSALS)
    if line is not None:
        expect.names_line(error, line, f"the damaged line is named: {rule}")
    expect.same(file.read_bytes() == data, True, "a damaged file is left as it is")


async def test_cancelling_a_caller_stops_no_write(session: Any, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    io = GatedFileIO()
    store = await session.JsonlSessionStore.open(file, io)

    writing = asyncio.ensure_future(store.append(note("writing", None)))
    waiting = asyncio.ensure_future(store.append(note("waiting", None)))
    reading = asyncio.ensure_future(store.entries())
    await io.arrived.wait()
    for caller in (writing, waiting, reading):
        caller.cancel()
    await asyncio.sleep(0)
    io.gate.set()
    await store.append(note("last", None))
    for caller in (writing, waiting, reading):
        with contextlib.suppress(asyncio.CancelledError):
            await caller

    expect.same(ids(await store.entries()), ["writing", "waiting", "last"], "a cancelled caller takes nothing back")
    expect.same(state_of(store), "ready", "a cancelled caller does not stop the store")


BREAKS: dict[str, Callable[[], BaseException]] = {
    "a cancellation": asyncio.CancelledError,
    "a StopIteration, which no future can hold": StopIteration,
    "a RuntimeError": lambda: RuntimeError("the disk is gone"),
}


class InterruptedFileIO(FaultyFileIO):
    """The failing append raises when it is called, as a plain function may."""

    def append_file(self, path: Path, data: bytes) -> Any:
        if self.appends == self.fail_at and isinstance(self.error, StopIteration):
            self.appends += 1
            raise self.error
        return super().append_file(path, data)


@pytest.mark.parametrize(("rule", "make"), expect.cases(BREAKS))
async def test_a_write_that_is_broken_off_taints_the_store(session: Any, tmp_path: Path, rule: str, make: Any) -> None:
    io = InterruptedFileIO(error=make())
    store = await session.JsonlSessionStore.open(tmp_path / "session.jsonl", io)

    outcomes = [
        store.append(note("a", None)),
        store.append(note("b", None)),
        store.read(),
        store.append(note("c", None)),
    ]
    errors = [await error_of(outcome) for outcome in outcomes]

    expect.same(state_of(store), "tainted", f"whatever ends a write taints the store: {rule}")
    expect.same(io.appends, 1, f"nothing is written after it: {rule}")
    for error in errors:
        expect.holds(
            isinstance(error, Exception), "no caller is told that it was cancelled itself", "an Exception", repr(error)
        )
        expect.holds(not isinstance(error, AssertionError), f"all that follows fails: {rule}", "an error", repr(error))
        expect.holds(error is errors[0], f"all get the same error: {rule}", repr(errors[0]), repr(error))


async def test_reading_waits_for_its_turn(session: Any, tmp_path: Path) -> None:
    io = GatedFileIO()
    store = await session.JsonlSessionStore.open(tmp_path / "session.jsonl", io)
    store.append(note("a", None))
    await io.arrived.wait()

    reading = asyncio.ensure_future(store.read())
    for _ in range(20):
        await asyncio.sleep(0)
    expect.same(reading.done(), False, "a reading waits for the write that is under way")
    io.gate.set()

    expected = {"entries": [note("a", None)], "warnings": []}
    expect.same(await reading, expected, "a reading never sees half a line of its own store")


async def test_closing_waits_and_then_refuses(session: Any, tmp_path: Path) -> None:
    io = GatedFileIO()
    store = await session.JsonlSessionStore.open(tmp_path / "session.jsonl", io)
    expect.same(state_of(store), "ready", "a store on a whole file is ready")
    store.append(note("a", None))
    await io.arrived.wait()
    draining = asyncio.ensure_future(store.drain())
    for _ in range(20):
        await asyncio.sleep(0)
    expect.same(draining.done(), False, "drain() waits for what is queued")
    io.gate.set()
    await draining

    store.append(note("b", "a"))
    await store.aclose()
    expect.same(io.appends, 2, "aclose() waits for what is queued")
    refusal = await error_of(store.append(note("c", "b")))
    expect.names_facts(refusal, rule="a closed store refuses to append", kinds=ANY_ERROR)
    expect.holds("clos" in str(refusal).lower(), "the refusal says that the store is closed", "closed", str(refusal))
    expect.same(io.appends, 2, "a closed store writes nothing")

"""Lab 10.5: `JsonlSessionStore` adds lines to a file, and stops for good when a write may have gone wrong half-way."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import expect
from scaffold.given.faults import FaultyFileIO, GatedFileIO
from scaffold.given.samples import chapter_session, message_entry, user
from store_steps import (
    OUT_OF_PLACE,
    append,
    appended,
    check_identity,
    check_ids,
    check_state,
    error_of,
    let_others_run,
    note,
    refusal_of,
)

pytestmark = pytest.mark.lab_10_5

ANY_ERROR = (Exception,)


def lines(*entries: Any) -> bytes:
    return b"".join(json.dumps(entry, ensure_ascii=False).encode() + b"\n" for entry in entries)


async def opened(session: Any, file: Path | str, *io: Any) -> Any:
    return await expect.done(session.JsonlSessionStore.open(file, *io), "a file that is not damaged can be opened")


async def check_reading(store: Any, wanted: list[str], warnings: list[Any], rule: str) -> None:
    """Check which entries and which warnings `read` returns."""
    recovered = await expect.done(store.read(), rule)
    found = {"entries": [entry["id"] for entry in recovered["entries"]], "warnings": recovered["warnings"]}
    expect.same(found, {"entries": wanted, "warnings": warnings}, rule)


TORN = {"code": "unterminated_tail", "line": 2}


# 10.5 a


async def open_a_new_file(session: Any, file: Path) -> None:
    path = file.parent / "deep" / "er" / "session.jsonl"
    store = await opened(session, path)

    expect.holds(path.is_file(), "opening makes the folders and the file", "a file", "no file")
    expect.same(path.read_bytes().decode(), "", "a new file is empty")
    await check_reading(store, [], [], "a new session is empty")


async def old_bytes_are_a_prefix(session: Any, file: Path) -> None:
    file.write_bytes(b"\n" + lines(note("old", None)).replace(b'":', b'" :'))
    before = file.read_bytes()
    store = await opened(session, file)
    for entry in chapter_session():
        await appended(store, entry, "an entry can be appended under those before it")
        after = file.read_bytes()
        expect.holds(after.startswith(before), "old bytes are never rewritten", repr(before), repr(after))
        expect.holds(after.endswith(b"\n"), "each line ends with its commit mark", "...\\n", repr(after[-20:]))
        expect.same(after[len(before) :].count(b"\n"), 1, "an entry is one line")
        before = after


async def reopened(session: Any, file: Path) -> None:
    store = await opened(session, str(file))
    append(store, *chapter_session())
    await check_ids(store, ["a", "b", "r", "d", "m"], "entries() sees all appends before it")

    again = await opened(session, file)
    await check_reading(again, ["a", "b", "r", "d", "m"], [], "a new store reads what was written")
    expect.same(await again.entries(), chapter_session(), "entries come back as they were appended")
    await appended(again, note("more", "m"), "a reopened session can be continued")
    await check_ids(again, ["a", "b", "r", "d", "m", "more"], "a reopened session can be continued")


async def any_text_survives(session: Any, file: Path) -> None:
    odd = message_entry("道", None, user('a\nb\r\n "c" \\ \u2028 \u0085 🛣️ \x00'))
    store = await opened(session, file)
    await appended(store, odd, "every text can be written")

    expect.same(file.read_bytes().count(b"\n"), 1, "a newline inside a text does not end the line")
    entries = await expect.done(store.entries(), "every text can be read again")
    expect.same(entries, [odd], "every text comes back as it was")
    rule = "the line is the entry as JSON, in UTF-8"
    parsed = expect.accepted(lambda: json.loads(file.read_bytes().decode("utf-8")), rule)
    expect.same(parsed, odd, rule)


async def copies_for_readers(session: Any, file: Path) -> None:
    store = await opened(session, file)
    await appended(store, note("a", None, ["original"]), "a root can be appended")
    await check_ids(store, ["a"], "what is written can be read")
    first = await store.entries()
    first[0]["value"].append("changed by a reader")
    first[0]["id"] = "changed"

    second = await store.entries()
    expect.same(second, [note("a", None, ["original"])], "what a reader does to its copy stays with the reader")
    expect.unshared(second, await store.entries(), "two readings share nothing")


async def out_of_place(session: Any, file: Path) -> None:
    store = await opened(session, file)
    await appended(store, note("known", None), "a root can be appended")
    before = file.read_bytes()
    for rule, entry, names in (
        ("a missing parent is refused, with both ids", note("kid", "ghost"), ("kid", "ghost")),
        ("a duplicate id is refused by name", note("known", None), ("known",)),
    ):
        expect.names_facts(await refusal_of(store, entry, rule), *names, rule=rule, kinds=OUT_OF_PLACE)
        expect.holds(file.read_bytes() == before, f"{rule}, and not written", repr(before), repr(file.read_bytes()))
        check_state(store, "ready", f"{rule}, and does not stop the store")

    await appended(store, note("kid", "known"), "a refused entry does not disturb the next, and its id is free")
    await check_ids(store, ["known", "kid"], "a refused entry does not disturb the next")


async def ids_are_remembered(session: Any, file: Path) -> None:
    file.write_bytes(lines(note("old", None)))
    store = await opened(session, file)

    rule = "an id in the file can't be used again"
    expect.names_facts(await refusal_of(store, note("old", None), rule), "old", rule=rule, kinds=OUT_OF_PLACE)
    await appended(store, note("new", "old"), "an entry in the file can be a parent")
    await check_ids(store, ["old", "new"], "an entry in the file can be a parent")


async def blank_tail(session: Any, file: Path) -> None:
    file.write_bytes(lines(note("a", None)) + b" \t\r")
    store = await opened(session, file)

    rule = "spaces, tabs and CRs behind the last line are no torn tail"
    check_state(store, "ready", rule)
    await appended(store, note("b", "a"), rule)
    await check_reading(await opened(session, file), ["a", "b"], [], rule)


class MemoryIO:
    """A file that is in no folder."""

    data = b""

    async def ensure_file(self, path: Path) -> None:
        pass

    async def read_file(self, path: Path) -> bytes:  # noqa: ARG002
        return self.data

    async def append_file(self, path: Path, data: bytes) -> None:  # noqa: ARG002
        self.data += data


async def only_the_seam(session: Any, file: Path) -> None:
    rule = "a store touches its file through `io` only"
    store = await expect.done(session.JsonlSessionStore.open(file, MemoryIO()), rule)
    await appended(store, note("a", None), rule)

    await check_reading(store, ["a"], [], rule)
    expect.holds(not file.exists(), rule, "no file in the folder", "a file in the folder")


FILES = {
    "a new file, in a new folder": open_a_new_file,
    "old bytes are a prefix of the new ones": old_bytes_are_a_prefix,
    "a new store reads what another one wrote": reopened,
    "any text survives": any_text_survives,
    "each reader gets copies": copies_for_readers,
    "an entry that is out of place is refused": out_of_place,
    "a file's ids count": ids_are_remembered,
    "a blank tail is not torn": blank_tail,
    "the file is used through the seam only": only_the_seam,
}


@pytest.mark.parametrize("scenario", FILES.values(), ids=FILES)
async def test_lines_are_only_added_and_a_new_store_reads_them(session: Any, tmp_path: Path, scenario: Any) -> None:
    await scenario(session, tmp_path / "session.jsonl")


# 10.5 b


async def copied_at_the_call(session: Any, file: Path) -> None:
    store = await opened(session, file)
    root: Any = message_entry("root", None, user("as it was"))
    child = note("child", "root", {"list": [1]})
    first, second = append(store, root, child)
    root["message"]["content"][0]["text"] = "changed"
    child["value"]["list"].append(2)
    child["id"] = "changed"
    rule = "a line is made when append is called"
    await expect.done(second, rule)
    await expect.done(first, rule)

    await check_ids(store, ["root", "child"], rule)
    expected = [message_entry("root", None, user("as it was")), note("child", "root", {"list": [1]})]
    expect.same(await store.entries(), expected, rule)


async def one_write_at_a_time(session: Any, file: Path) -> None:
    io = GatedFileIO()
    store = await opened(session, file, io)
    outcomes = append(store, *chapter_session())
    await io.arrived.wait()
    await let_others_run()
    expect.same(io.appends, 1, "a write begins when the one before it has ended")
    io.gate.set()
    for outcome in reversed(outcomes):
        await expect.done(outcome, "an entry can be appended before its parent is written")

    await check_ids(store, ["a", "b", "r", "d", "m"], "lines are written in the order of the calls")


async def checks_in_the_queue(session: Any, file: Path) -> None:
    io = GatedFileIO()
    store = await opened(session, file, io)
    parent, child, twice = append(store, note("p", None), note("c", "p"), note("p", None))
    await io.arrived.wait()
    io.gate.set()
    await expect.done(parent, "a root can be appended")
    await expect.done(child, "a child may be queued behind its parent")

    rule = "ids are checked in the queue, when those before are written"
    expect.names_facts(await error_of(twice, rule), "p", rule=rule, kinds=OUT_OF_PLACE)
    await check_ids(store, ["p", "c"], "a child may be queued behind its parent")


async def not_awaited(session: Any, file: Path) -> None:
    store = await opened(session, file)
    append(store, note("a", None))
    await expect.done(store.entries(), "a reading waits for the appends before it")

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
    store = await opened(session, file, io)
    for rule, value in (
        ("what JSON can't hold is refused", note("bad", None, {1, 2})),
        ("what is no entry is refused", {}),
    ):
        [bad, good] = append(store, value, note(f"after {io.appends}", None))
        expect.names_facts(await error_of(bad, rule), rule=rule)
        await expect.done(good, f"{rule}, and does not stop the store")

    check_state(store, "ready", "bad values do not stop the store")
    expect.same(io.appends, 2, "a good entry is written with one append_file, and a bad one with none")
    await check_ids(store, ["after 0", "after 1"], "bad values are not written")


async def first_error_for_all(session: Any, file: Path) -> None:
    io = FaultyFileIO(fail_at=1)
    store = await opened(session, file, io)
    await appended(store, note("root", None), "a root can be appended")
    failing, queued = append(store, note("child", "root"), note("queued", "root"))
    await error_of(failing, "an append fails if its write fails")
    reads = io.reads
    calls: dict[str, Callable[[], Any]] = {
        "the failed append": lambda: failing,
        "the queued append": lambda: queued,
        "a later append": lambda: append(store, note("later", "root"))[0],
        "an append of bad data": lambda: append(store, {"id": ""})[0],
        "read()": store.read,
        "entries()": store.entries,
    }
    for who, call in calls.items():
        rule = f"{who} gets the first error, the very same object"
        check_identity(await error_of(call(), rule), io.error, rule)

    check_state(store, "tainted", "a failed write taints the store")
    expect.same(io.appends, 2, "after a failed write nothing is written (calls of append_file)")
    expect.same(io.reads, reads, "after a failed write nothing is read")
    rule = "the first error is raised as it is, and never `from` another"
    expect.holds(io.error.__cause__ is None, rule, "an error without a cause", io.error.__cause__)


class SlowlyFailingFileIO(GatedFileIO):
    """A disk on which each append waits half-way, and fails when the gate is opened."""

    error = OSError(28, "No space left on device")

    async def append_file(self, path: Path, data: bytes) -> None:
        await super().append_file(path, data[:24])
        raise self.error


async def waiting_for_a_write_that_fails(session: Any, file: Path) -> None:
    io = SlowlyFailingFileIO()
    store = await opened(session, file, io)
    appends = append(store, note("a", None), note("b", None))
    await io.arrived.wait()
    readings = [asyncio.ensure_future(store.read()), asyncio.ensure_future(store.entries())]
    await let_others_run()
    io.gate.set()

    whom = ("the failed append", "a queued append", "read()", "entries()")
    for who, outcome in zip(whom, [*appends, *readings], strict=True):
        rule = f"{who}, called while the write was under way, gets the error of that write"
        check_identity(await error_of(outcome, rule), io.error, rule)
    expect.same(io.appends, 1, "what was queued before the failure is not written")


async def half_a_line_stays_alone(session: Any, file: Path) -> None:
    io = FaultyFileIO(fail_at=1)
    store = await opened(session, file, io)
    await appended(store, note("root", None), "a root can be appended")
    for outcome in append(store, note("child", "root"), note("queued", "root")):
        await error_of(outcome, "all appends fail from the failed write on")
    data = file.read_bytes()
    expect.same(
        data[data.rfind(b"\n") + 1 :].decode(),
        '{"id":"child"'[:12],
        "nothing is written behind half a line: a new line would be glued to it",
    )

    again = await opened(session, file)
    await check_reading(again, ["root"], [TORN], "a new store reads the complete lines, and warns of the half one")
    rule = "a new store refuses to append, and names the cure"
    expect.names_facts(await refusal_of(again, note("more", "root"), rule), "repair", rule=rule, kinds=ANY_ERROR)
    expect.same(file.read_bytes().decode(), data.decode(), "a new store leaves the half line as it is")


async def reading_does_not_taint(session: Any, file: Path) -> None:
    io = FaultyFileIO(fail_at=99)
    store = await opened(session, file, io)
    with patch.object(io, "read_file", side_effect=OSError(5, "Input/output error")):
        await error_of(store.read(), "a reading fails if the file can't be read")

    check_state(store, "ready", "only a failed write taints the store, not a failed reading")
    await appended(store, note("a", None), "a failed reading does not stop the store")
    await check_reading(store, ["a"], [], "a failed reading does not stop the store")


async def nothing_is_logged(session: Any, file: Path) -> None:
    store = await opened(session, file, FaultyFileIO(fail_at=0))
    logged: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context["message"]))
    append(store, {}, note("failing", None), note("queued", None))
    await error_of(store.read(), "a tainted store does not read")
    append(store, note("later", None))
    await asyncio.sleep(0)
    gc.collect()

    expect.same(logged, [], "asyncio has nothing to complain of if nobody awaits an append that fails")


FAULTS = {
    "bad values do not stop the store": bad_values_do_not_taint,
    "all get the first error, and the file is left alone": first_error_for_all,
    "those who wait for a write get its error": waiting_for_a_write_that_fails,
    "half a line stays alone, and is found by a new store": half_a_line_stays_alone,
    "a failed reading does not stop the store": reading_does_not_taint,
    "a failure that nobody awaits is not logged": nothing_is_logged,
}


@pytest.mark.parametrize("scenario", FAULTS.values(), ids=FAULTS)
async def test_after_a_failed_write_the_file_is_left_alone(session: Any, tmp_path: Path, scenario: Any) -> None:
    await scenario(session, tmp_path / "session.jsonl")


# What Python adds


TAILS = [b'{"id":"b', lines(note("b", "a"))[:-1], lines(note("b", "a"))[:-1] + b"\r", b"BAD", b"\xa0", b"\0", b"\f"]


@pytest.mark.parametrize("tail", TAILS, ids=repr)
async def test_a_torn_tail_is_read_and_never_written_to(session: Any, tmp_path: Path, tail: bytes) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(lines(note("a", None)) + tail)
    io = FaultyFileIO(fail_at=99)
    store = await opened(session, file, io)

    check_state(store, "needs-repair", "a torn tail at opening is a state of its own")
    rule = "an append is refused by state, before it is looked at"
    for entry in [note("c", "a"), note("", "a")]:
        error = await refusal_of(store, entry, rule)
        expect.names_facts(error, "repair", rule=rule, kinds=ANY_ERROR)
        expect.names_line(error, 2, "the refusal gives the line of the tail")
    await check_reading(store, ["a"], [TORN], "read() goes on, with the warning")
    await check_ids(store, ["a"], "entries() gives the complete lines")
    expect.same(io.appends, 0, "nothing is written to a torn file")
    expect.holds(
        file.read_bytes().endswith(tail), "the tail is left as it is", repr(tail), repr(file.read_bytes()[-40:])
    )

    file.write_bytes(lines(note("a", None)))  # as a repair does, which this store knows nothing of
    await check_reading(store, ["a"], [], "read() looks at the file each time: after a repair there is no warning")
    check_state(store, "needs-repair", "after a repair a new store is opened: the old one never becomes ready")
    await refusal_of(store, note("c", "a"), "after a repair the old store still takes nothing")


WIDE = "é道🛣"
ABOVE = {"below a line": [note("root", None)], "in a file without a complete line": []}


@pytest.mark.parametrize(("where", "above"), expect.cases(ABOVE))
async def test_bytes_are_split_before_they_are_decoded(
    session: Any, tmp_path: Path, where: str, above: list[Any]
) -> None:
    file, line = tmp_path / "session.jsonl", lines(note("a", None, WIDE))
    start = line.index(WIDE.encode())
    for cut in range(start, start + len(WIDE.encode()) + 1):
        tail = line[:cut]
        file.write_bytes(lines(*above) + tail)

        rule = f"a tail that ends in the middle of a character is still a tail, {where}: {tail[start - 10 :]!r}"
        store = await expect.done(session.JsonlSessionStore.open(file), rule)
        await check_ids(store, [entry["id"] for entry in above], rule)
        check_state(store, "needs-repair", rule)


BAD_UTF8 = lines(note("b", "a", "HERE")).replace(b"HERE", b"\xff")
WRONG = b'{"id":"b"}\n'
DAMAGED = {
    "what is no JSON": (lines(note("a", None)) + b"BAD\n", 2, ()),
    "what is no JSON, before a torn tail": (lines(note("a", None)) + b"BAD\n{", 2, ()),
    "what is no JSON, after blank lines": (b"\n\nBAD\n", 3, ()),
    "a line of a form feed, which is not blank": (b"\f\n", 1, ()),
    "a wrong shape": (lines(note("a", None)) + WRONG, 2, ()),
    "bytes that are no UTF-8": (lines(note("a", None)) + BAD_UTF8, 2, ()),
    "bytes that are no UTF-8, after blank lines": (b"\n\n" + BAD_UTF8 + lines(note("a", None)), 3, ()),
    "the first of two, if the second is no UTF-8": (WRONG + lines(note("a", None)) + BAD_UTF8, 1, ()),
    "the first of two, if it is no UTF-8": (BAD_UTF8 + WRONG, 1, ()),
    "UTF-16": ('{"id":"a"}\n'.encode("utf-16"), 1, ()),
    "a BOM": (b"\xef\xbb\xbf" + lines(note("a", None)), 1, ()),
    "an id that stands twice": (lines(note("twice", None), note("twice", None)), None, ("twice",)),
    "an id that stands twice, before a torn tail": (
        lines(note("twice", None), note("twice", None)) + b"{",
        None,
        ("twice",),
    ),
    "a parent that is missing": (lines(note("kid", "ghost")), None, ("kid", "ghost")),
    "a parent that comes later": (lines(note("kid", "late"), note("late", None)), None, ("kid", "late")),
}


@pytest.mark.parametrize(("rule", "data", "line", "facts"), expect.cases(DAMAGED))
async def test_a_damaged_file_is_not_opened(
    session: Any, tmp_path: Path, rule: str, data: bytes, line: int | None, facts: tuple[str, ...]
) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(data)

    error = await error_of(session.JsonlSessionStore.open(file), f"a damaged file is not opened: {rule}")

    expect.names_facts(
        error, *facts, rule=f"the error of a damaged file says what is wrong: {rule}", kinds=OUT_OF_PLACE
    )
    if line is not None:
        expect.names_line(error, line, f"the damaged line is named: {rule}")
    expect.same(file.read_bytes() == data, True, "a damaged file is left as it is")


async def test_cancelling_a_caller_stops_no_write(session: Any, tmp_path: Path) -> None:
    io = GatedFileIO()
    store = await opened(session, tmp_path / "session.jsonl", io)

    callers = [*map(asyncio.ensure_future, append(store, note("writing", None), note("waiting", None)))]
    callers.append(asyncio.ensure_future(store.entries()))
    await io.arrived.wait()
    for caller in callers:
        caller.cancel()
    await asyncio.sleep(0)
    io.gate.set()
    await appended(store, note("last", None), "a cancelled caller does not stop those behind it")
    for caller in callers:
        with contextlib.suppress(asyncio.CancelledError):
            await expect.done(caller, "a cancelled caller gets no error but its own cancellation")

    await check_ids(store, ["writing", "waiting", "last"], "a cancelled caller takes nothing back")
    check_state(store, "ready", "a cancelled caller does not stop the store")


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
    store = await opened(session, tmp_path / "session.jsonl", io)

    first, queued = append(store, note("a", None), note("b", None))
    errors = [await error_of(first, f"the append fails: {rule}")]
    for outcome in (queued, store.read(), *append(store, note("c", None))):
        errors.append(await error_of(outcome, f"all that follows fails: {rule}"))

    check_state(store, "tainted", f"whatever ends a write taints the store: {rule}")
    expect.same(io.appends, 1, f"nothing is written after it: {rule}")
    for error in errors:
        expect.holds(
            isinstance(error, Exception), "no caller is told that it was cancelled itself", "an Exception", repr(error)
        )
        check_identity(error, errors[0], f"all get the same error: {rule}")


async def reading_behind_a_write(session: Any, file: Path) -> None:
    io = GatedFileIO()
    store = await opened(session, file, io)
    append(store, note("a", None))
    await io.arrived.wait()
    reading = asyncio.ensure_future(store.read())
    await let_others_run()
    expect.holds(not reading.done(), "a reading waits for the write that is under way", "it waits", "it has ended")
    io.gate.set()

    recovered = await expect.done(reading, "a reading waits for the write that is under way")
    expected = {"entries": [note("a", None)], "warnings": []}
    expect.same(recovered, expected, "a reading never sees half a line of its own store")


class SlowlyReadFileIO(GatedFileIO):
    """A disk on which a reading, too, waits until a gate is opened, and looks at the file only then."""

    def __init__(self) -> None:
        super().__init__()
        self.reading_gate = asyncio.Event()
        self.reading_arrived = asyncio.Event()

    async def read_file(self, path: Path) -> bytes:
        self.reading_arrived.set()
        await self.reading_gate.wait()
        return await super().read_file(path)


async def write_behind_a_reading(session: Any, file: Path) -> None:
    io = SlowlyReadFileIO()
    io.reading_gate.set()
    store = await opened(session, file, io)
    io.reading_gate.clear()
    io.reading_arrived.clear()
    reading = asyncio.ensure_future(store.read())
    await io.reading_arrived.wait()
    [writing] = append(store, note("a", None))
    await let_others_run()  # a write that does not wait is half done now
    io.reading_gate.set()

    rule = "an append that is called during a reading waits for it: a reading never sees half a line of its own store"
    expect.same(await expect.done(reading, rule), {"entries": [], "warnings": []}, rule)
    io.gate.set()
    await expect.done(writing, "an append that waits for a reading is written after it")
    await check_reading(store, ["a"], [], "an append that waits for a reading is written after it")


TURNS = {"a reading behind a write": reading_behind_a_write, "a write behind a reading": write_behind_a_reading}


@pytest.mark.parametrize("scenario", TURNS.values(), ids=TURNS)
async def test_reading_waits_for_its_turn(session: Any, tmp_path: Path, scenario: Any) -> None:
    await scenario(session, tmp_path / "session.jsonl")


async def draining_waits(session: Any, file: Path) -> None:
    io = GatedFileIO()
    store = await opened(session, file, io)
    check_state(store, "ready", "a store on a whole file is ready")
    append(store, note("a", None))
    await io.arrived.wait()
    draining = asyncio.ensure_future(store.drain())
    await let_others_run()
    expect.holds(not draining.done(), "drain() waits for what is queued", "it waits", "it has ended")
    io.gate.set()
    await expect.done(draining, "drain() ends when the queue is empty")

    append(store, note("b", "a"), note("a", None))
    await expect.done(store.drain(), "the error of an append is no error of drain()")
    await check_ids(store, ["a", "b"], "after drain() all is written or refused, and more can be appended")


async def closing_refuses(session: Any, file: Path) -> None:
    io = FaultyFileIO(fail_at=99)
    store = await opened(session, file, io)
    append(store, note("a", None), note("b", "a"))
    await expect.done(store.aclose(), "a store can be closed")
    expect.same(io.appends, 2, "aclose() waits for what is queued")

    for entry in [note("c", "b"), note("", "b")]:
        rule = "a closed store refuses to append, says that it is closed, and does not look at the entry"
        expect.names_facts(await refusal_of(store, entry, rule), "clos", rule=rule, kinds=ANY_ERROR)
    expect.same(io.appends, 2, "a closed store writes nothing")
    await check_ids(store, ["a", "b"], "a closed store can still be read")


async def closing_a_tainted_store(session: Any, file: Path) -> None:
    io = FaultyFileIO()
    store = await opened(session, file, io)
    await refusal_of(store, note("a", None), "an append fails if its write fails")
    await expect.done(store.aclose(), "a tainted store can be closed")

    rule = "a tainted store that is closed gives the first error too, which says more"
    check_identity(await refusal_of(store, note("b", None), rule), io.error, rule)


CLOSING = {
    "drain() waits": draining_waits,
    "aclose() waits, and what comes later is refused": closing_refuses,
    "a tainted store says so, closed or not": closing_a_tainted_store,
}


@pytest.mark.parametrize("scenario", CLOSING.values(), ids=CLOSING)
async def test_closing_waits_and_then_refuses(session: Any, tmp_path: Path, scenario: Any) -> None:
    await scenario(session, tmp_path / "session.jsonl")

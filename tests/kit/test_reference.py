"""What the reference keeps, beyond what the labs ask of everybody.

Most of these are here because mutation testing found that no lab test, rightly, insists on them.
"""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import os
import stat
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import solutions
from kit.test_entry_rules import places
from scaffold.given.errors import ClosedError, EntryError, LineError, RepairRefusedError, TreeError
from scaffold.given.faults import FaultyFileIO, GatedFileIO
from scaffold.given.samples import assistant, message_entry, metadata_entry, text, tool_call, tool_result
from solutions.lab_10_2.session import LARGEST, MAX_DEPTH
from solutions.lab_10_7.session import Repair


class EqualToAll(type):
    """The type of classes that say they are equal to any other. Only `is` sees through it."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return 0


class Text(str, metaclass=EqualToAll):
    __slots__ = ()


class Whole(int, metaclass=EqualToAll):
    pass


class Number(float, metaclass=EqualToAll):
    pass


class List(list[Any], metaclass=EqualToAll):
    pass


class Dict(dict[str, Any], metaclass=EqualToAll):
    pass


LYING: dict[type, Callable[[Any], Any]] = {str: Text, int: Whole, float: Number, bool: Whole, list: List, dict: Dict}
CALL = tool_call("c1", "read", {"path": ["a", 1, 0.5, {"k": "v"}]})
LIARS_OF_EACH_KIND = (Text("x"), Whole(1), Number(1), List(), Dict())
ENTRIES: list[Any] = [
    message_entry("b", "a", assistant(text("I'll look."), CALL)),
    message_entry("r", "b", tool_result(CALL, "Buy milk.", {"bytes": 9}, is_error=False)),
    metadata_entry("m", "r", "note", ["x", 1, 0.5, {}]),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])
def test_a_class_that_says_it_is_a_builtin_one_is_refused_in_every_place(entry: Any) -> None:
    assert solutions.parse_session_entry(entry) == entry
    for index, (container, key) in enumerate(places(entry)):
        value = container[key]
        as_a_liar = [] if value is None else [LYING[type(value)](value)]
        for liar in (*LIARS_OF_EACH_KIND, *as_a_liar):
            changed = copy.deepcopy(entry)
            inner, step = places(changed)[index]
            inner[step] = liar
            with pytest.raises(EntryError):
                solutions.parse_session_entry(changed)


@pytest.mark.parametrize("value", [Text("x"), List(), Whole(1), Dict()])
def test_what_says_it_is_an_entry_is_refused(value: object) -> None:
    with pytest.raises(EntryError):
        solutions.parse_session_entry(value)


def test_a_key_of_another_class_is_refused() -> None:
    with pytest.raises(EntryError):
        solutions.parse_session_entry({Text(key): value for key, value in ENTRIES[2].items()})


LIARS = {
    "an entry": ([Dict(ENTRIES[2], parentId=None)], "m"),
    "an id": ([metadata_entry(Text("m"), None, "note", 1)], "m"),
    "a parent": ([metadata_entry("a", None, "note", 1), metadata_entry("m", Text("a"), "note", 1)], "m"),
    "the leaf": ([metadata_entry("m", None, "note", 1)], Text("m")),
}


@pytest.mark.parametrize(("entries", "leaf"), LIARS.values(), ids=LIARS)
def test_a_path_is_made_of_strings(entries: list[Any], leaf: str) -> None:
    with pytest.raises(TreeError):
        solutions.path_to(entries, leaf)


async def test_a_file_that_is_one_torn_tail_need_not_be_utf8(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\xff\xfe\xfd")

    store = await solutions.JsonlSessionStore.open(path)

    assert await store.read() == {"entries": [], "warnings": [{"code": "unterminated_tail", "line": 1}]}


async def test_bad_bytes_below_a_blank_line_are_on_line_2(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n\xff\n")

    with pytest.raises(LineError, match="line 2: is not UTF-8"):
        await solutions.JsonlSessionStore.open(path)


async def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    store = await solutions.JsonlSessionStore.open(path)
    await store.append(metadata_entry("道", None, "note", "🌳"))

    assert path.read_text("utf-8").startswith('{"id":"道","parentId":null,')


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth > 1 else []


def test_limits_are_where_they_are_said_to_be() -> None:
    for value in (nested(MAX_DEPTH), LARGEST, -LARGEST, int(LARGEST)):
        assert solutions.parse_session_entry(metadata_entry("a", None, "note", value))
    for value in (nested(MAX_DEPTH + 1), int(LARGEST) + 1, -int(LARGEST) - 1):
        with pytest.raises(EntryError):
            solutions.parse_session_entry(metadata_entry("a", None, "note", value))
    assert MAX_DEPTH == 100


def test_the_key_that_stands_twice_is_named() -> None:
    with pytest.raises(LineError, match="the key 'twice' stands twice"):
        solutions.recover_jsonl('{"once": 1, "twice": 2, "twice": 3}\n')


@pytest.mark.parametrize("method", ["append", "read", "entries"])
async def test_the_traceback_of_a_stored_error_does_not_grow(tmp_path: Path, method: str) -> None:
    store: Any = await solutions.JsonlSessionStore.open(tmp_path / "session.jsonl", FaultyFileIO())
    entry = metadata_entry("a", None, "note", 1)
    with pytest.raises(OSError, match="No space"):
        await store.append(entry)

    frames = []
    for _ in range(5):
        with pytest.raises(OSError, match="No space") as caught:
            await getattr(store, method)(*([entry] if method == "append" else []))
        frames.append(len(traceback.extract_tb(caught.value.__traceback__)))

    assert len(set(frames)) == 1, frames


async def test_a_store_is_closed_from_the_call_on(tmp_path: Path) -> None:
    disk = GatedFileIO()
    store = await solutions.JsonlSessionStore.open(tmp_path / "session.jsonl", disk)
    first = store.append(metadata_entry("a", None, "note", 1))
    await disk.arrived.wait()
    closing = asyncio.create_task(store.aclose())
    await asyncio.sleep(0)  # the call has begun

    late = store.append(metadata_entry("b", None, "note", 1))
    disk.gate.set()
    await asyncio.gather(first, closing)

    with pytest.raises(ClosedError):
        await late
    assert [entry["id"] for entry in await store.entries()] == ["a"]


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n{torn")
    return path


def test_a_repair_says_what_it_did(torn: Path) -> None:
    done = solutions.repair_unterminated_tail(torn)
    again = solutions.repair_unterminated_tail(torn)

    assert done == Repair(torn.with_name("session.jsonl.backup-1"), b"{torn", durable=True)
    assert again == Repair(None, b"", durable=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        done.durable = False  # type: ignore[misc]  # that it can't be done is what is tested


def test_a_folder_that_cannot_be_synced_is_told_of(torn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def files_only(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)

    assert solutions.repair_unterminated_tail(torn).durable is False
    assert torn.read_bytes() == b"\n"


@pytest.mark.parametrize("spoilt", [b"", b"\n{torn and more", b"\n{tor"])
def test_a_backup_that_reads_back_as_something_else_stops_the_repair(
    torn: Path, monkeypatch: pytest.MonkeyPatch, spoilt: bytes
) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _path: spoilt)
    with pytest.raises(OSError, match="does not hold what was written to it"):
        solutions.repair_unterminated_tail(torn)
    monkeypatch.undo()

    assert torn.read_bytes() == b"\n{torn"


def test_a_file_that_was_cut_meanwhile_is_left_alone(torn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def cut(descriptor: int) -> None:
        fsync(descriptor)
        os.truncate(torn, 3)

    monkeypatch.setattr(os, "fsync", cut)
    with pytest.raises(RepairRefusedError):
        solutions.repair_unterminated_tail(torn)

    assert torn.read_bytes() == b"\n{t"

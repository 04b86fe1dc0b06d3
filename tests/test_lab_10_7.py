"""Lab 10.7 (bonus): `repair_unterminated_tail` cuts off a torn tail, and loses nothing while it does."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import expect
from scaffold.given.samples import metadata_entry

pytestmark = pytest.mark.lab_10_7


def line(entry_id: str, parent_id: str | None, value: str = "道 🛣️") -> bytes:
    entry = metadata_entry(entry_id, parent_id, "note", value)
    return json.dumps(entry, ensure_ascii=False, separators=(", ", ": ")).encode() + b"\n"


KEPT = b" \n" + line("a", None) + b"\n" + line("b", "a")
TAILS = {
    "half a record": line("c", "b")[:30],
    "a complete record": line("c", "b")[:-1],
    "half a character": line("c", "b")[: line("c", "b").index("道".encode()) + 1],
    "NUL bytes": b"\0" * 20,
    "a no-break space": "\u00a0".encode(),
}


def torn_file(folder: Path, tail: bytes = TAILS["half a character"], kept: bytes = KEPT) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "session.jsonl"
    file.write_bytes(kept + tail)
    return file


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def others(file: Path) -> list[bytes]:
    """Return what stands in the files beside `file`."""
    return [data for name, data in contents(file.parent).items() if name != file.name]


@pytest.mark.parametrize(("rule", "tail"), expect.cases(TAILS))
async def test_only_the_torn_tail_is_cut_off(session: Any, tmp_path: Path, rule: str, tail: bytes) -> None:
    file = torn_file(tmp_path, tail)

    session.repair_unterminated_tail(file)

    expect.same(file.read_bytes() == KEPT, True, f"the committed lines stay as they are, byte for byte: {rule}")


def test_a_file_that_is_all_tail_becomes_empty(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path, kept=b"")

    session.repair_unterminated_tail(str(file))

    expect.same(file.read_bytes(), b"", "without a committed line nothing is kept")


@pytest.mark.parametrize("tail", [b"", b" \t\r", b"  "], ids=repr)
def test_nothing_to_repair_means_nothing_is_done(session: Any, tmp_path: Path, tail: bytes) -> None:
    file = torn_file(tmp_path, tail)
    before, status = contents(tmp_path), file.stat()

    session.repair_unterminated_tail(file)

    expect.same(contents(tmp_path) == before, True, "a file without a torn tail is left alone, and gets no backup")
    expect.same(file.stat().st_mtime_ns, status.st_mtime_ns, "a file without a torn tail is not written")


def test_a_repaired_file_needs_no_repair(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path)
    session.repair_unterminated_tail(file)
    after = contents(tmp_path)

    session.repair_unterminated_tail(file)

    expect.same(contents(tmp_path) == after, True, "a second repair does nothing")


BAD_LINES = {"what is no JSON": b"BAD\n", "a wrong shape": b"{}\n", "what is no UTF-8": b'"\xff"\n'}


@pytest.mark.parametrize(("rule", "bad"), expect.cases(BAD_LINES))
def test_a_damaged_line_is_refused(session: Any, tmp_path: Path, rule: str, bad: bytes) -> None:
    file = torn_file(tmp_path, kept=line("a", None) + bad)
    before = contents(tmp_path)

    error = expect.refused(lambda: session.repair_unterminated_tail(file), rule=f"a damaged line is refused: {rule}")

    expect.names_line(error, 2, "the damaged line is named")
    expect.same(contents(tmp_path) == before, True, "nothing is changed, and there is no backup")


def test_the_backup_is_complete_and_never_overwrites(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path)
    original = file.read_bytes()

    for _ in range(3):
        file.write_bytes(original)
        session.repair_unterminated_tail(file)

    expect.same(others(file) == [original] * 3, True, "each repair has a complete backup of its own")


STEPS = ("open", "write", "fsync", "chmod", "stat", "replace", "rename", "close")


def failing_at(monkeypatch: pytest.MonkeyPatch, position: int) -> Callable[[], bool]:
    """Let the call with this position fail, among all calls of the file system in STEPS; return whether it came."""
    calls = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == position + 1:
                raise OSError(5, "Input/output error")
            return real(*arguments, **options)

        return call

    for name in STEPS:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    return lambda: calls > position


def test_a_failed_step_leaves_the_file_as_it_was(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = KEPT + TAILS["half a character"]
    for position in range(200):
        file = torn_file(tmp_path / str(position))
        raised = False
        with monkeypatch.context() as faults:
            came = failing_at(faults, position)
            try:
                session.repair_unterminated_tail(file)
            except OSError:
                raised = True

        now = file.read_bytes()
        expect.holds(now in (original, KEPT), "the file is whole at any moment", "the old bytes or the new", repr(now))
        if raised:
            expect.same(len(others(file)) <= 1, True, "a failed repair leaves a backup at most, and no new file")
        else:
            expect.holds(now == KEPT, "a repair that reports success has repaired", repr(KEPT), repr(now))
        if now == KEPT:
            expect.same(others(file) == [original], True, "a file is replaced only when its backup is complete")
        if not came():
            return
    pytest.fail("the repair never ends")


MOMENTS = {
    "while the backup is written": ("fsync",),
    "between the reading and the look at the status": ("fstat", "stat"),
}


@pytest.mark.parametrize("calls", MOMENTS.values(), ids=MOMENTS)
def test_a_file_that_changes_meanwhile_is_left_alone(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: tuple[str, ...]
) -> None:
    file, late = torn_file(tmp_path), b'"}\nlate'

    def with_a_foreign_append(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if late not in file.read_bytes():
                with file.open("ab") as other:
                    other.write(late)
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as somebody_else:
        for name in calls:
            somebody_else.setattr(os, name, with_a_foreign_append(getattr(os, name)))
        expect.refused(
            lambda: session.repair_unterminated_tail(file),
            rule="a file that somebody else writes to is not replaced",
            kinds=(Exception,),
        )

    expect.same(file.read_bytes().endswith(late), True, "what somebody else wrote is not lost")
    expect.same(len(others(file)) <= 1, True, "a refused repair leaves a backup at most")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes, and links only for administrators")
def test_the_file_keeps_its_mode_and_its_links(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path)
    file.chmod(0o640)
    elsewhere = tmp_path / "links"
    elsewhere.mkdir()
    link = elsewhere / "link.jsonl"
    link.symlink_to(file)

    session.repair_unterminated_tail(link)

    expect.same(link.is_symlink(), True, "a link stays a link")
    expect.same(file.read_bytes() == KEPT, True, "the file behind the link is repaired")
    expect.same(oct(file.stat().st_mode & 0o777), oct(0o640), "the file keeps its mode")
    more_public = [path.name for path in tmp_path.iterdir() if path.is_file() and path.stat().st_mode & 0o777 & ~0o640]
    expect.same(more_public, [], "the backup is no more public than the file")

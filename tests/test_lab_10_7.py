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
from failing_disk import STEPS, SYNCS, Fault, Somebody, Watcher, a_few_bytes_at_a_time, apart_from, disk, spoils
from scaffold.given.errors import RepairRefusedError
from scaffold.given.samples import metadata_entry

pytestmark = pytest.mark.lab_10_7


def line(entry_id: str, parent_id: str | None, value: str = "道 🛣️") -> bytes:
    entry = metadata_entry(entry_id, parent_id, "note", value)
    return json.dumps(entry, ensure_ascii=False, separators=(", ", ": ")).encode() + b"\n"


KEPT = b" \n" + line("a", None) + b"\n" + line("b", "a") + b" \r\n\n"
TAILS = {
    "half a record": line("c", "b")[:30],
    "a complete record": line("c", "b")[:-1],
    "half a character": line("c", "b")[: line("c", "b").index("道".encode()) + 1],
    "NUL bytes": b"\0" * 20,
    "a no-break space": "\u00a0".encode(),
    "a form feed": b"\f",
    "a vertical tab": b"\v",
}
TAIL = TAILS["half a character"]
TORN = KEPT + TAIL


def torn_file(folder: Path, tail: bytes = TAIL, kept: bytes = KEPT) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "session.jsonl"
    file.write_bytes(kept + tail)
    return file


def second_name(file: Path) -> Path:
    """Give the old bytes a second name outside of the folder: what is written into them shows under both."""
    other = file.parent.with_suffix(".old")
    os.link(file, other)
    return other


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def others(file: Path) -> list[bytes]:
    """Return what stands in the files beside `file`, or in folders beside it."""
    return [data for name, data in contents(file.parent).items() if name != file.name]


def repaired(session: Any, file: Path | str, rule: str) -> None:
    expect.accepted(lambda: session.repair_unterminated_tail(file), rule)


def error_of(session: Any, file: Path) -> Exception | None:
    """Return the error with which a repair ends, if it does."""
    repair = session.repair_unterminated_tail
    try:
        repair(file)
    except expect.OURS:
        raise
    except Exception as error:
        return error
    return None


def is_whole(file: Path, old: Path) -> bool:
    """Check what holds at any moment, and return whether the file is repaired."""
    now = file.read_bytes() if file.exists() else b"there is no file"
    expect.holds(now in (TORN, KEPT), "the file is whole at any moment", "the old bytes or the new", repr(now))
    expect.same(old.read_bytes() == TORN, True, "nobody writes into the old bytes: the new ones are another file")
    if now == KEPT:
        expect.same(others(file) == [TORN], True, "a file is replaced only when its backup is complete")
    return now == KEPT


@pytest.mark.parametrize(("rule", "tail"), expect.cases(TAILS))
async def test_only_the_torn_tail_is_cut_off(session: Any, tmp_path: Path, rule: str, tail: bytes) -> None:
    file = torn_file(tmp_path, tail)

    repaired(session, file, rule)

    expect.same(file.read_bytes() == KEPT, True, f"the committed lines stay as they are, byte for byte: {rule}")


def test_a_file_that_is_all_tail_becomes_empty(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path, kept=b"")

    repaired(session, str(file), "a file without a committed line can be repaired")

    expect.same(file.read_bytes(), b"", "without a committed line nothing is kept")


@pytest.mark.parametrize("tail", [b"", b" \t\r", b"  "], ids=repr)
def test_nothing_to_repair_means_nothing_is_done(session: Any, tmp_path: Path, tail: bytes) -> None:
    file = torn_file(tmp_path, tail)
    before, status = contents(tmp_path), file.stat()

    repaired(session, file, "a file without a torn tail is no error")

    expect.same(contents(tmp_path) == before, True, "a file without a torn tail is left alone, and gets no backup")
    expect.same(file.stat().st_mtime_ns, status.st_mtime_ns, "a file without a torn tail is not written")


def test_a_repaired_file_needs_no_repair(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path)
    repaired(session, file, "a torn tail is cut off")
    after = contents(tmp_path)

    repaired(session, file, "a second repair is no error")

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
        repaired(session, file, "a file may be repaired again, when it is torn again")

    expect.same(others(file) == [original] * 3, True, "each repair has a complete backup of its own")


def test_a_failed_step_leaves_the_file_as_it_was(session: Any, tmp_path: Path) -> None:
    for position in range(400):
        file, fault = torn_file(tmp_path / str(position)), Fault(position)
        old = second_name(file)

        with disk(fault, *STEPS):
            error = error_of(session, file)

        done = is_whole(file, old)
        if error is None:
            expect.same(done, True, "a repair that reports success has repaired")
        elif done:
            rule = "an error after the replacing must not look like a failed repair"
            told = error is not fault.error and not isinstance(error, RepairRefusedError)
            expect.holds(told, rule, "a result that says so, or an error of another kind", repr(error))
        else:
            alone = len(others(file)) <= 1 and KEPT not in others(file)
            expect.same(alone, True, "a failed repair leaves a backup at most, and no new file")
        if not fault.came:
            expect.same(done, True, "a repair without a failed step is done")
            return
    pytest.fail("the repair never ends")


def test_a_spoilt_backup_is_noticed(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path / "sessions")
    old = second_name(file)

    with disk(spoils(TAIL), "write"):
        error = error_of(session, file)

    expect.holds(is_whole(file, old) or error, "a file that was not repaired is an error", "an error", repr(error))


ODD_DISKS: dict[str, tuple[Callable[[Path], Callable[..., Any]], tuple[str, ...]]] = {
    "a write may take a few bytes only": (lambda _: a_few_bytes_at_a_time, ("write",)),
    "the system's folder may be on another disk": (apart_from, ("rename", "replace", "link")),
}


@pytest.mark.parametrize(("rule", "behaviour", "names"), expect.cases(ODD_DISKS))
def test_an_odd_disk_is_no_failure(
    session: Any, tmp_path: Path, rule: str, behaviour: Callable[[Path], Callable[..., Any]], names: tuple[str, ...]
) -> None:
    file = torn_file(tmp_path / "sessions")
    old = second_name(file)

    with disk(behaviour(file.parent), *names):
        repaired(session, file, rule)

    expect.same(is_whole(file, old), True, f"the file is repaired all the same: {rule}")


def test_what_replaces_the_file_is_on_the_disk(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path)
    watcher = Watcher(file)

    with disk(watcher, *SYNCS):
        repaired(session, file, "a torn tail is cut off")

    for size, what in {len(TORN): "backup", len(KEPT): "new file"}.items():
        rule = f"the whole {what} is on the disk (os.fsync) before the file is replaced"
        expect.holds(size in watcher.sizes, rule, f"a sync of {size} bytes", f"syncs of {watcher.sizes} bytes")


def append(file: Path) -> None:
    with file.open("ab") as other:
        other.write(b'"}\nlate')


def append_and_keep_the_time(file: Path) -> None:
    status = file.stat()
    append(file)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def overwrite(file: Path) -> None:
    status = file.stat()
    file.write_bytes(b"x" * status.st_size)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 10**10))


def exchange(file: Path) -> None:
    status, other = file.stat(), file.with_name("other")
    other.write_bytes(b"x" * status.st_size)
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)


CHANGES = {
    "while the backup is written": (append, SYNCS, len(TORN)),
    "while the new file is written": (append, SYNCS, len(KEPT)),
    "between the reading and the look at the status": (append, ("fstat", "stat"), None),
    "more bytes, but the old time": (append_and_keep_the_time, SYNCS, len(KEPT)),
    "as many bytes, but a new time": (overwrite, SYNCS, len(KEPT)),
    "another file, with the old number of bytes and the old time": (exchange, SYNCS, len(KEPT)),
}


@pytest.mark.parametrize(("rule", "change", "names", "size"), expect.cases(CHANGES))
def test_a_file_that_changes_meanwhile_is_left_alone(
    session: Any, tmp_path: Path, rule: str, change: Callable[[Path], None], names: tuple[str, ...], size: int | None
) -> None:
    file = torn_file(tmp_path)
    somebody = Somebody(file, change, size)

    with disk(somebody, *names):
        error = error_of(session, file)

    if somebody.left is None:
        return  # this repair has no such moment; whether it syncs is asked above
    expect.holds(error, f"a file that somebody else changes is not replaced: {rule}", "an error", "no error")
    expect.same(file.read_bytes() == somebody.left, True, f"what somebody else wrote is not lost: {rule}")
    expect.same(len(others(file)) <= 1, True, "a refused repair leaves a backup at most")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes, and links only for administrators")
def test_the_file_keeps_its_mode_and_its_links(session: Any, tmp_path: Path) -> None:
    file = torn_file(tmp_path)
    file.chmod(0o640)
    elsewhere = tmp_path / "links"
    elsewhere.mkdir()
    link = elsewhere / "link.jsonl"
    link.symlink_to(file)

    repaired(session, link, "a file can be repaired through a link")

    expect.same(link.is_symlink(), True, "a link stays a link")
    expect.same(file.read_bytes() == KEPT, True, "the file behind the link is repaired")
    expect.same(oct(file.stat().st_mode & 0o777), oct(0o640), "the file keeps its mode")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    more_public = [path.name for path in files if path.stat().st_mode & 0o777 & ~0o640]
    expect.same(more_public, [], "the backup is no more public than the file")

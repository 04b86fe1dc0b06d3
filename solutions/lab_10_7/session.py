"""Lab 10.7 (bonus): cut off a torn tail, so that the file can be written again. New: a file is replaced, safely."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from scaffold.given.errors import RepairRefusedError
from scaffold.given.file_io import write_all

from ..lab_10_4.session import is_blank
from ..lab_10_5.session import recover_bytes

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Repair:
    """What a repair did. Without a torn tail it did nothing: there is no backup, and nothing was dropped."""

    backup: Path | None = None  # the whole file as it was
    dropped: bytes = b""  # the torn tail
    durable: bool = True  # False: the repaired file is in place, but a power failure may still undo that


def repair_unterminated_tail(path: str | os.PathLike[str]) -> Repair:
    """Cut off the torn tail of a session file, after a backup. The committed lines stay as they are, byte for byte.

    No store may be open on the file, and one that was must be thrown away: it remembers the tail. Nothing calls this
    on its own: a repair loses bytes, so somebody has to ask for it.

    Raises LineError if a committed line is damaged, RepairRefusedError if the file changes meanwhile, and OSError.
    After any of them the file is as it was, though the backup may be there. (Chapter 10, the optional exercise.)

    Task 10.7 d: read, look for the tail, check the lines before it, back up, replace.
    """
    target = Path(os.path.realpath(path))
    data, seen = read_with_status(target)
    kept = data[: data.rfind(b"\n") + 1]
    dropped = data[len(kept) :]
    if is_blank(dropped.decode(errors="replace")):
        return Repair()
    recover_bytes(kept)
    backup = write_backup(target, data, seen)
    return Repair(backup, dropped, durable=replace(target, kept, seen))


def read_with_status(target: Path) -> tuple[bytes, os.stat_result]:
    """Return the bytes of a file, and its status from before they were read.

    What is appended between the two shows as a change later on, and the repair is refused. The other way round, it
    would be cut off unseen.

    Task 10.7 a: ask the open file for its status, not the path, which may name another file by now.
    """
    with target.open("rb") as file:
        seen = os.fstat(file.fileno())
        return file.read(), seen


def write_backup(target: Path, data: bytes, seen: os.stat_result) -> Path:
    """Write `data` to a new file beside the target, with its mode, and return the path. Raises OSError.

    Task 10.7 b: never over a file that is there. On the disk, and read again, before anybody relies on it.
    """
    for number in count(1):
        backup = target.with_name(f"{target.name}.backup-{number}")
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(backup, CREATE, stat.S_IMODE(seen.st_mode))
            break
    write_and_close(descriptor, data)
    if backup.read_bytes() != data:
        raise OSError(f"the backup {backup} does not hold what was written to it; {target} was not changed")
    return backup


def replace(target: Path, data: bytes, seen: os.stat_result) -> bool:
    """Put `data` in the place of the target's content, in one step. Return whether that is on the disk for sure.

    Task 10.7 c: a new file in the same folder, with the target's mode; then, if the target is still as it was seen,
    `os.replace`. An error before that leaves no new file behind; one after it must not look like a failed repair.
    """
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    new = Path(name)
    try:
        write_and_close(descriptor, data)
        new.chmod(stat.S_IMODE(seen.st_mode))
        if fingerprint(target.stat()) != fingerprint(seen):
            raise RepairRefusedError(f"{target} was changed during the repair; close what writes to it and try again")
        new.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
    return sync_folder(target.parent)


def fingerprint(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced.

    Task 10.7 c
    """
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def write_and_close(descriptor: int, data: bytes) -> None:
    """Write all of `data` through to the disk."""
    with os.fdopen(descriptor, "wb", buffering=0):
        write_all(descriptor, data)
        os.fsync(descriptor)


def sync_folder(folder: Path) -> bool:
    """Write a folder's list of names through to the disk. Return False where that fails, or is not possible."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True

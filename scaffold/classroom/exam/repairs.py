"""Lets a submission repair a torn file, on a disk that goes wrong in a chosen way.

The disk stands between the submission and some functions of `os`. What became of the files is not told here: the
trusted side looks at them itself. Each repair has a folder: `sessions/session.jsonl` is the file, `old` is a second
name of its bytes, outside of the folder, and `links/link.jsonl` may be a link to it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from scaffold.classroom.exam.reports import error_report

STEPS = (
    *("open", "read", "write", "fstat", "stat", "chmod", "fchmod", "truncate", "ftruncate", "fsync", "fdatasync"),
    *("link", "rename", "replace", "close"),
)
SYNCS = ("fsync", "fdatasync")
STATUS = ("fstat", "stat")
LATE = b'"}\nlate'
Place = tuple[Any, str, Any]
LONG_AGO = 1_000_000_000_000_000_000  # nanoseconds since 1970: a time at which no file is written now


def repair(lab: Any, operation: dict[str, Any], places: Sequence[Place]) -> dict[str, Any]:
    """Do the repairs of an operation, one after the other. Return how each ended, and what the disk noticed."""
    folder = Path(operation["folder"])
    file = folder / "sessions" / "session.jsonl"
    torn = bytes.fromhex(operation["kept"]) + bytes.fromhex(operation["tail"])
    asked = _prepare(folder, file, torn, operation)
    disk = DISKS[operation["disk"]["is"]](file, operation) if "disk" in operation else None
    ends = []
    for again in [None, *operation.get("again", [None] * (operation.get("times", 1) - 1))]:
        if again is not None:
            file.write_bytes(bytes.fromhex(again))
        ends.append(_end_of(lab, asked, disk, places))
    return {"ends": ends, "disk": disk.noticed() if disk else None}


def _prepare(folder: Path, file: Path, torn: bytes, operation: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True)
    file.write_bytes(torn)
    if "disk" in operation:
        os.link(file, folder / "old")
    if "mode" in operation:
        file.chmod(operation["mode"])
    if "old" in operation:
        os.utime(file, ns=(LONG_AGO, LONG_AGO))
    if "link" not in operation:
        return file
    link = folder / "links" / "link.jsonl"
    link.parent.mkdir()
    link.symlink_to(file.absolute())
    return link


def _end_of(lab: Any, asked: Path, disk: Disk | None, places: Sequence[Place]) -> Any:
    repair_it = lab.repair_unterminated_tail
    try:
        if disk is None:
            repair_it(asked)
        else:
            with _between(disk, places):
                repair_it(asked)
    except Exception as error:
        report = error_report(error)
        report["$error"]["made by the disk"] = disk is not None and error is disk.error
        return report
    return "done"


class Disk:
    """A disk without a fault: each function of `os` in `names` is called as it is."""

    names: tuple[str, ...] = STEPS

    def __init__(self, file: Path, operation: dict[str, Any]) -> None:
        self.file = file
        self.script = operation["disk"]
        self.kept, self.tail = (bytes.fromhex(operation[key]) for key in ("kept", "tail"))
        self.error = OSError(errno.EIO, "Input/output error, made by the exam")

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return real(*arguments, **options)

    def noticed(self) -> Any:
        """Return what the judge can't see in the files."""
        return None


class FailingDisk(Disk):
    """One call fails: the one at a position, counted from 0."""

    calls = 0

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        self.calls += 1
        if self.calls == self.script["position"] + 1:
            raise self.error
        return real(*arguments, **options)

    def noticed(self) -> Any:
        return self.calls > self.script["position"]


class SpoilingDisk(Disk):
    """The torn tail is written as other bytes, without an error."""

    names = ("write",)

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        descriptor, data = arguments
        return real(descriptor, bytes(data).replace(self.tail, b"?" * len(self.tail)), **options)


class SlowDisk(Disk):
    """A write takes a few bytes only."""

    names = ("write",)

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        descriptor, data = arguments
        return real(descriptor, bytes(data)[:7], **options)


class ApartDisk(Disk):
    """What is outside of the file's folder is on another disk."""

    names = ("rename", "replace", "link")

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        source, folder = Path(os.fsdecode(arguments[0])).resolve(), self.file.parent.resolve()
        if not options and not source.is_relative_to(folder):
            raise OSError(errno.EXDEV, "Invalid cross-device link", str(source))
        return real(*arguments, **options)


class WatchedDisk(Disk):
    """Notes whether the backup, and the new file, were synced while the file still had its old bytes."""

    names = SYNCS

    def __init__(self, file: Path, operation: dict[str, Any]) -> None:
        super().__init__(file, operation)
        self._sizes: set[int | None] = set()

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        result = real(*arguments, **options)
        if self.file.read_bytes() == self.kept + self.tail:
            self._sizes.add(_size_of(arguments[0]))
        return result

    def noticed(self) -> Any:
        return [size in self._sizes for size in (len(self.kept + self.tail), len(self.kept))]


class SharedDisk(Disk):
    """Somebody else changes the file, once, at a chosen moment."""

    def __init__(self, file: Path, operation: dict[str, Any]) -> None:
        super().__init__(file, operation)
        sizes = {"backup": len(self.kept + self.tail), "new file": len(self.kept)}
        self._size = sizes.get(self.script["moment"])
        self.names = STATUS if self._size is None else SYNCS
        self._came = False

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if not self._came and (self._size is None or _size_of(arguments[0]) == self._size):
            self._came = True
            _change(self.file, self.script["change"])
        return real(*arguments, **options)

    def noticed(self) -> Any:
        return self._came


def _change(file: Path, how: str) -> None:
    status = file.stat()
    if how in {"append", "append, old time"}:
        with file.open("ab") as other:
            other.write(LATE)
        if how != "append":
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        return
    target = file if how == "overwrite" else file.with_name("other")
    later = 10**10 if how == "overwrite" else 0
    target.write_bytes(b"x" * status.st_size)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns + later))
    if how == "exchange":
        target.replace(file)


def _size_of(file: Any) -> int | None:
    """Return the size of an open file, or None for a folder."""
    status = os.fstat(file if isinstance(file, int) else file.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


DISKS: dict[str, Callable[[Path, dict[str, Any]], Disk]] = {
    "failing": FailingDisk,
    "spoiling": SpoilingDisk,
    "slow": SlowDisk,
    "apart": ApartDisk,
    "watched": WatchedDisk,
    "shared": SharedDisk,
}


@contextmanager
def _between(disk: Disk, places: Sequence[Place]) -> Iterator[None]:
    """Put the disk in the place of functions of `os`."""
    replaced = [place for place in places if place[2].__name__ in disk.names]
    try:
        for module, name, real in replaced:
            setattr(module, name, partial(disk, real))
        yield
    finally:
        for module, name, real in replaced:
            setattr(module, name, real)


def places_of_steps() -> list[Place]:
    """Return where the functions of `os` stand that take part in a repair: a module, a name in it, and the function.

    A submission may have names of its own for them, as by `from os import fsync`.
    """
    real = {id(function) for name in STEPS if (function := getattr(os, name, None))}
    theirs = [module for name, module in list(sys.modules.items()) if name.startswith(("tree_", "scaffold.given"))]
    return [
        (module, *named) for module in (os, *theirs) for named in list(vars(module).items()) if id(named[1]) in real
    ]

"""The narrow seam between a session store and a file. Bytes go through it, never text."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import Protocol

# Windows would turn "\n" into "\r\n" without O_BINARY. Opening a FIFO would wait for a reader without O_NONBLOCK.
_APPEND = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class SessionFileIO(Protocol):
    """What a store needs of a file. Tests put a faulty one here, to see what the store does then."""

    async def ensure_file(self, path: Path) -> None:
        """Make the file and its folder if they are not there yet. Leave a file that is there as it is."""

    async def read_file(self, path: Path) -> bytes:
        """Return all bytes of the file."""

    async def append_file(self, path: Path, data: bytes) -> None:
        """Add all of `data` at the end of the file. After an error, any part of it may be in the file."""


class DiskFileIO:
    """The real file.

    Each append opens the file, writes without a buffer until all is written, and closes it: a buffered file could
    report success for bytes that it still holds, and write them after a failure was reported. The calls block the
    event loop, and therefore can't be cancelled half-way.

    All methods raise OSError. Nothing is flushed to the physical medium (no fsync).
    """

    async def ensure_file(self, path: Path) -> None:
        """Make the folder, and the file with mode 0600: a session may hold secrets."""
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, _APPEND | os.O_CREAT, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "a session needs a regular file", str(path))
        finally:
            os.close(descriptor)

    async def read_file(self, path: Path) -> bytes:
        """Return all bytes of the file."""
        return path.read_bytes()

    async def append_file(self, path: Path, data: bytes) -> None:
        """Append to a file that exists. A file that has vanished is an error, for its history has vanished too."""
        descriptor = os.open(path, _APPEND)
        try:
            write_all(descriptor, data)
        except BaseException:
            with contextlib.suppress(OSError):  # the first error is the one to report
                os.close(descriptor)
            raise
        os.close(descriptor)  # some file systems report a failed write only here


def write_all(descriptor: int, data: bytes) -> None:
    """Write until everything is written: `os.write` may write less than it was given, and raises nothing then."""
    rest = memoryview(data)
    while rest:
        written = os.write(descriptor, rest)
        if written == 0:
            raise OSError(errno.EIO, "the file takes no more bytes")
        rest = rest[written:]

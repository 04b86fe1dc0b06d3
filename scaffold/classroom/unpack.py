"""Looks into zip archives that nobody has checked. Nothing is ever written to the disk: contents are read into memory.

A path must be plain and stand once; links, devices and encrypted files are refused by name. Only the methods `stored`
and `deflated` are read, which is what every system's own tool makes: the others may ask for gigabytes before the first
byte. What a header says of a size is not believed; reading stops at the limit.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections import Counter
from pathlib import Path
from typing import BinaryIO

from scaffold.classroom.members import (
    DEEPEST,
    MIB,
    Contents,
    Member,
    Refusal,
    RefusedError,
    is_passed_over,
    same,
    shown,
)

MOST_MEMBERS = 100_000
LARGEST_DIRECTORY = 16 * MIB  # bytes of an archive's list of members, which has to be read at once
HIGHEST_RATIO = 200  # of text it is below 20, of nothing but zeros 1,000
RATIO_COUNTS_FROM = 64 * 1024  # bytes
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1 | 0x40  # weakly or strongly, in a member's flags
_DRIVE = re.compile(r"[A-Za-z]:")


class _SmallReads:
    """A file that can't be read in one piece of more than a limit, for `zipfile` reads the whole list at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._length = file.seek(0, io.SEEK_END)
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable
        self.close = file.close

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._length - self._file.tell())
        amount = left if size < 0 else min(size, left)
        if amount > LARGEST_DIRECTORY:
            raise RefusedError("the archive's list of its members is too long; hand in the session.py files alone")
        return self._file.read(amount)


class Archive:
    """An open archive. `close()` it when its members have been read."""

    def __init__(self, source: Path | bytes, zips: int = 1) -> None:
        """Open an archive on the disk, or in memory. `zips` counts it and those around it.

        Raises RefusedError if it is none, or has too much in it.
        """
        self._zips = zips
        try:
            self._file: BinaryIO = source.open("rb") if isinstance(source, Path) else io.BytesIO(source)
        except OSError as error:
            raise RefusedError(f"can't be read: {error.strerror or error}") from error
        try:
            self._zip = zipfile.ZipFile(_SmallReads(self._file))
            if len(self._zip.infolist()) > MOST_MEMBERS:
                raise RefusedError(f"has more than {MOST_MEMBERS:,} members")
        except RefusedError:
            self._file.close()
            raise
        except Exception as error:  # hostile bytes: what zipfile raises for them is not documented
            self._file.close()
            raise RefusedError(f"is no zip archive that can be read: {shown(str(error))}") from error

    def close(self) -> None:
        self._file.close()

    def contents(self) -> Contents:
        """Return the members, not read yet, and what is refused unread."""
        found = Contents()
        for info in self._zip.infolist():
            try:
                path = _safe_path(info.orig_filename)
            except RefusedError as error:
                found.refusals.append(Refusal((), str(error)))
                continue
            if any(map(is_passed_over, path)):
                continue
            why = _why_not(info)
            if why:
                found.refusals.append(Refusal(path, why))
            elif path and not info.is_dir():
                found.members.append(self._member(path, info))
        return _without_duplicates(found)

    def _member(self, path: tuple[str, ...], info: zipfile.ZipInfo) -> Member:
        def read_at_most(limit: int) -> bytes:
            return self._read(info, limit)

        return Member(path, info.date_time, read_at_most, zips=self._zips)

    def _read(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        if info.file_size > max(RATIO_COUNTS_FROM, HIGHEST_RATIO * info.compress_size):
            raise RefusedError(f"is packed more than {HIGHEST_RATIO} times, as no text can be")
        try:
            with self._zip.open(info) as file:
                content = file.read(limit)
        except Exception as error:  # as above
            raise RefusedError(f"can't be unpacked: {shown(str(error))}") from error
        if len(content) < min(limit, info.file_size):
            raise RefusedError("can't be unpacked: there is less of it than its archive says")
        return content


def _safe_path(name: str) -> tuple[str, ...]:
    """Split a member's name. Raises RefusedError for one that could lead out of the archive."""
    why = ""
    if "\\" in name:
        why = "has a backslash in its name; pack it with the tool of the system"
    elif "\0" in name:
        why = "has a zero byte in its name"
    elif name.startswith("/") or _DRIVE.match(name):
        why = "has an absolute path"
    elif ".." in name.split("/"):
        why = "leads out of the archive with '..'"
    elif name.count("/") > DEEPEST:
        why = f"lies deeper than {DEEPEST} folders"
    if why:
        raise RefusedError(f"{shown(name)}: {why}")
    return tuple(part for part in name.split("/") if part not in {"", "."})


def _why_not(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link"
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "is neither a file nor a folder"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; hand it in without a password"
    if not info.is_dir() and info.compress_type not in _METHODS:
        return f"is packed by method {info.compress_type}; pack it with the tool of the system"
    return ""


def _without_duplicates(found: Contents) -> Contents:
    """Leave out what stands more than once: one tool would take the first of them, and another the last."""
    times = Counter(_key(member.path) for member in found.members)
    twice = {key for key, count in times.items() if count > 1}
    if twice:
        why = "stands more than once in the archive, and which one is meant can't be told"
        paths = dict.fromkeys(member.path for member in found.members if _key(member.path) in twice)
        found.refusals += [Refusal(path, why) for path in paths]
        found.members = [member for member in found.members if _key(member.path) not in twice]
    return found


def _key(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(same(part) for part in path)

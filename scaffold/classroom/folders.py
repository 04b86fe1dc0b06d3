"""Looks into folders that nobody has checked, without following a link, and without opening what is no file."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from scaffold.classroom.members import DEEPEST, Contents, Member, Moment, Refusal, RefusedError, is_passed_over

MOST_ENTRIES = 200_000  # of one folder with all that is in it


def read_folder(folder: Path) -> Contents:
    """Return the files below a folder, not read yet, and what is refused unread. Links are never followed."""
    found = Contents(is_clone=os.path.lexists(folder / ".git"))
    for number, (path, entry) in enumerate(_walk(folder, (), found), 1):
        if number > MOST_ENTRIES:
            found.refusals.append(Refusal((), f"more than {MOST_ENTRIES:,} files and folders: the rest was not read"))
            break
        _take(path, entry, found)
    return found


def read_file(path: Path) -> Contents:
    """Return one file, not read yet, or why it is refused."""
    found = Contents()
    with os.scandir(path.parent) as entries:
        for entry in entries:
            if entry.name == path.name:
                _take((path.name,), entry, found)
    return found


def _walk(folder: Path, above: tuple[str, ...], found: Contents) -> Iterator[tuple[tuple[str, ...], os.DirEntry[str]]]:
    """Yield all that is no folder, in the order of the names. What tools make is passed over."""
    if len(above) > DEEPEST:
        found.refusals.append(Refusal(above, f"lies deeper than {DEEPEST} folders"))
        return
    try:
        with os.scandir(folder) as listing:
            entries = sorted(
                (entry for entry in listing if not is_passed_over(entry.name)), key=lambda entry: entry.name
            )
    except OSError as error:
        found.refusals.append(Refusal(above, f"can't be read: {error.strerror}"))
        return
    for entry in entries:
        path = (*above, entry.name)
        if entry.is_dir(follow_symlinks=False) and not _is_junction(entry):
            yield from _walk(folder / entry.name, path, found)
        else:
            yield path, entry


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Tell whether it is what Windows has beside symbolic links; Python knows it from 3.12 on."""
    ask = getattr(entry, "is_junction", None)
    return ask is not None and bool(ask())


def _take(path: tuple[str, ...], entry: os.DirEntry[str], found: Contents) -> None:
    try:
        if entry.is_symlink() or _is_junction(entry):
            raise RefusedError("is a link; hand in the file itself")
        status = entry.stat(follow_symlinks=False)
        _check_plain(status)
    except OSError as error:
        found.refusals.append(Refusal(path, f"can't be read: {error.strerror}"))
    except RefusedError as error:
        found.refusals.append(Refusal(path, str(error)))
    else:
        found.members.append(_member(path, entry.path, status.st_mtime))


def _member(path: tuple[str, ...], place: str, modified: float) -> Member:
    def read_at_most(limit: int) -> bytes:
        return _read(place, limit)

    return Member(path, _moment(modified), read_at_most)


def _moment(seconds: float) -> Moment:
    try:
        return tuple(time.localtime(seconds)[:6])
    except (OverflowError, ValueError, OSError):  # a file may be dated to any year
        return ()


def _check_plain(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError("is neither a file nor a folder")
    if status.st_nlink > 1:
        raise RefusedError("is a hard link, so that its text may be another's; copy the folder without its links")


def _read(place: str, limit: int) -> bytes:
    """Read a file that was plain when it was found: what it is now is asked again, and opening it never waits."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place, flags)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        _check_plain(status)
        return file.read(min(limit, status.st_size))  # memory is set aside for as much as is asked for

"""Looks at files that hostile code has left, once nothing of it runs. Nothing is followed, and nothing waits."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from pathlib import Path, PurePosixPath


def read_file(folder: Path, name: str, most: int) -> bytes:
    """Return the first `most` bytes of a regular file below a folder.

    Raises ValueError for a name that leads elsewhere, and OSError: FileNotFoundError, or one that says that it is no
    regular file, or that a link is in the way.
    """
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise ValueError(f"{name!r} is no path below the folder; name a file in it")
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for index, part in enumerate(parts):
            kind = os.O_DIRECTORY if index < len(parts) - 1 else os.O_NONBLOCK | os.O_NOCTTY
            inner = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | kind, dir_fd=opened)
            os.close(opened)
            opened = inner
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(errno.EINVAL, f"{name} is no regular file")
        return _read(opened, most)
    finally:
        os.close(opened)


def _read(file: int, most: int) -> bytes:
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(file, min(most, 2**20))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def used(folder: Path, most_entries: int) -> tuple[int, int]:
    """Return the bytes on the disk below a folder, and the number of entries; it stops counting at `most_entries`.

    Folders too deep for the system to name count as that many.
    """
    size = entries = 0
    waiting = [folder]
    while waiting and entries < most_entries:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    if entries >= most_entries:
                        break
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return size, most_entries
            continue  # gone in the meantime, or closed to us: its own entry has been counted
    return size, entries


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, however deep, and whatever its modes.

    By the system's own tools: `shutil.rmtree` gives up where folders lie a thousand deep.
    """
    for tool in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        subprocess.run([*tool, "--", str(folder)], capture_output=True, check=False, timeout=60)

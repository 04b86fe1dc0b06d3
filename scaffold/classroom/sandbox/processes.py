"""Counts a process and all that it has started, and their memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection

_PARENT, _RESIDENT = 1, 21  # fields of /proc/PID/stat after the name


class Processes:
    """Sees the processes of the machine, even when its root is another one later. Made before the first is started.

    What was there before is not looked at again and again: there may be hundreds.
    """

    def __init__(self) -> None:
        self._proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._old = self._numbers()

    def family(self, inmate: int, init: int | None) -> dict[int, int]:
        """Return the resident bytes of an inmate and of its offspring, by their numbers. Orphans are the init's."""
        now = self._numbers()
        self._old &= now  # the number of one that has ended can be given to another
        parents: dict[int, int] = {}
        sizes: dict[int, int] = {}
        for number in now - self._old:
            with contextlib.suppress(OSError, IndexError):
                fields = self._read(number, "stat").rpartition(b")")[2].split()
                parents[int(number)] = int(fields[_PARENT])
                sizes[int(number)] = int(fields[_RESIDENT]) * os.sysconf("SC_PAGE_SIZE")
        roots = {inmate, init} - {None}
        return {each: sizes[each] for each in sizes if each != init and _descends(each, roots, parents)}

    def memory(self, family: dict[int, int]) -> int:
        """Return the bytes that a family uses, those that several share divided among them. It takes a while."""
        return sum(self._share(number, size) for number, size in family.items())

    def tasks_of(self, user: int) -> int:
        """Return how many processes and threads a user has now, as far as can be seen."""
        count = 0
        for number in self._numbers():
            with contextlib.suppress(OSError):
                if os.stat(number, dir_fd=self._proc).st_uid == user:
                    count += os.stat(f"{number}/task", dir_fd=self._proc).st_nlink - 2
        return count

    def _numbers(self) -> set[str]:
        return {name for name in os.listdir(self._proc) if name.isdigit()}  # noqa: PTH208 (a descriptor)

    def _share(self, number: int, size: int) -> int:
        """Return the size with shared pages divided: 0 for one that has ended, and all where it can't be told."""
        try:
            lines = self._read(str(number), "smaps_rollup").splitlines()
        except (FileNotFoundError, ProcessLookupError):
            return 0
        except OSError:
            return size
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith((b"Pss:", b"SwapPss:")))

    def _read(self, number: str, name: str) -> bytes:
        file = os.open(f"{number}/{name}", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._proc)
        try:
            return os.read(file, 65_536)
        finally:
            os.close(file)


def _descends(number: int, roots: Collection[int | None], parents: dict[int, int]) -> bool:
    seen = set()
    while number not in roots:
        if number not in parents or number in seen:
            return False
        seen.add(number)
        number = parents[number]
    return True

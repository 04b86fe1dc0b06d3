"""What one run in a jail may use."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

if sys.platform != "win32":
    import resource  # now, for it may not be found from within a jail

MIB = 2**20


@dataclass(frozen=True)
class JailLimits:
    """Limits of a run. Those of memory, processes, printed and reports hold for all its processes together.

    `memory` is in bytes, beyond what the worker had: resident, and for each process mapped. A thread counts as a
    process. `scratch` and `scratch_files` are of the folder, and hold for a whole session.
    """

    seconds: float = 60
    cpu_seconds: int = 30  # of one process
    memory: int = 512 * MIB
    processes: int = 16
    file_size: int = 16 * MIB
    open_files: int = 64
    printed: int = MIB
    reports: int = 16 * MIB
    scratch: int = 32 * MIB
    scratch_files: int = 2_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"a jail's limit of {name} is {value}; it must be more than 0")


class Memory(NamedTuple):
    """What a process has, in bytes."""

    mapped: int
    resident: int


def memory_now() -> Memory:
    """Return what this process has. Whoever is forked from it inherits that."""
    pages = Path("/proc/self/statm").read_text("utf-8").split()
    return Memory(*(int(each) * os.sysconf("SC_PAGE_SIZE") for each in pages[:2]))


def apply(limits: JailLimits, *, file_size: int, address_space: int, processes: int | None) -> None:
    """Limit this process and all that it starts. What is lower already stays so. Raises OSError."""
    cpu = limits.cpu_seconds
    wanted: dict[int, tuple[int, int]] = {
        resource.RLIMIT_AS: (address_space, address_space),
        resource.RLIMIT_CPU: (cpu, cpu + 1),  # a signal first, and one that can't be ignored after that
        resource.RLIMIT_FSIZE: (file_size, file_size),
        resource.RLIMIT_NOFILE: (limits.open_files, limits.open_files),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_SIGPENDING: (64, 64),
    }
    if processes is not None:
        wanted[resource.RLIMIT_NPROC] = (processes, processes)
    for kind, pair in wanted.items():
        _, most = resource.getrlimit(kind)
        soft, hard = pair if most == resource.RLIM_INFINITY else (min(each, most) for each in pair)
        resource.setrlimit(kind, (soft, hard))

"""A worker in bubblewrap whose inmates are its own user: what they try to do to it. Run by a test, as a program."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from scaffold.classroom.sandbox import Jail, JailLimits, available
from scaffold.classroom.sandbox.inmate import Send

WORKER = os.getpid()
LIBRARY = ctypes.CDLL(None, use_errno=True)


def own_a_pipe(_file: int) -> None:
    """Have the kernel send the worker a signal that kills it, whenever something can be read."""
    to_read, _ = os.pipe()
    fcntl.fcntl(to_read, fcntl.F_SETOWN, WORKER)


def checked(result: int) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


TRIED: dict[str, Callable[[int], object]] = {
    "kill": lambda pid: os.kill(pid, signal.SIGKILL),
    "kill all": lambda _: os.kill(-1, signal.SIGKILL),
    "kill a thread": lambda pid: checked(LIBRARY.tgkill(pid, pid, signal.SIGKILL)),
    "outlive": lambda _: checked(LIBRARY.prctl(1, 0, 0, 0, 0)),
    "limit": lambda pid: resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0)),
    "slow down": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19),
    "move": lambda pid: os.sched_setaffinity(pid, {0}),
    "memory": lambda pid: Path(f"/proc/{pid}/mem").read_bytes(),
    "own": own_a_pipe,
    "fork": lambda _: os.fork(),
}


def target(_scratch: Path, send: Send) -> None:
    for name, action in TRIED.items():
        try:
            action(WORKER)
        except OSError as error:
            send(f"{name}: refused, {error.strerror}".encode())
        else:
            send(f"{name}: done".encode())


found = replace(available(), namespaces="", other_user=False)
assert found.in_bubblewrap
end = Jail([Path("/usr/lib")], JailLimits(seconds=5), mechanisms=found).run(target)
for report in end.reports:
    print(report.decode())
print("the worker is alive" if end.how == "ended" else end)

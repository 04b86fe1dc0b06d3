"""Finds and ends the processes that a run has left behind. Linux finds all of them, other systems the run's group."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36  # from <linux/prctl.h>


def adopt() -> None:
    """Become the parent of all descendants whose own parent has ended, so that none can get out of sight."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 (costs time, and only Linux needs it)

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def remove(run: int) -> list[str]:
    """End a run and all that it left. Return the commands of those processes that were still running."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(run, signal.SIGKILL)
        os.waitpid(run, 0)
    running: list[str] = []
    while children := _children():
        for child in children:
            if command := _command(child):
                running.append(command)
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(run, signal.SIGKILL)
    return running


def _children() -> list[int]:
    """Return the processes whose parent is this one. Empty where there is no `/proc`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                found.append(int(entry.name))
    return found


def _command(process: int) -> str:
    """Return a process's command line; "" for one that has ended and only waits to be noticed."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return ""

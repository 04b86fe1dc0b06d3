"""A child process to talk to in lines, with a limit on how long one waits for it."""

from __future__ import annotations

import contextlib
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence

from scaffold.course import ROOT

_WINDOWS = sys.platform == "win32"


class Child:
    """A process that reads lines from its standard input, and writes lines to its standard output."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], pass_fds: Sequence[int] = ()) -> None:
        """Start it, in a session of its own, within the course's folder. Raises OSError."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process is)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
            env=environment,
            start_new_session=not _WINDOWS,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            pass_fds=pass_fds,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, line: bytes) -> None:
        """Write a line. If nobody reads any more, the silence that follows will tell."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def line(self, deadline: float) -> bytes | None:
        """Return the next line; nothing at the end, and None if none comes before the monotonic clock's `deadline`."""
        try:
            return self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None

    def stop(self) -> None:
        """Have it end soon, so that whoever waits for a line in another thread hears that none will come."""
        self._process.terminate()

    def why_silent(self, who: str) -> str:
        """Say why it ended without a word."""
        self._errors.seek(0)
        errors = self._errors.read().decode(errors="replace")[-2_000:]
        if missing := re.search(r"No module named '(\w+)'", errors):
            return f"the package {missing[1]} is not installed here; run: python -m pip install -e ."
        return f"{who} did not start; please report this:\n{errors}"

    def end(self) -> None:
        """End the process, and all that it has started."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        if _WINDOWS:
            _end_windows_tree(self._process.pid)
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=5)
        if not self._reader.is_alive():  # else a process that got away still holds the other end
            self._process.stdout.close()
        self._errors.close()


def _end_windows_tree(process: int) -> None:
    subprocess.run(["taskkill", "/T", "/F", "/PID", str(process)], capture_output=True, check=False, timeout=10)  # noqa: S607

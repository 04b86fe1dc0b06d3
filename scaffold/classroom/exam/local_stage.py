"""A stage that is no sandbox: a plain process here, with limits. The reference runs on it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scaffold.classroom.exam.driver import SECONDS
from scaffold.classroom.exam.operation import Operation
from scaffold.classroom.exam.stage import Seen, look_at
from scaffold.course import ROOT

WALL = 60.0  # seconds for one run
HOST = Path(__file__).with_name("host.py")


class Host:
    """A warm process that forks for each run. Use it in a `with` block, for any number of stages, one at a time."""

    def __init__(self) -> None:
        if not hasattr(os, "fork"):
            raise OSError("an exam needs a system with fork, such as Linux or macOS")
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(HOST)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def do(self, job: dict[str, Any]) -> list[bytes]:
        """Do one run, and return the lines that its driver has sent. Raises OSError if the host itself has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        guard = threading.Timer(job["wall"] + 30, self._process.kill)  # should the host itself hang
        guard.start()
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        finally:
            guard.cancel()
        if not answer:
            raise OSError("the process that runs the exam has ended; please report this")
        return [line.encode() for line in json.loads(answer)["lines"]]

    def end(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def _quick_folder() -> str | None:
    """Return a folder in memory, in which syncs cost nothing, or None if there is none."""
    shared_memory = Path("/dev/shm")  # noqa: S108 (a folder of its own is made in it)
    return str(shared_memory) if shared_memory.is_dir() and os.access(shared_memory, os.W_OK) else None


class LocalStage:
    """Runs a tree's labs in plain processes. With `beneath`, the labs that a lab needs come from there instead.

    Use it in a `with` block, once for each lab: its folder begins empty, and is removed at the end. Without a `host`
    it starts one of its own. `seconds` is the limit of one operation, and `wall` that of one run.
    """

    def __init__(
        self,
        tree: Path,
        beneath: Path | None = None,
        *,
        host: Host | None = None,
        seconds: float = SECONDS,
        wall: float = WALL,
    ) -> None:
        self._own_host = None if host else Host()
        self._host = host or self._own_host
        self._folder = tempfile.TemporaryDirectory(
            prefix="session-tree-exam-", dir=_quick_folder(), ignore_cleanup_errors=True
        )
        self._facts = {
            "tree": str(tree.absolute()),
            "beneath": str(beneath.absolute()) if beneath else None,
            "folder": self._folder.name,
            "seconds": seconds,
            "wall": wall,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._own_host is not None:
            self._own_host.end()
        self._folder.cleanup()

    def run(
        self, operations: Sequence[Operation], *, file_size_limit: int | None = None, kill_after: int | None = None
    ) -> list[bytes]:
        """Do operations in a new process; see Stage."""
        assert self._host is not None
        job = {**self._facts, "file_size": file_size_limit, "kill_after": kill_after, "operations": list(operations)}
        return self._host.do(job)

    def look(self, names: Collection[str]) -> dict[str, Seen]:
        """Return what is in the folder; see Stage."""
        return look_at(Path(self._folder.name), names)

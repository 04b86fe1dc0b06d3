"""The one engine for everybody: runs one lab of one tree in a child process, within limits, and returns the verdict."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scaffold.course import ROOT, Lab
from scaffold.grading.verdict import GraderError, Verdict, verdict_of

_WINDOWS = sys.platform == "win32"

# What the events of a run say, besides their name and the number of the job.
_FACTS: dict[str, dict[str, type]] = {
    "collected": {"tests": list},
    "started": {"test": str},
    "finished": {"test": str, "outcome": str, "kind": str, "message": str, "where": str, "printed": str},
    "done": {"threads": list},
    "ended": {"code": int, "processes": list},
}


@dataclass(frozen=True)
class Limits:
    """What a run may use. Memory, output and processor time are limited where the system can (Linux, most of macOS)."""

    seconds_a_test: int = 5
    seconds: int = 60
    memory: int = 2 * 2**30  # bytes of address space
    file_size: int = 32 * 2**20  # bytes; what is printed goes to a file too


DEFAULT_LIMITS = Limits()


class Engine:
    """Runs labs one at a time. Use it in a `with` block, so that no process stays behind.

    A worker process is kept ready for the next run; see `runner.py`.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, fork: bool = hasattr(os, "fork")) -> None:
        self._limits = limits
        self._fork = fork
        self._worker: _Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_worker()

    def warm_up(self) -> None:
        """Start the worker now, so that the next run finds it ready."""
        if self._worker is None:
            self._worker = _Worker()

    def run_lab(self, lab: Lab, tree: Path, beneath: Path | None = None, *, stop_at_timeout: bool = True) -> Verdict:
        """Run the tests of a lab on a tree; with `beneath`, over another tree's earlier labs.

        `stop_at_timeout` leaves out the tests after one that reached its limit. Raises GraderError if the tests can't
        be run at all.
        """
        source = tree / lab.folder / "session.py"
        if not source.is_file():
            what = "is not a regular file" if os.path.lexists(source) else "is missing"
            return Verdict(lab, "missing", f"{source} {what}; python grade.py reset {lab.number} brings the stub back")
        with tempfile.TemporaryDirectory(prefix="session-tree-", ignore_cleanup_errors=True) as scratch:
            printed = Path(scratch, "printed")
            printed.touch()
            job = {
                "arguments": self._arguments(lab, tree, beneath, Path(scratch)),
                "printed": str(printed),
                "limits": self._rlimits(),
                "stop_at_timeout": stop_at_timeout,
                "fork": self._fork,
            }
            events, out_of_time = self._run(job)
            dump = _end_of(printed)
        return verdict_of(lab, events, dump, out_of_time=out_of_time)

    def _arguments(self, lab: Lab, tree: Path, beneath: Path | None, scratch: Path) -> list[str]:
        limit = self._limits.seconds_a_test
        arguments = [
            "-qq",
            "--no-header",
            "--no-summary",
            "--tb=no",
            "--capture=no",
            f"--rootdir={ROOT}",
            f"--config-file={ROOT / 'pyproject.toml'}",
            f"--confcutdir={ROOT / 'tests'}",
            f"--basetemp={scratch / 'tmp'}",
            "-p",
            "no:cacheprovider",
            "-p",
            "pytest_timeout",
            f"--timeout={limit}",
            f"--override-ini=faulthandler_timeout={limit + 2}",
            f"--tree={tree.absolute()}",
        ]
        if beneath is not None:
            arguments.append(f"--beneath={beneath.absolute()}")
        return [*arguments, os.path.relpath(lab.test_file, ROOT)]  # pytest takes a "[" in a full path for a test's case

    def _rlimits(self) -> dict[str, int]:
        return {
            "RLIMIT_AS": self._limits.memory,
            "RLIMIT_CPU": self._limits.seconds + 5,
            "RLIMIT_FSIZE": self._limits.file_size,
            "RLIMIT_CORE": 0,
        }

    def _run(self, job: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
        self.warm_up()
        assert self._worker is not None
        ended = "ended" if self._fork else "done"
        try:
            events, out_of_time = self._worker.do(job, ended, self._limits.seconds)
        except BaseException:
            self._end_worker()
            raise
        if not self._fork or out_of_time or events[-1:] == [] or events[-1]["event"] != ended:
            self._end_worker()
        return events, out_of_time

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _Worker:
    """A process of `runner.py`."""

    def __init__(self) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment.pop("SESSION_TREE", None)
        # A plugin that happens to be installed would slow each start, and could change what a test means.
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process is)
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("runner.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
            env=environment,
            start_new_session=not _WINDOWS,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._jobs = 0
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def do(self, job: dict[str, Any], last: str, seconds: float) -> tuple[list[dict[str, Any]], bool]:
        """Do a job. Return its events up to the one called `last`, and whether the time was up before it came."""
        assert self._process.stdin is not None
        self._jobs += 1
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps({**job, "job": self._jobs}).encode() + b"\n")
            self._process.stdin.flush()
        deadline = time.monotonic() + seconds
        events: list[dict[str, Any]] = []
        while not events or events[-1]["event"] != last:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return events, True
            if not line:
                self._explain_silence(events)
                return events, False
            events += self._understood(line)
        return events, False

    def _understood(self, line: bytes) -> list[dict[str, Any]]:
        """Return the event of a line; nothing if it is no event of this job. Foreign code can write to any file."""
        try:
            event = json.loads(line)
        except ValueError:
            return []
        if not isinstance(event, dict) or event.get("job") != self._jobs:
            return []
        facts = _FACTS.get(str(event.get("event")))
        fits = facts is not None and all(isinstance(event.get(name), kind) for name, kind in facts.items())
        return [event] if fits else []

    def _explain_silence(self, events: list[dict[str, Any]]) -> None:
        if not any(event["event"] == "collected" for event in events):
            self._errors.seek(0)
            errors = self._errors.read().decode(errors="replace")[-2_000:]
            if missing := re.search(r"No module named '(\w+)'", errors):
                raise GraderError(f"the package {missing[1]} is not installed here; run: python -m pip install -e .")
            raise GraderError(f"the test runner did not start; please report this:\n{errors}")

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


def _end_of(printed: Path, size: int = 20_000) -> str:
    with printed.open("rb") as file:
        file.seek(max(0, printed.stat().st_size - size))
        return file.read().decode(errors="replace")

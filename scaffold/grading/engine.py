"""The one engine for everybody: runs one lab of one tree in a child process, within limits, and returns the verdict."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scaffold.course import ROOT, Lab
from scaffold.grading.child import Child
from scaffold.grading.events import understood
from scaffold.grading.verdict import GraderError, Verdict, verdict_of


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
        self._child = Child([sys.executable, "-P", str(Path(__file__).with_name("runner.py"))], environment)
        self._jobs = 0

    def do(self, job: dict[str, Any], last: str, seconds: float) -> tuple[list[dict[str, Any]], bool]:
        """Do a job. Return its events up to the one called `last`, and whether the time was up before it came."""
        self._jobs += 1
        self._child.send(json.dumps({**job, "job": self._jobs}).encode() + b"\n")
        deadline = time.monotonic() + seconds
        events: list[dict[str, Any]] = []
        while not events or events[-1]["event"] != last:
            line = self._child.line(deadline)
            if line is None:
                return events, True
            if not line:
                self._explain_silence(events)
                return events, False
            events += understood(line, self._jobs)
        return events, False

    def _explain_silence(self, events: list[dict[str, Any]]) -> None:
        if not any(event["event"] == "collected" for event in events):
            raise GraderError(self._child.why_silent("the test runner"))

    def end(self) -> None:
        self._child.end()


def _end_of(printed: Path, size: int = 20_000) -> str:
    with printed.open("rb") as file:
        file.seek(max(0, printed.stat().st_size - size))
        return file.read().decode(errors="replace")

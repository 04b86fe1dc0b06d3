"""Runs the tests of one lab, in a process of its own, and reports each result as a line of JSON.

A worker is started once, imports what every run needs, and then forks for each job, so that a run starts at once and
nothing that foreign code does to its process is still there in the next run. The worker itself never runs foreign
code: it waits for the run to end, and removes what it left behind. Where there is no fork, the worker is the run, and
does one job.

The worker reads jobs from its standard input, and reports to its standard output. A run gets neither: its input is
empty, and what it prints goes to a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pytest
import pytest_timeout  # noqa: F401 (imported here so that no run has to)

from scaffold.grading import leftovers
from scaffold.grading.failure import failure_of, printable

PRINTED = 2_000  # characters of a test's output that are shown


class Report:
    """A stream of events to whoever started the worker."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.job = 0

    def send(self, event: str, **facts: object) -> None:
        line = json.dumps({"event": event, "job": self.job, **facts}).encode() + b"\n"
        with contextlib.suppress(OSError):  # foreign code may have closed it; a short report is never a pass
            while line:
                line = line[os.write(self._descriptor, line) :]


class Reporter:
    """The pytest plugin that reports what happens."""

    def __init__(self, report: Report, printed: Path, *, stop_at_timeout: bool) -> None:
        self._report = report
        self._printed = printed
        self._printed_before = 0
        self._stop_at_timeout = stop_at_timeout

    def _finished(self, test: str, outcome: str, *, kind: str = "", message: str = "", where: str = "") -> None:
        printed = self._printed_by_this_test() if outcome == "failed" else ""
        facts = {"kind": kind, "message": message, "where": where, "printed": printed}
        self._report.send("finished", test=test, outcome=outcome, **facts)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._report.send("collected", tests=[item.name for item in session.items])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._report.send("started", test=nodeid.partition("::")[2])
        self._flush()
        self._printed_before = self._printed.stat().st_size

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        result = yield
        if result.skipped or hasattr(result, "wasxfail"):
            self._finished(item.name, "skipped")
        elif result.failed:
            assert call.excinfo is not None
            failure = failure_of(call.excinfo.value)
            self._finished(item.name, "failed", kind=failure.kind, message=failure.message, where=failure.where)
            if failure.kind == "timed out" and self._stop_at_timeout:
                item.session.shouldstop = "a test reached its limit"
        elif result.when == "call":
            self._finished(item.name, "passed")
        return result

    def _printed_by_this_test(self) -> str:
        self._flush()
        with self._printed.open("rb") as file:
            file.seek(self._printed_before)
            return printable(file.read(4 * PRINTED).decode(errors="replace"), PRINTED)

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # foreign code may have closed or replaced them
                stream.flush()


def run(job: dict[str, Any], report: Report) -> None:
    """Run one job, and end the process."""
    printed = Path(job["printed"])
    _redirect(printed)
    _limit(job["limits"])
    threads = set(threading.enumerate())
    reporter = Reporter(report, printed, stop_at_timeout=job["stop_at_timeout"])
    pytest.main(job["arguments"], plugins=[reporter])
    left = [thread.name for thread in threading.enumerate() if thread not in threads]
    report.send("done", threads=left)
    os._exit(0)  # at once: a thread or an exit handler of foreign code might never end


def _redirect(printed: Path) -> None:
    empty = os.open(os.devnull, os.O_RDONLY)
    output = os.open(printed, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor, target in ((empty, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, target)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (it stays open)


def _limit(limits: dict[str, int]) -> None:
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource  # noqa: PLC0415

        for name, limit in limits.items():
            with contextlib.suppress(ValueError, OSError):  # not each system has each of them
                resource.setrlimit(getattr(resource, name), (limit, limit))


def serve() -> None:
    """Do the jobs that come from the standard input, until it ends."""
    report = Report(os.dup(1))
    jobs = os.fdopen(os.dup(0), "rb")
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), descriptor)
    for line in jobs:
        job = json.loads(line)
        report.job = job["job"]
        if not job["fork"]:
            run(job, report)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.setsid()
            jobs.close()
            run(job, report)
        _supervise(child, report)


def _supervise(child: int, report: Report) -> None:
    leftovers.adopt()

    def give_up(*_: object) -> None:
        leftovers.remove(child)
        os._exit(1)

    signal.signal(signal.SIGTERM, give_up)
    _, status = os.waitpid(child, 0)
    report.send("ended", code=os.waitstatus_to_exitcode(status), processes=leftovers.remove(child))


if __name__ == "__main__":
    serve()

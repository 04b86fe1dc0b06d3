"""The pytest plugin that reports what happens, and what goes with it: where a run prints to, and what it leaves."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from scaffold.grading.events import Report
from scaffold.grading.failure import failure_of, printable

PRINTED = 2_000  # characters of a test's output that are shown


class Reporter:
    """Reports each test as soon as it is done. As a plugin it does so by itself; without pytest's loop, it is told."""

    def __init__(self, report: Report, printed: Path, *, stop_at_timeout: bool) -> None:
        self._report = report
        self._printed = printed
        self._printed_before = 0
        self._stop_at_timeout = stop_at_timeout

    def started(self, test: str) -> None:
        self._report.send("started", test=test)
        self._flush()
        self._printed_before = self._printed.stat().st_size

    def passed(self, test: str) -> None:
        self._finished(test, "passed")

    def skipped(self, test: str) -> None:
        self._finished(test, "skipped")

    def failed(self, test: str, error: BaseException) -> bool:
        """Report an error. Return whether it is the end of the run: a limit that ends it was reached."""
        failure = failure_of(error)
        self._finished(test, "failed", kind=failure.kind, message=failure.message, where=failure.where)
        return failure.kind == "timed out" and self._stop_at_timeout

    def _finished(self, test: str, outcome: str, *, kind: str = "", message: str = "", where: str = "") -> None:
        printed = self._printed_by_this_test() if outcome == "failed" else ""
        facts = {"kind": kind, "message": message, "where": where, "printed": printed}
        self._report.send("finished", test=test, outcome=outcome, **facts)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._report.send("collected", tests=[item.name for item in session.items])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.started(nodeid.partition("::")[2])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        result = yield
        if result.skipped or hasattr(result, "wasxfail"):
            self.skipped(item.name)
        elif result.failed:
            assert call.excinfo is not None
            if self.failed(item.name, call.excinfo.value):
                item.session.shouldstop = "a test reached its limit"
        elif result.when == "call":
            self.passed(item.name)
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


def redirect(printed: Path) -> None:
    """Let this process print to a file, and give it nothing to read."""
    empty = os.open(os.devnull, os.O_RDONLY)
    output = os.open(printed, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor, target in ((empty, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, target)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (it stays open)

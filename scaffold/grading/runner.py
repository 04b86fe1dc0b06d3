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
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pytest
import pytest_timeout  # noqa: F401 (imported here so that no run has to)

from scaffold.grading import leftovers
from scaffold.grading.events import Report
from scaffold.grading.reporter import Reporter, redirect


def run(job: dict[str, Any], report: Report) -> None:
    """Run one job, and end the process."""
    printed = Path(job["printed"])
    redirect(printed)
    _limit(job["limits"])
    threads = set(threading.enumerate())
    reporter = Reporter(report, printed, stop_at_timeout=job["stop_at_timeout"])
    pytest.main(job["arguments"], plugins=[reporter])
    left = [thread.name for thread in threading.enumerate() if thread not in threads]
    report.send("done", threads=left)
    os._exit(0)  # at once: a thread or an exit handler of foreign code might never end


def _limit(limits: dict[str, int]) -> None:
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource  # noqa: PLC0415

        for name, limit in limits.items():
            with contextlib.suppress(ValueError, OSError):  # not each system has each of them
                resource.setrlimit(getattr(resource, name), (limit, limit))


def serve() -> None:
    """Do the jobs that come from the standard input, until it ends."""
    results = os.dup(1)

    def write(line: bytes) -> None:
        with contextlib.suppress(OSError):  # foreign code may have closed it; a short report is never a pass
            while line:
                line = line[os.write(results, line) :]

    report = Report(write)
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

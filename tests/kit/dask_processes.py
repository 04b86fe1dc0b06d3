"""A small Dask cluster for tests: a scheduler and workers, each a process of its own, which can be killed."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from kit.copies import clean_environment
from scaffold.course import ROOT

_HERE_ALONE = ("--host", "127.0.0.1", "--no-dashboard")
_PATIENCE = 20.0  # seconds until a process does what it was started for


class Processes:
    """What belongs to a cluster. All of it is in one folder, and ends with the `with` block."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self._folder = folder
        self._environment = clean_environment() | environment
        self._started: list[subprocess.Popen[bytes]] = []
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"

    def scheduler(self) -> subprocess.Popen[bytes]:
        """Start the scheduler, and wait until it listens."""
        process = self._start("dask_scheduler", "--port", str(self.port))
        wait_until(lambda: _answers(self.port))
        return process

    def worker(self, *options: str, course: Path = ROOT) -> subprocess.Popen[bytes]:
        """Start a worker, which finds this course; do not wait for it. Without options, it has one thread."""
        options = options or ("--nthreads", "1", "--no-nanny")
        return self._start("dask_worker", self.address, *options, course=course)

    def wait_for_workers(self, count: int) -> None:
        """Wait until so many workers have joined the scheduler."""
        wait_until(lambda: (self._folder / "log").read_text("utf-8").count("Register worker addr") >= count)

    @property
    def temporary(self) -> Path:
        """Where the workers' temporary files are."""
        return self._folder / "temporary"

    def end(self) -> None:
        for process in self._started:
            with contextlib.suppress(psutil.NoSuchProcess):
                below = psutil.Process(process.pid).children(recursive=True)
                process.kill()
                for each in below:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        each.kill()
            process.wait()

    def _start(self, command: str, *arguments: str, course: Path = ROOT) -> subprocess.Popen[bytes]:
        self.temporary.mkdir(exist_ok=True)
        environment = self._environment | {"PYTHONPATH": str(course), "TMPDIR": str(self.temporary)}
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{command}", *arguments, *_HERE_ALONE],
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._started.append(process)
        return process


@contextlib.contextmanager
def cluster(folder: Path, **environment: str) -> Iterator[Processes]:
    """Start a scheduler, and end all that is started with it."""
    processes = Processes(folder, **environment)
    try:
        processes.scheduler()
        yield processes
    finally:
        processes.end()


def below(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return what a process has started, and what that has started."""
    return [each for each in psutil.Process(process.pid).children(recursive=True) if each.is_running()]


def wait_until(condition: Callable[[], bool], seconds: float = _PATIENCE) -> None:
    """Wait for something that has to come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False

"""What is left when runs are over, whoever ended them: nothing."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kit.jails import IN_A_SANDBOX, LIMITS, NAMESPACES, WAYS, Way
from scaffold.classroom.sandbox import JailError, Session
from scaffold.classroom.sandbox.inmate import Send
from scaffold.classroom.sandbox.watch import Watch

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(30)]
BRIEF = replace(LIMITS, seconds=0.5)


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    way.skip_if_it_can_not_be()
    return way


def sleep(_scratch: Path, _send: Send) -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(60)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files of this test alone, open to all users."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.mark.usefixtures("temporary")
def test_nothing_outlives_a_worker_that_is_killed(way: Way) -> None:
    is_up, says_up = os.pipe()

    def work(session: Session) -> bytes:
        os.write(says_up, b"x")
        return session.run(sleep).to_bytes()

    worker = os.fork()
    if worker == 0:
        with contextlib.suppress(BaseException):
            way.session(work)
        os._exit(0)
    os.close(says_up)
    assert os.read(is_up, 1) == b"x"
    ends = [os.pidfd_open(each) for each in offspring(worker)]
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    assert ends
    for end in ends:
        ready, _, _ = select.select([end], [], [], 4)
        assert ready, "a process is still there"
    for file in (is_up, *ends):
        os.close(file)


def test_runs_leave_nothing_behind(temporary: Path) -> None:
    NAMESPACES.skip_if_it_can_not_be()
    before = open_files(), children(), Path("/proc/self/mounts").read_text("utf-8")
    for way in WAYS:
        with contextlib.suppress(pytest.skip.Exception):
            way.skip_if_it_can_not_be()
            way.run(sleep, BRIEF)
    assert (open_files(), children(), Path("/proc/self/mounts").read_text("utf-8")) == before
    assert not list(temporary.iterdir())


def test_a_keeper_that_fails_in_the_middle_of_a_run_ends_it(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_watch: Watch) -> str:
        raise OSError("no more pipes")

    monkeypatch.setattr(Watch, "until_end", fail)
    began = time.monotonic()
    with pytest.raises((JailError, AssertionError), match="no more pipes"):
        way.run(sleep)
    assert time.monotonic() - began < 4


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children(parent: int = 0) -> set[int]:
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(entry.read_bytes().rpartition(b")")[2].split()[1]) == (parent or os.getpid()):
                found.add(int(entry.parent.name))
    return found


def offspring(parent: int) -> set[int]:
    found = children(parent)
    return found.union(*map(offspring, found))

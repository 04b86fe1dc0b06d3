"""What hostile code uses up or breaks in a jail: it costs the jail, and nobody else, and nobody waits long."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kit.jails import ALL, IN_A_SANDBOX, LANDLOCK, LIMITS, MIB, WAYS, WITH_NAMESPACES, Way
from scaffold.classroom.sandbox import Session, available
from scaffold.classroom.sandbox.inmate import Send
from scaffold.classroom.sandbox.namespaces import Init

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(30)]
BRIEF = replace(LIMITS, seconds=0.5)


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    way.skip_if_it_can_not_be()
    return way


@pytest.fixture(params=WITH_NAMESPACES, ids=lambda way: way.name)
def with_namespaces(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    way.skip_if_it_can_not_be()
    return way


def stop_itself(_scratch: Path, _send: Send) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def sleep(_scratch: Path, _send: Send) -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(60)


def sleep_with_all_closed(_scratch: Path, _send: Send) -> None:
    os.closerange(0, 1_000)
    time.sleep(60)


def wait_for_a_thread(_scratch: Path, _send: Send) -> None:
    thread = threading.Thread(target=time.sleep, args=(60,))
    thread.start()
    thread.join()


@pytest.mark.parametrize("target", [stop_itself, sleep, sleep_with_all_closed, wait_for_a_thread])
def test_who_never_ends_is_ended(way: Way, target: Callable[[Path, Send], None]) -> None:
    end = way.run(target, BRIEF)
    assert end.how == "timed out"
    assert end.seconds < 5


def test_a_thread_that_never_ends_is_left_behind(way: Way) -> None:
    def target(_scratch: Path, _send: Send) -> None:
        threading.Thread(target=time.sleep, args=(60,)).start()

    assert way.run(target).how == "ended"


@pytest.mark.parametrize("way", [ALL, LANDLOCK], ids=lambda way: way.name)
@pytest.mark.parametrize("listens", [True, False], ids=["dies of the signal", "ignores the signal"])
def test_the_processor_s_time_is_limited_too(way: Way, listens: bool) -> None:
    way.skip_if_it_can_not_be()

    def spin(_scratch: Path, _send: Send) -> None:
        if not listens:
            signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        while True:
            pass

    end = way.run(spin, replace(LIMITS, cpu_seconds=1, seconds=20))
    assert end.how == "timed out"
    assert end.seconds < 10


def test_a_fork_bomb_is_refused_processes(with_namespaces: Way) -> None:
    def bomb(_scratch: Path, send: Send) -> None:
        count = 0
        with contextlib.suppress(OSError):
            while count < 1_000:
                if os.fork() == 0:
                    signal.pause()
                count += 1
        send(str(count).encode())

    end = with_namespaces.run(bomb)
    assert end.how == "ended"
    assert int(end.reports[0]) < LIMITS.processes


def test_a_fork_bomb_that_never_ends_is_ended(with_namespaces: Way) -> None:
    def bomb(_scratch: Path, _send: Send) -> None:
        while True:
            with contextlib.suppress(OSError):
                os.fork()

    def work(session: Session) -> bytes:
        how = session.run(bomb).how
        return f"{how} {session.run(lambda _scratch, _send: None).how}".encode()

    assert with_namespaces.session(work, BRIEF) == b"timed out ended"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_processes_that_the_kernel_does_not_count_are_counted() -> None:
    ALL.skip_if_it_can_not_be()
    if available().namespaces != "as root":
        pytest.skip("needs namespaces as root")

    def bomb(_scratch: Path, _send: Send) -> None:
        for _ in range(3 * LIMITS.processes):
            if os.fork() == 0:
                signal.pause()
        signal.pause()

    as_root = Way("inmates are root", lambda found: replace(found, other_user=False))
    assert as_root.run(bomb).how == "processes"


def test_a_namespace_whose_init_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ALL.skip_if_it_can_not_be()
    monkeypatch.setattr(Init, "kill_all", lambda _init: False)

    def leave_a_child(_scratch: Path, _send: Send) -> None:
        if os.fork() == 0:
            sleep(_scratch, _send)

    def work(session: Session) -> bytes:
        return f"{session.run(leave_a_child).how}, {session.run(sleep).how}".encode()

    assert ALL.session(work) == b"ended, signal 9"


def test_no_process_can_map_more_than_its_limit(way: Way) -> None:
    def target(_scratch: Path, _send: Send) -> None:
        mmap.mmap(-1, 2 * LIMITS.memory, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    end = way.run(target)
    assert end.how == "exit 1"
    assert b"Cannot allocate memory" in end.printed


def test_without_namespaces_there_is_no_fork() -> None:
    LANDLOCK.skip_if_it_can_not_be()

    def fork(_scratch: Path, send: Send) -> None:
        with pytest.raises(BlockingIOError):
            os.fork()
        thread = threading.Thread(target=send, args=(b"a thread",))
        thread.start()
        thread.join()

    assert LANDLOCK.run(fork).reports == (b"a thread",)


def test_threads_are_limited(way: Way) -> None:
    def bomb(_scratch: Path, send: Send) -> None:
        threading.stack_size(32 * 1024)
        gate = threading.Event()
        count = 0
        with contextlib.suppress(RuntimeError):
            while count < 5_000:
                threading.Thread(target=gate.wait, daemon=True).start()
                count += 1
        send(str(count).encode())

    end = way.run(bomb)
    assert end.how == "ended"
    assert int(end.reports[0]) < 1_500


def test_memory_of_many_processes_is_counted_together(with_namespaces: Way) -> None:
    def bomb(_scratch: Path, _send: Send) -> None:
        for _ in range(4):
            if os.fork() == 0:
                break
        kept = bytearray(os.urandom(1)) * (LIMITS.memory // 2)
        time.sleep(60)
        del kept

    end = with_namespaces.run(bomb)
    assert end.how == "memory"
    assert end.seconds < 4


def test_what_is_shared_with_children_is_counted_once(with_namespaces: Way) -> None:
    def target(_scratch: Path, _send: Send) -> None:
        gc.freeze()
        kept = bytearray(b"x") * (LIMITS.memory // 2)
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                time.sleep(0.3)
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        del kept

    assert with_namespaces.run(target).how == "ended"


def write_for_ever(scratch: Path) -> None:
    for number in range(1_000_000):
        (scratch / str(number)).write_bytes(bytes(8 * MIB))


def make_files_for_ever(scratch: Path) -> None:
    for number in range(1_000_000):
        (scratch / str(number)).touch()


def make_folders_for_ever(scratch: Path) -> None:
    os.chdir(scratch)
    while True:
        Path("deeper").mkdir()
        os.chdir("deeper")


@pytest.mark.parametrize("action", [write_for_ever, make_files_for_ever, make_folders_for_ever])
def test_the_scratch_has_an_end(way: Way, action: Callable[[Path], None]) -> None:
    def target(scratch: Path, send: Send) -> None:
        try:
            action(scratch)
        except OSError as error:
            send(str(error.errno).encode())

    end = way.run(target)
    assert end.how == "disk" if way is LANDLOCK else (end.how, end.reports) == ("ended", (b"28",))


def test_open_files_have_an_end(way: Way) -> None:
    def target(_scratch: Path, send: Send) -> None:
        kept = []
        try:
            while True:
                kept.append(os.pipe())
        except OSError as error:
            send(f"{error.errno} {len(kept) * 2 <= LIMITS.open_files}".encode())

    assert way.run(target).reports == (b"24 True",)


def test_memory_written_at_random_costs_one_run(way: Way) -> None:
    def target(_scratch: Path, send: Send) -> None:
        send(b"before")
        ctypes.memset(id(None), 0xFF, 64)
        ctypes.string_at(1)

    def work(session: Session) -> bytes:
        first = session.run(target)
        return f"{first.how.split()[0]} {session.run(lambda _scratch, _send: None).how}".encode()

    assert way.session(work) == b"signal ended"

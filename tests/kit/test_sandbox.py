"""A jail runs code, says what came of it, and keeps its limits, whichever walls the machine has."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kit.jails import ALL, LANDLOCK, LIMITS, ON_LINUX, WAYS, WITH_NAMESPACES, Way
from scaffold.classroom.sandbox import (
    Jail,
    JailEnd,
    JailError,
    JailLimits,
    Session,
    available,
    is_enough,
)
from scaffold.classroom.sandbox.inmate import Send, Target

pytestmark = [*ON_LINUX, pytest.mark.timeout(30)]
MOST = 10_000_000  # bytes of a file


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


def nothing(_scratch: Path, _send: Send) -> None:
    pass


def ends_by(action: Callable[[], object]) -> Target:
    def target(_scratch: Path, send: Send) -> None:
        send(b"before")
        action()

    return target


def fail() -> None:
    raise KeyError("a mistake")


def run_out_of_memory() -> None:
    bytearray(4 * LIMITS.memory)


@pytest.mark.parametrize(
    ("target", "how"),
    [
        pytest.param(nothing, "ended", id="returns"),
        pytest.param(ends_by(fail), "exit 1", id="raises"),
        pytest.param(ends_by(lambda: sys.exit(0)), "exit 0", id="sys.exit(0)"),
        pytest.param(ends_by(lambda: sys.exit("so long")), "exit 1", id="sys.exit of a text"),
        pytest.param(ends_by(lambda: os._exit(0)), "exit 0", id="os._exit(0)"),
        pytest.param(ends_by(lambda: os._exit(77)), "exit 77", id="os._exit(77)"),
        pytest.param(ends_by(os.abort), f"signal {signal.SIGABRT}", id="aborts"),
        pytest.param(ends_by(lambda: os.kill(os.getpid(), signal.SIGKILL)), "signal 9", id="kills itself"),
        pytest.param(ends_by(lambda: os.kill(os.getpid(), signal.SIGTERM)), "signal 15", id="ends itself"),
        pytest.param(ends_by(run_out_of_memory), "memory", id="asks for too much memory"),
    ],
)
def test_a_jail_says_how_its_inmate_ended(way: Way, target: Target, how: str) -> None:
    end = way.run(target)
    assert end.how == how
    assert end.reports == (() if target is nothing else (b"before",))


def test_reports_prints_and_files_come_out(way: Way) -> None:
    def target(scratch: Path, send: Send) -> None:
        send(b"one")
        send(b"")
        send(bytes(range(256)) * 400)
        print("printed")
        print("as an error", file=sys.stderr)
        (scratch / "a file").write_text("content", "utf-8")

    def work(session: Session) -> bytes:
        return replace(session.run(target), collected=session.read_file("a file", 100)).to_bytes()

    end = JailEnd.from_bytes(way.session(work))
    assert end.how == "ended"
    assert end.reports == (b"one", b"", bytes(range(256)) * 400)
    assert sorted(end.printed.splitlines()) == [b"as an error", b"printed"]
    assert end.collected == b"content"


def test_nothing_can_be_read_from_stdin_and_the_environment_is_clean(way: Way) -> None:
    def target(scratch: Path, send: Send) -> None:
        send(json.dumps([sys.stdin.read(), Path.cwd() == scratch, sorted(os.environ)]).encode())

    end = way.run(target)
    assert json.loads(end.reports[0]) == ["", True, ["HOME", "LANG", "PATH", "TMPDIR"]]


def test_runs_of_one_session_share_the_scratch_and_others_do_not(way: Way) -> None:
    def write(scratch: Path, _send: Send) -> None:
        (scratch / "note").write_text("kept", "utf-8")

    def read(scratch: Path, send: Send) -> None:
        send((scratch / "note").read_bytes())

    def work(session: Session) -> bytes:
        assert session.run(write).how == "ended"
        assert session.read_file("note", 3) == b"kep"
        return session.run(read).reports[0]

    assert way.session(work) == b"kept"
    assert way.run(read).how == "exit 1"


def test_who_closes_its_folder_costs_nobody_the_next_run(way: Way) -> None:
    def close(scratch: Path, _send: Send) -> None:
        (scratch / "note").write_text("kept", "utf-8")
        scratch.chmod(0)

    def work(session: Session) -> bytes:
        assert session.run(close).how == "ended"
        assert session.run(nothing).how == "ended"
        return session.read_file("note", 100)

    assert way.session(work) == b"kept"


def test_a_file_size_limit_stops_an_append_half_way(way: Way) -> None:
    def append(scratch: Path, send: Send) -> None:
        with (scratch / "log").open("ab", buffering=0) as file:
            send(str(file.write(b"x" * 100)).encode())
            try:
                file.write(b"y")
            except OSError as error:
                send(str(error.errno).encode())

    def work(session: Session) -> bytes:
        end = session.run(append, file_size=60)
        assert (end.how, end.reports) == ("ended", (b"60", b"27"))
        assert session.run(append).reports == (b"100",)
        return session.read_file("log", 1_000)

    assert way.session(work) == b"x" * 160 + b"y"


def test_a_disk_can_be_full_for_one_run(with_namespaces: Way) -> None:
    def fill(scratch: Path, send: Send) -> None:
        with (scratch / "log").open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 1_000)
            except OSError as error:
                send(f"{error.errno} {file.tell()}".encode())

    def write(scratch: Path, _send: Send) -> None:
        (scratch / "more").write_bytes(b"x" * 100_000)

    def work(session: Session) -> bytes:
        (report,) = session.run(fill, scratch_bytes=64 * 1024).reports
        assert session.run(write, scratch_bytes=4096).how == "exit 1"
        assert session.run(write).how == "ended"
        return report

    assert with_namespaces.session(work) == b"28 65536"


def test_an_inmate_is_killed_in_the_middle_when_that_is_ordered(way: Way) -> None:
    def count(scratch: Path, send: Send) -> None:
        number = 0
        while True:
            number += 1
            with (scratch / "log").open("ab") as file:
                file.write(b"%d\n" % number)
            send(b"%d" % number)

    def work(session: Session) -> bytes:
        end = session.run(count, kill_after=3)
        lines = session.read_file("log", MOST).splitlines()
        return json.dumps([end.how, [int(each) for each in end.reports], len(lines)]).encode()

    how, reports, lines = json.loads(way.session(work))
    assert how == "killed"
    assert reports == list(range(1, len(reports) + 1))
    assert 3 <= len(reports) <= lines <= len(reports) + 1


def test_what_trusted_work_raises_is_said(way: Way) -> None:
    with pytest.raises((JailError, AssertionError), match="a mistake"):
        way.session(lambda _session: fail() or b"")  # type: ignore[func-returns-value]


def test_a_keeper_that_never_ends_is_ended() -> None:
    ALL.skip_if_it_can_not_be()

    def wait(_session: Session) -> bytes:
        threading.Event().wait()
        return b""

    with pytest.raises(JailError, match=r"after 0\.2 s"):
        Jail([Path("/usr/lib")]).session(wait, seconds=0.2)


def test_a_worker_with_threads_is_refused() -> None:
    if not is_enough(available()):
        pytest.skip("no sandbox here")
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait, name="a second thread")
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="a second thread"):
            Jail([Path("/usr/lib")]).run(nothing)
    finally:
        gate.set()
        thread.join()


def test_what_is_collected_comes_with_the_end() -> None:
    ALL.skip_if_it_can_not_be()

    def target(scratch: Path, _send: Send) -> None:
        (scratch / "a file").write_text("content", "utf-8")

    end = Jail([Path("/usr/lib")]).run(target, collect=lambda scratch: (scratch / "a file").read_bytes())
    assert (end.how, end.collected) == ("ended", b"content")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("way", [ALL, LANDLOCK], ids=lambda way: way.name)
def test_what_submissions_could_not_read_is_said_before_they_run(way: Way, tmp_path: Path) -> None:
    way.skip_if_it_can_not_be()
    tmp_path.chmod(0o700)
    with pytest.raises(JailError, match=rf"could not be locked: {tmp_path} can't be read by user \d+"):
        way.run(nothing, readable=[tmp_path])


@pytest.mark.parametrize("name", ["seconds", "memory", "processes", "scratch"])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"limit of {name} is 0"):
        JailLimits(**{name: 0})


def test_an_end_survives_the_way_to_the_worker() -> None:
    end = JailEnd("exit 3", (b"\xff", b""), b"printed", b"collected", 0.5)
    assert JailEnd.from_bytes(end.to_bytes()) == end

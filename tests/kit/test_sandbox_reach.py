"""Whom hostile code tries to reach from within a jail, and that it could not, seen from the outside."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import resource
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kit.jails import (
    ALL,
    AS_USER,
    BARE_AS_USER,
    IN_A_SANDBOX,
    LANDLOCK,
    LIMITS,
    WAYS,
    WITH_NAMESPACES,
    WITHOUT_SECCOMP,
    Way,
    attempt,
    was_refused,
)
from scaffold.classroom.sandbox import JailEnd, Session
from scaffold.classroom.sandbox.inmate import Send
from scaffold.classroom.sandbox.kernel import NEW_NAMESPACES, syscall

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(30)]
_PTRACE_ATTACH = 16
_CLONE, _KEYCTL, _PROCESS_VM_READV, _PTRACE = 56, 250, 310, 101  # on x86_64
_IS_X86_64 = os.uname().machine == "x86_64"


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    way.skip_if_it_can_not_be()
    return way


@pytest.fixture
def listeners() -> Iterator[tuple[list[socket.socket], dict[str, Callable[[Path], object]]]]:
    """Sockets that wait for somebody, and how to reach them."""
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    folder = tempfile.TemporaryDirectory()
    Path(folder.name).chmod(0o777)
    name, abstract = f"{folder.name}/socket", f"\0session-tree-{os.getpid()}"
    unix, hidden = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    unix.bind(name)
    Path(name).chmod(0o777)
    hidden.bind(abstract)
    for each in (unix, hidden):
        each.listen()

    def connect(kind: int, address: Any) -> None:
        with socket.socket(kind) as client:
            client.connect(address)

    def send_datagram(_scratch: Path) -> int:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            return client.sendto(b"hello", udp.getsockname())

    found = [tcp, udp, unix, hidden]
    for each in found:
        each.setblocking(False)
    yield (
        found,
        {
            "tcp": lambda _: connect(socket.AF_INET, tcp.getsockname()),
            "udp": send_datagram,
            "unix": lambda _: connect(socket.AF_UNIX, name),
            "abstract": lambda _: connect(socket.AF_UNIX, abstract),
        },
    )
    for each in found:
        each.close()
    folder.cleanup()


@pytest.mark.parametrize("kind", ["tcp", "udp", "unix", "abstract"])
def test_nobody_can_be_reached(
    way: Way, listeners: tuple[list[socket.socket], dict[str, Callable[[Path], object]]], kind: str
) -> None:
    sockets, reach = listeners[0], listeners[1][kind]
    assert was_refused(way.run(attempt(reach)))
    for each in sockets:
        with pytest.raises(BlockingIOError):
            each.recv(1) if each.type == socket.SOCK_DGRAM else each.accept()
    reach(Path())  # from here it can be


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(lambda pid: os.kill(pid, signal.SIGKILL), id="kill"),
        pytest.param(lambda pid: os.kill(pid, 0), id="see"),
        pytest.param(lambda pid: resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0)), id="limit"),
        pytest.param(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19), id="slow down"),
        pytest.param(lambda pid: os.sched_setaffinity(pid, {0}), id="move"),
        pytest.param(os.pidfd_open, id="hold"),
        pytest.param(lambda pid: syscall(_PTRACE, "ptrace", _PTRACE_ATTACH, pid, 0, 0), id="trace"),
        pytest.param(lambda pid: Path(f"/proc/{pid}/mem").read_bytes(), id="memory"),
    ],
)
@pytest.mark.parametrize("whom", ["the worker", "the keeper"])
def test_no_other_process_can_be_touched(way: Way, action: Callable[[int], object], whom: str) -> None:
    worker = os.getpid()

    def work(session: Session) -> bytes:
        pid = worker if whom == "the worker" else os.getpid()
        return session.run(attempt(lambda _scratch: action(pid))).to_bytes()

    assert was_refused(JailEnd.from_bytes(way.session(work)))


def test_killing_everybody_kills_nobody_else(way: Way) -> None:
    def target(_scratch: Path, send: Send) -> None:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for whom in (-1, 0, 1, os.getppid()):
                with contextlib.suppress(OSError):
                    os.kill(whom, number)
        send(b"done")

    def work(session: Session) -> bytes:
        session.run(target)
        return session.run(attempt(lambda _scratch: "alive")).reports[0]

    assert way.session(work, replace(LIMITS, seconds=0.5)) == b"done: 'alive'"


@pytest.mark.parametrize("name", ["user", "mount", "net", "pid"])
@pytest.mark.parametrize("way", [ALL, AS_USER, BARE_AS_USER, LANDLOCK], ids=lambda way: way.name)
def test_no_namespace_can_be_made_within(way: Way, name: str) -> None:
    way.skip_if_it_can_not_be()

    def leave(_scratch: Path) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        if library.unshare(NEW_NAMESPACES[name]) < 0:
            raise OSError(ctypes.get_errno(), "unshare")

    assert was_refused(way.run(attempt(leave)))


def test_nothing_can_be_mounted(way: Way) -> None:
    def mount(scratch: Path) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        if library.mount(b"tmpfs", os.fsencode(scratch), b"tmpfs", 0, None) < 0:
            raise OSError(ctypes.get_errno(), "mount")

    assert was_refused(way.run(attempt(mount)))


@pytest.mark.parametrize(
    "program", ["/bin/true", "/usr/bin/su", "/usr/bin/sudo", "/usr/lib/x86_64-linux-gnu/libc.so.6"]
)
def test_no_program_can_be_started(way: Way, program: str) -> None:
    if not Path(program).exists():
        pytest.skip("not here")
    if way in WITHOUT_SECCOMP and program.endswith("libc.so.6"):
        pytest.skip("a library that may be read may be run: it stays in the jail")
    command = [program, "--version"]
    assert was_refused(way.run(attempt(lambda _scratch: os.execv(program, command))))  # noqa: S606 (it is refused)


def test_no_right_can_be_had_again(way: Way) -> None:
    def target(_scratch: Path, send: Send) -> None:
        user = os.getuid()
        for take, arguments in ((os.setuid, (0,)), (os.setgid, (0,)), (os.chown, (".", 0, 0)), (os.chroot, (".",))):
            with contextlib.suppress(OSError):
                take(*arguments)
                send(b"got it")
        library = ctypes.CDLL(None)
        send(f"{user != 0} {library.prctl(39, 0, 0, 0, 0)} {os.getgroups() in ([], [os.getgid()])}".encode())

    assert way.run(target).reports == (b"True 1 True",)


@pytest.mark.skipif(not _IS_X86_64, reason="the numbers are those of x86_64")
def test_the_init_can_not_be_traced(way: Way) -> None:
    assert was_refused(way.run(attempt(lambda _scratch: syscall(_PTRACE, "ptrace", _PTRACE_ATTACH, 1, 0, 0))))


def test_shared_memory_outside_can_not_be_found(way: Way) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    key = os.getpid() | 0x5E000000
    shared = library.shmget(key, 4096, 0o1666)  # made by this call
    assert shared >= 0

    def find(_scratch: Path) -> None:
        if library.shmget(key, 4096, 0) < 0:
            raise OSError(ctypes.get_errno(), "shmget")

    try:
        assert was_refused(way.run(attempt(find)))
    finally:
        library.shmctl(shared, 0, None)  # removed


@pytest.mark.skipif(not _IS_X86_64, reason="the numbers are those of x86_64")
@pytest.mark.parametrize("way", [ALL, AS_USER, LANDLOCK], ids=lambda way: way.name)
@pytest.mark.parametrize(
    "action",
    [
        pytest.param(lambda: syscall(_CLONE, "clone", NEW_NAMESPACES["user"] | 17, 0, 0, 0, 0), id="clone"),
        pytest.param(lambda: syscall(_KEYCTL, "keyctl", 0, -3, 0), id="keyring"),
        pytest.param(lambda: syscall(425, "io_uring_setup", 1, b"\0" * 120), id="io_uring"),
        pytest.param(lambda: syscall(321, "bpf", 0, 0, 0), id="bpf"),
        pytest.param(lambda: syscall(0x40000000 + 39, "x32"), id="the other table of calls"),
        pytest.param(lambda: os.memfd_create("x"), id="a file in memory"),
        pytest.param(lambda: mmap.mmap(-1, 4096), id="memory that is shared"),
        pytest.param(lambda: syscall(29, "shmget", 0, 4096, 0o1666), id="shared memory of System V"),
        pytest.param(lambda: syscall(_PROCESS_VM_READV, "process_vm_readv", 1, 0, 0, 0, 0, 0), id="read memory"),
    ],
)
def test_calls_that_lead_out_are_refused(way: Way, action: Callable[[], object]) -> None:
    way.skip_if_it_can_not_be()
    assert was_refused(way.run(attempt(lambda _scratch: action())))


@pytest.mark.parametrize("way", WITH_NAMESPACES, ids=lambda way: way.name)
def test_a_daemon_does_not_outlive_its_run(way: Way) -> None:
    way.skip_if_it_can_not_be()

    def daemon(scratch: Path, _send: Send) -> None:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
                while True:
                    (scratch / "late").write_text("x", "utf-8")
            os._exit(0)
        while not (scratch / "late").exists():
            pass

    def work(session: Session) -> bytes:
        assert session.run(daemon).how == "ended"
        (session.scratch / "late").unlink()
        end = session.run(attempt(lambda _scratch: os.kill(-1, 0)))  # nobody is left to get it
        return b"%s, late: %d" % (end.reports[0], (session.scratch / "late").exists())

    assert way.session(work) in (b"refused: ProcessLookupError, late: 0", b"refused: PermissionError, late: 0")

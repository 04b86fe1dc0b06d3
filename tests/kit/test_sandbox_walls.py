"""Each wall alone: what Landlock and seccomp take from a process, without a jail around it."""

from __future__ import annotations

import errno
import os
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kit.jails import ON_LINUX, in_a_child
from scaffold.classroom.sandbox import available, landlock, seccomp
from scaffold.classroom.sandbox.kernel import filter_system_calls, give_up_privileges
from scaffold.classroom.sandbox.users import is_root

pytestmark = [*ON_LINUX, pytest.mark.skipif(not is_root(), reason="needs root"), pytest.mark.timeout(30)]


def error_of(action: Callable[[], object]) -> str:
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


def within(wall: Callable[[], None], *actions: Callable[[], object]) -> list[str]:
    """Return what came of actions in a process behind one wall."""

    def work() -> bytes:
        give_up_privileges()
        wall()
        return " ".join(map(error_of, actions)).encode()

    return in_a_child(work).decode().split()


def behind_landlock(version: int, *allowed: Path) -> Callable[[], None]:
    return lambda: landlock.restrict(landlock.Allowed(readable=allowed), version)


@pytest.mark.parametrize("version", range(1, 8))
def test_landlock_of_each_version_shows_what_is_allowed_and_no_more(version: int) -> None:
    if available().landlock < version:
        pytest.skip(f"the kernel has version {available().landlock}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        file = Path(folder, "file")
        file.touch()
        file.chmod(0o666)
        said = within(
            behind_landlock(version, Path(folder)),
            file.read_bytes,
            lambda: file.write_bytes(b""),
            Path(folder, "new").mkdir,
            file.unlink,
            Path("/etc/passwd").read_bytes,
            lambda: os.execv("/bin/true", ["true"]),  # noqa: S606 (it is refused)
        )
    assert said == ["done", *["EACCES"] * 5]


@pytest.mark.skipif(available().landlock < 6, reason="needs Landlock of version 6")
def test_landlock_reaches_nobody_outside() -> None:
    name = f"\0session-tree-wall-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(name)
        unix.listen()

        def connect(family: int, address: str | tuple[str, int]) -> Callable[[], object]:
            return lambda: socket.socket(family).connect(address)

        def kill_parent() -> None:
            os.kill(os.getppid(), signal.SIGKILL)

        actions = connect(socket.AF_INET, tcp.getsockname()), connect(socket.AF_UNIX, name), kill_parent
        assert within(behind_landlock(6), *actions) == ["EACCES", "EPERM", "EPERM"]
        assert within(lambda: None, *actions[:2]) == ["done", "done"]


@pytest.mark.skipif(not available().seccomp, reason="needs seccomp")
@pytest.mark.parametrize(
    ("alone", "said"),
    [(False, ["EPERM", "EPERM", "done", "done", "done"]), (True, ["EPERM", "EPERM", "EAGAIN", "EPERM", "done"])],
    ids=["in a namespace", "alone"],
)
def test_seccomp_takes_sockets_programs_and_when_alone_processes(alone: bool, said: list[str]) -> None:
    def fork() -> None:
        if os.fork() == 0:
            os._exit(0)

    actions: tuple[Callable[[], object], ...] = (
        socket.socket,
        lambda: os.execv("/bin/true", ["true"]),  # noqa: S606 (it is refused)
        fork,
        lambda: os.kill(os.getppid(), 0) if alone else None,
        socket.socketpair,
    )
    assert within(lambda: filter_system_calls(seccomp.program(alone=alone)), *actions) == said

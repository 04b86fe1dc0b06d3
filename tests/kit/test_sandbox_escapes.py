"""What hostile code tries with files from within a jail, and what it could not do, seen from the outside."""

from __future__ import annotations

import contextlib
import ctypes
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit.jails import IN_A_SANDBOX, WAYS, Way, attempt, was_refused
from scaffold.classroom.sandbox import Session, read_file
from scaffold.classroom.sandbox.inmate import Send
from scaffold.course import ROOT

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(30)]


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    way.skip_if_it_can_not_be()
    return way


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that everybody may read, and write to, in a folder that is open to all."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        file = Path(folder, "secret")
        file.write_text("a secret", "utf-8")
        file.chmod(0o666)
        yield file
        assert file.read_text("utf-8") == "a secret"
        assert file.stat().st_mode & 0o777 == 0o666
        assert list(Path(folder).iterdir()) == [file]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/etc/shadow",
        "/proc/1/environ",
        "/proc/self/environ",
        "/proc/self/maps",
        "/proc/self/mem",
        "/sys/kernel/notes",
        "/dev/mem",
        "/dev/kmsg",
        str(Path.home() / ".bashrc"),
    ],
)
def test_the_machine_can_not_be_read(way: Way, path: str) -> None:
    assert was_refused(way.run(attempt(lambda _scratch: Path(path).read_bytes())))


@pytest.mark.parametrize("name", ["solutions/lab_10_1/session.py", "scaffold/course.py", "grade.py"])
def test_the_course_can_not_be_read_unless_it_is_shown(way: Way, name: str) -> None:
    assert was_refused(way.run(attempt(lambda _scratch: (ROOT / name).read_bytes())))


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(lambda secret, _: secret.read_bytes(), id="read"),
        pytest.param(lambda secret, _: secret.write_bytes(b""), id="write"),
        pytest.param(lambda secret, _: secret.unlink(), id="remove"),
        pytest.param(lambda secret, _: secret.rename(secret.with_name("other")), id="rename"),
        pytest.param(lambda secret, _: secret.with_name("new").touch(), id="make a file beside"),
        pytest.param(lambda secret, _: list(secret.parent.iterdir()), id="list"),
        pytest.param(lambda secret, scratch: os.link(secret, scratch / "x"), id="hard link"),
        pytest.param(lambda secret, scratch: secret.rename(scratch / "x"), id="move in"),
        pytest.param(lambda secret, _: secret.chmod(0), id="chmod"),
        pytest.param(lambda secret, _: Path(f"/dev/../../..{secret}").read_bytes(), id="dots"),
        pytest.param(lambda secret, scratch: (scratch / ".." / ".." / str(secret)[1:]).read_bytes(), id="dots back"),
    ],
)
def test_nothing_outside_can_be_touched(way: Way, secret: Path, action: Callable[[Path, Path], object]) -> None:
    assert was_refused(way.run(attempt(lambda scratch: action(secret, scratch))))


def test_links_lead_nowhere(way: Way, secret: Path) -> None:
    def through_links(scratch: Path) -> object:
        deep = scratch / "a" / "b"
        deep.mkdir(parents=True)
        (deep / "up").symlink_to("../../../../../../../..")
        (scratch / "link").symlink_to(deep / "up" / str(secret)[1:])
        return (scratch / "link").read_bytes()

    assert was_refused(way.run(attempt(through_links)))


def test_what_can_be_read_can_not_be_written(way: Way) -> None:
    assert was_refused(way.run(attempt(lambda _scratch: Path("/usr/lib/new").touch())))
    assert was_refused(way.run(attempt(lambda _scratch: Path("/new").touch())))


def test_what_is_open_to_all_can_only_be_read(way: Way, secret: Path) -> None:
    def write(_scratch: Path) -> None:
        assert secret.read_text("utf-8") == "a secret"
        secret.write_text("changed", "utf-8")

    assert was_refused(way.run(attempt(write), readable=[secret.parent]))


@pytest.mark.parametrize("name", ["", "..", "../x", "a/../../x", "/etc/passwd", "a\0b"])
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is no path below the folder"):
        read_file(tmp_path, name, 100)


def test_the_scratch_of_a_jail_beside_it_can_not_be_read(way: Way) -> None:
    place, is_ready = os.pipe()
    gate, opens = os.pipe()

    def leave(scratch: Path, send: Send) -> None:
        (scratch / "answer").write_text("mine", "utf-8")
        scratch.chmod(0o777)
        send(os.fsencode(scratch))

    def wait(session: Session) -> bytes:
        os.write(is_ready, session.run(leave).reports[0])
        return os.read(gate, 1)

    neighbour = os.fork()
    if neighbour == 0:
        with contextlib.suppress(BaseException):
            way.session(wait)
        os._exit(0)
    answer = Path(os.fsdecode(os.read(place, 1_000)), "answer")
    assert was_refused(way.run(attempt(lambda _scratch: answer.read_bytes())))
    os.write(opens, b"x")
    os.waitpid(neighbour, 0)
    for file in (place, is_ready, gate, opens):
        os.close(file)


def test_the_environment_of_the_worker_is_gone(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "swordfish")
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    assert ctypes.string_at(start, end - start).strip(b"\0")

    def target(_scratch: Path, send: Send) -> None:
        library = ctypes.CDLL(None)
        library.getenv.restype = ctypes.c_char_p
        send(repr((os.environ.get("SECRET_TOKEN"), library.getenv(b"SECRET_TOKEN"))).encode())
        send(ctypes.string_at(start, end - start).strip(b"\0"))

    assert way.run(target).reports == (b"(None, None)", b"")


@pytest.mark.parametrize("kind", ["fifo", "link", "folder", "closed", "link on the way"])
def test_what_stands_where_a_file_should_is_not_read(way: Way, secret: Path, kind: str) -> None:
    def target(scratch: Path, _send: Send) -> None:
        if kind == "fifo":
            os.mkfifo(scratch / "x")
        elif kind == "link":
            (scratch / "x").symlink_to(secret)
        elif kind == "folder":
            (scratch / "x").mkdir()
        elif kind == "closed":
            (scratch / "x").write_text("closed", "utf-8")
            (scratch / "x").chmod(0)
            scratch.chmod(0)
        else:
            (scratch / "y").symlink_to(secret.parent)

    def collect(scratch: Path) -> bytes:
        try:
            return read_file(scratch, "y/secret" if kind == "link on the way" else "x", 100)
        except OSError as error:
            return type(error).__name__.encode()

    def work(session: Session) -> bytes:
        return session.run(target).how.encode() + b" " + collect(session.scratch)

    how, _, collected = way.session(work).partition(b" ")
    assert how == b"ended"
    assert collected in ((b"closed", b"PermissionError") if kind == "closed" else (b"OSError", b"NotADirectoryError"))

"""Real kills and real full disks: the file can be opened again, and holds all that was acknowledged."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from scaffold.given.file_io import DiskFileIO
from scaffold.given.samples import metadata_entry
from solutions import JsonlSessionStore, repair_unterminated_tail

resource: Any = pytest.importorskip("resource", reason="needs POSIX")
pytestmark = [pytest.mark.timeout(60), pytest.mark.skipif(sys.platform != "linux", reason="kills as on Linux")]


def entry(number: int, text: str = "道 🌳 Größe") -> Any:
    return metadata_entry(f"e{number}", f"e{number - 1}" if number else None, "note", text)


class SlowDisk(DiskFileIO):
    """Writes a few bytes at a time, so that a kill finds it in mid-line."""

    async def append_file(self, path: Path, data: bytes) -> None:
        for start in range(0, len(data), 7):
            await super().append_file(path, data[start : start + 7])


async def append_for_ever(path: Path, out: int) -> NoReturn:
    """Append to a session, three entries at a time, and report each that is acknowledged."""
    store = await JsonlSessionStore.open(path, SlowDisk())
    number = len(await store.entries())
    while True:
        pending = [store.append(entry(number + ahead)) for ahead in range(3)]
        for outcome in pending:
            await outcome
            os.write(out, f"{number}\n".encode())
            number += 1


def in_a_child(work: Callable[[int], object]) -> tuple[int, int]:
    """Run `work` in a child process. Return its number, and the end of a pipe that `work` writes to."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            work(theirs)
        os._exit(0)
    os.close(theirs)
    return child, ours


def told_by(child: int, pipe: int) -> str:
    """Wait for the end of a child, and return what it has written."""
    os.waitpid(child, 0)
    with open(pipe, encoding="utf-8") as written:
        return written.read()


def last_acknowledged(path: Path, seconds: float) -> int:
    """Let a child append, kill it this long after its first append, and return the last number that it reported."""
    child, pipe = in_a_child(lambda out: asyncio.run(append_for_ever(path, out)))
    begun = os.read(pipe, 1 << 16).decode()
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return int((begun + told_by(child, pipe)).split()[-1])


def test_fifty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(10)  # noqa: S311 (no secret)
    path = tmp_path / "session.jsonl"
    before = b""
    torn = 0
    for _ in range(50):
        last = last_acknowledged(path, seconds=chance.random() / 500)

        state, kept = asyncio.run(opened(path))
        assert kept == [entry(number) for number in range(len(kept))]
        assert len(kept) > last
        assert path.read_bytes().startswith(before)
        torn += state == "needs-repair"
        repair_unterminated_tail(path)
        before = path.read_bytes()

    assert torn > 5, "hardly a kill came in mid-append; this test shows nothing then"


async def opened(path: Path) -> tuple[str, list[Any]]:
    store = await JsonlSessionStore.open(path)
    return store.state, await store.entries()


def limited(path: Path, size: int, out: int) -> None:
    """Append to a file that may not grow beyond `size` bytes, and report the error of each append."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    os.write(out, str(asyncio.run(append_three(path))).encode())


async def append_three(path: Path) -> list[int]:
    """Append three entries at once. Return the error number of each, 0 for none."""
    store = await JsonlSessionStore.open(path)
    errors = await asyncio.gather(*[store.append(entry(number)) for number in range(3)], return_exceptions=True)
    assert (store.state == "tainted") == any(errors)
    return [error.errno or 0 if isinstance(error, OSError) else 0 for error in errors]


def test_a_limit_on_the_size_of_files_is_met_in_mid_line(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    told = told_by(*in_a_child(lambda out: limited(path, 150, out)))

    assert told == str([0, errno.EFBIG, errno.EFBIG])
    assert path.stat().st_size == 150
    assert asyncio.run(opened(path)) == ("needs-repair", [entry(0)])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("nobody but root can mount a file system here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)  # noqa: S607


async def test_a_full_disk_is_met_in_mid_line(small_disk: Path) -> None:
    path = small_disk / "session.jsonl"
    store = await JsonlSessionStore.open(path)
    outcomes = [store.append(entry(number, "x" * 3_000)) for number in range(9)]
    errors = await asyncio.gather(*outcomes, return_exceptions=True)

    written = errors.count(None)
    assert 0 < written < 9
    assert {error.errno for error in errors if isinstance(error, OSError)} == {errno.ENOSPC}
    assert all(error is errors[-1] for error in errors[written:])
    assert path.stat().st_size == 16 * 1024
    again = await JsonlSessionStore.open(path)
    assert (len(await again.entries()), again.state) == (written, "needs-repair")


async def test_a_full_disk_stops_a_repair_before_it_does_harm(small_disk: Path) -> None:
    path = small_disk / "session.jsonl"
    with contextlib.suppress(OSError):
        path.write_bytes(b"x" * 20_000)
    before = path.read_bytes()

    with pytest.raises(OSError, match="No space left"):
        repair_unterminated_tail(path)

    assert path.read_bytes() == before


def file_as_folder(path: Path) -> None:
    path.parent.rmdir()
    path.parent.touch()


ODD_PLACES: dict[str, tuple[Callable[[Path], object], type[OSError]]] = {
    "a folder": (Path.mkdir, IsADirectoryError),
    "a pipe without a reader": (os.mkfifo, OSError),
    "a link that leads to itself": (lambda path: path.symlink_to(path), OSError),
    "a path below a file": (file_as_folder, OSError),
}


@pytest.mark.parametrize(("make", "error"), ODD_PLACES.values(), ids=ODD_PLACES)
async def test_what_is_no_regular_file_is_refused_with_its_path(
    tmp_path: Path, make: Callable[[Path], object], error: type[OSError]
) -> None:
    path = tmp_path / "place" / "session.jsonl"
    path.parent.mkdir()
    make(path)

    with pytest.raises(error) as caught:
        await JsonlSessionStore.open(path)

    assert str(path.parent) in str(caught.value)


async def test_a_link_is_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(path)
    store = await JsonlSessionStore.open(link)
    await store.append(entry(0))

    assert link.is_symlink()
    assert await (await JsonlSessionStore.open(path)).entries() == [entry(0)]


def as_nobody(path: Path, out: int) -> None:
    """Open a store without the rights of root."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setuid(65534)
    try:
        asyncio.run(append_three(path))
    except OSError as error:
        os.write(out, f"{error.errno} {error.filename}".encode())


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    for folder in [tmp_path, *tmp_path.parents[:2]]:
        folder.chmod(0o755)
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    told = told_by(*in_a_child(lambda out: as_nobody(locked / "session.jsonl", out)))

    assert told == f"{errno.EACCES} {locked / 'session.jsonl'}"
    assert list(locked.iterdir()) == []

"""A hostile archive is named in its own row, and harms neither the machine nor other rows."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.submission_forms import by_id, put, zipped
from scaffold.classroom import unpack
from scaffold.classroom.members import MIB, RefusedError
from scaffold.classroom.submissions import read_submissions
from scaffold.classroom.unpack import Archive

GOOD = "labs/lab_10_1/session.py"
EVIL = "labs/lab_10_3/session.py"


def with_member(change: Callable[[zipfile.ZipInfo], None], content: bytes = b"evil") -> bytes:
    """Return an archive with a good member, and one whose entry was changed before it was written."""
    buffer = io.BytesIO(zipped({GOOD: b"good"}))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo(EVIL, (2026, 5, 4, 12, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        change(info)
        with warnings.catch_warnings(action="ignore"):
            archive.writestr(info, content, info.compress_type)
    return buffer.getvalue()


def named(name: str) -> bytes:
    """Return an archive with a member of this name as it stands, which `zipfile` would make harmless."""
    placeholder = "N" * len(name.encode())
    return zipped({GOOD: b"good", placeholder: b"evil"}).replace(placeholder.encode(), name.encode())


def of_mode(mode: int) -> bytes:
    def change(info: zipfile.ZipInfo) -> None:
        info.external_attr = mode << 16

    return with_member(change, b"/etc/passwd")


def of_method(method: int) -> bytes:
    return with_member(lambda info: setattr(info, "compress_type", method))


def encrypted() -> bytes:
    """Return an archive whose last entry says that it is encrypted, in the list and before the member."""
    made = bytearray(with_member(lambda _: None))
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        made[made.rindex(mark) + offset] |= 1
    return bytes(made)


def resized(size: int, *, packed: int | None = None) -> bytes:
    """Return an archive whose list lies about the size of its last member."""
    made = bytearray(with_member(lambda _: None, b"evil" * 100))
    entry = made.rindex(b"PK\1\2")
    struct.pack_into("<I", made, entry + 24, size)
    if packed is not None:
        struct.pack_into("<I", made, entry + 20, packed)
    return bytes(made)


def twice() -> bytes:
    return zipped({GOOD: b"good", EVIL: b"first", EVIL.replace(".py", ".pz"): b"last"}).replace(b".pz", b".py")


HOSTILE = {
    "an absolute path": (named("/labs/lab_10_3/session.py"), "absolute"),
    "a way out": (named("../labs/lab_10_3/session.py"), ".."),
    "a way out in the middle": (named("labs/../../lab_10_3/session.py"), ".."),
    "a drive": (named("C:labs/lab_10_3/session.py"), "absolute"),
    "backslashes": (named("labs\\lab_10_3\\session.py"), "backslash"),
    "a zero byte": (named("labs/lab_10_3/session.py\0.txt"), "zero byte"),
    "too deep": (named("d/" * 40 + EVIL), "deeper"),
    "a symbolic link": (of_mode(stat.S_IFLNK | 0o777), "symbolic link"),
    "a FIFO": (of_mode(stat.S_IFIFO | 0o644), "neither a file nor a folder"),
    "a device": (of_mode(stat.S_IFCHR | 0o644), "neither a file nor a folder"),
    "a socket": (of_mode(stat.S_IFSOCK | 0o644), "neither a file nor a folder"),
    "encrypted": (encrypted(), "without a password"),
    "bzip2": (of_method(zipfile.ZIP_BZIP2), "method 12"),
    "lzma": (of_method(zipfile.ZIP_LZMA), "method 14"),
    "one that stands twice": (twice(), "more than once"),
    "too large": (with_member(lambda _: None, os.urandom(MIB + 1)), "larger than the 1 MiB"),
    "a bomb": (with_member(lambda _: None, bytes(64 * MIB)), "packed more than"),
    "a size that is too large": (resized(10_000), "can't be unpacked"),
    "a size that is too small": (resized(100), "can't be unpacked"),
    "a size of gigabytes": (resized(2**32 - 2), "packed more than"),
    "gigabytes both ways": (resized(2**32 - 2, packed=2**32 - 2), "can't be unpacked"),
    "archives in archives": (zipped({GOOD: b"good", "a.zip": zipped({"b.zip": zipped({EVIL: b""})})}), "two other"),
    "a broken archive inside": (zipped({GOOD: b"good", "a.zip": b"PK\3\4 no"}), "no zip archive"),
}


@pytest.mark.parametrize(("archive", "why"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_hostile_is_named_and_the_rest_is_read(archive: bytes, why: str, tmp_path: Path) -> None:
    found = by_id(read_submissions(put(tmp_path, {"eve.zip": archive, "bob/lab_10_1.py": b"bob"})))
    assert found["eve"].files == {"lab_10_1": b"good"}
    assert [problem for problem in found["eve"].problems if why in problem and "eve.zip" in problem]
    assert (found["bob"].files, found["bob"].problems) == ({"lab_10_1": b"bob"}, ())
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["bob", "eve.zip", "lab_10_1.py"]


ENTIRELY_BAD = {
    "empty": b"",
    "text": b"no archive",
    "cut off": zipped({GOOD: b"good"})[:-30],
    "only its end": b"PK\5\6" + bytes(18),
    "an end that points nowhere": b"PK\5\6" + b"\xff" * 18,
}


@pytest.mark.parametrize("archive", ENTIRELY_BAD.values(), ids=ENTIRELY_BAD)
def test_an_archive_that_is_entirely_bad_has_a_row(archive: bytes, tmp_path: Path) -> None:
    found = by_id(read_submissions(put(tmp_path, {"eve.zip": archive, "bob/lab_10_1.py": b"bob"})))
    assert found["eve"].files == {}
    assert found["eve"].problems
    assert found["bob"].files == {"lab_10_1": b"bob"}


def test_a_problem_has_a_length_that_can_be_read(tmp_path: Path) -> None:
    [submission] = read_submissions(
        put(tmp_path, {"eve.zip": zipped({"n" * 5_000 + ".rar": b"", f"..{'/n' * 999}": b""})})
    )
    assert len(submission.problems) == 3
    assert all(len(problem) < 500 for problem in submission.problems)


def test_a_bad_member_of_a_class_is_in_its_students_row(tmp_path: Path) -> None:
    files = {"ann/lab_10_1/session.py": bytes(8 * MIB), "bob/lab_10_1/session.py": b"bob"}
    found = by_id(read_submissions(put(tmp_path, {"all.zip": zipped(files)})))
    assert found["bob"].files == {"lab_10_1": b"bob"}
    assert not found["bob"].problems
    assert found["ann"].files == {}
    assert "packed more than" in found["ann"].problems[0]


def test_what_nobody_can_answer_for_has_a_row_of_its_own(tmp_path: Path) -> None:
    files = {"ann/lab_10_1/session.py": b"ann", "bob/lab_10_1/session.py": b"bob", "x" * 11: b""}
    archive = zipped(files).replace(b"x" * 11, b"../lab_10_1")
    found = by_id(read_submissions(put(tmp_path, {"all.zip": archive})))
    assert set(found) == {"ann", "bob", "all.zip"}
    assert not found["ann"].problems
    assert "leads out" in found["all.zip"].problems[0]


def test_what_tools_add_is_no_problem(tmp_path: Path) -> None:
    def change(info: zipfile.ZipInfo) -> None:
        info.filename = ".venv/bin/python"
        info.external_attr = (stat.S_IFLNK | 0o777) << 16

    [submission] = read_submissions(put(tmp_path, {"jane.zip": with_member(change)}))
    assert (submission.files, submission.problems) == ({"lab_10_1": b"good"}, ())


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "MOST_MEMBERS", 10)
    archive = zipped({f"{number}.txt": b"" for number in range(11)})
    found = by_id(read_submissions(put(tmp_path, {"eve.zip": archive, "bob/lab_10_1.py": b"bob"})))
    assert "more than 10 members" in found["eve"].problems[0]


def test_the_list_of_members_is_not_read_if_it_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "LARGEST_DIRECTORY", 70_000)
    Archive(zipped({f"{number}" * 50: b"" for number in range(10)}))
    with pytest.raises(RefusedError, match="list of its members is too long"):
        Archive(zipped({f"{number:04}" * 50: b"" for number in range(1_000)}))


def test_many_small_files_are_no_way_around_the_limits(tmp_path: Path) -> None:
    many = {f"{number}/session.py": os.urandom(16 * 1024) * 60 for number in range(80)}
    [submission] = read_submissions(put(tmp_path, {"eve/work.zip": zipped(many)}))
    assert any("submission is too large" in problem for problem in submission.problems)


def test_many_archives_are_no_way_around_the_limits(tmp_path: Path) -> None:
    inside = zipped({f"{number}.py": b"" for number in range(2_000)})
    [submission] = read_submissions(put(tmp_path, {"eve/all.zip": zipped({f"{n}.zip": inside for n in range(20)})}))
    assert any("too many files" in problem for problem in submission.problems)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_damage_of_an_archive_is_an_error(data: st.DataObject) -> None:
    archive = bytearray(zipped({GOOD: b"good" * 50, "work.zip": zipped({EVIL: b"x"})}))
    for _ in range(data.draw(st.integers(1, 6))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(RefusedError):
        for member in Archive(bytes(archive)).contents().members:
            if member.suffix in {".py", ".zip"}:
                with contextlib.suppress(RefusedError):
                    assert len(member.read()) <= 64 * MIB


@pytest.mark.parametrize("highest_ratio", [unpack.HIGHEST_RATIO, 10_000], ids=["by its ratio", "by its size alone"])
def test_a_bomb_takes_no_memory(highest_ratio: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "HIGHEST_RATIO", highest_ratio)
    put(tmp_path, {"eve.zip": zipped({GOOD: bytes(128 * MIB)}), "bob/lab_10_1.py": b"bob"})
    tracemalloc.start()
    found = by_id(read_submissions(tmp_path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 16 * MIB
    assert (found["eve"].files, len(found["eve"].problems)) == ({}, 2)

"""Every student has one row, nobody has another's, and nothing that is no plain file is read."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from kit.submission_forms import answer, by_id, put, zipped
from scaffold.classroom import folders
from scaffold.classroom.model import Submission
from scaffold.classroom.submissions import digest_of, read_submissions

ONE, THREE = answer("10.1"), answer("10.3")


def age(path: Path, *, years: int) -> None:
    moment = path.stat().st_mtime - years * 365 * 86_400
    os.utime(path, (moment, moment))


@pytest.mark.parametrize(("years", "latest"), [(0, "jane"), (20, "jane.zip")])
def test_of_two_submissions_the_latest_counts_and_the_other_is_named(years: int, latest: str, tmp_path: Path) -> None:
    put(tmp_path, {"jane/lab_10_1/session.py": b"jane", "jane.zip": zipped({"lab_10_1.py": b"jane.zip"}, year=2020)})
    age(tmp_path / "jane/lab_10_1/session.py", years=years)
    [submission] = read_submissions(tmp_path)
    assert submission.files == {"lab_10_1": latest.encode()}
    assert submission.origin == latest
    [problem] = submission.problems
    assert f"{latest} counts" in problem
    assert "older" in problem


def test_a_submission_that_can_not_be_read_does_not_replace_one_that_can(tmp_path: Path) -> None:
    [submission] = read_submissions(put(tmp_path, {"jane/lab_10_1.py": ONE, "jane.zip": b"broken"}))
    assert submission.files == {"lab_10_1": ONE}
    assert "jane.zip" in submission.problems[0]


def test_of_two_files_on_canvas_the_higher_number_counts(tmp_path: Path) -> None:
    put(tmp_path, {"doejane_12_99_lab_10_1.py": b"old", "doejane_12_100_lab_10_1.py": b"new"})
    [submission] = read_submissions(tmp_path)
    assert submission.files == {"lab_10_1": b"new"}
    assert "left out" in submission.problems[0]


def test_an_archive_can_not_hand_in_for_somebody_else(tmp_path: Path) -> None:
    forged = {"bob/labs/lab_10_1/session.py": b"forged", "x/labs/lab_10_1/session.py": b"x"}
    put(tmp_path, {"bob/labs/lab_10_1/session.py": b"bob", "eve.zip": zipped(forged, year=2099)})
    found = by_id(read_submissions(tmp_path))
    assert found["bob"].files == {"lab_10_1": b"bob"}
    assert set(found) == {"bob", "eve"}


def test_what_lies_in_the_folder_comes_before_what_an_archive_says(tmp_path: Path) -> None:
    forged = {f"{name}_assignsubmission_file_/lab_10_1.py": b"forged" for name in ("Bob_8", "Cleo_9")}
    put(tmp_path, {"Bob_8_assignsubmission_file_/lab_10_1.py": b"bob", "eve.zip": zipped(forged, year=2099)})
    bob = by_id(read_submissions(tmp_path))["8"]
    assert bob.files == {"lab_10_1": b"bob"}
    assert "eve.zip/Bob_8" in bob.problems[0]


def test_one_name_of_a_platform_inside_does_not_make_an_archive_a_classs(tmp_path: Path) -> None:
    forged = zipped({"Bob_8_assignsubmission_file_/lab_10_1.py": b"forged"})
    found = by_id(read_submissions(put(tmp_path, {"eve.zip": forged, "ann/lab_10_1.py": ONE})))
    assert set(found) == {"ann", "eve"}


def test_a_clone_can_not_hand_in_for_somebody_else(tmp_path: Path) -> None:
    names = ("Bob_8_assignsubmission_file_", "Cleo_9_assignsubmission_file_")
    put(tmp_path, {f"lab-eve/{name}/lab_10_1.py": b"forged" for name in names} | {"lab-eve/.git/HEAD": b""})
    assert set(by_id(read_submissions(tmp_path))) == {"lab-eve"}


NAMES = {
    "spaces, commas and quotes": "Doe, \"Jane\" 'J.'",
    "brackets": "[jane](x){y}<z>",
    "a leading equals sign": "=1+1",
    "not ASCII": "Žofie Příliš 李",
    "right to left": "\u202eenaj \u05d9\u05e2\u05dc",
    "very long": "j" * 250,
}


@pytest.mark.skipif(os.name == "nt", reason="Windows allows few of these names")
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_an_odd_name_survives(name: str, tmp_path: Path) -> None:
    [submission] = read_submissions(put(tmp_path, {f"{name}/lab_10_1.py": ONE}))
    assert submission.student.id == submission.origin == name
    assert submission.files == {"lab_10_1": ONE}


@pytest.mark.skipif(os.name == "nt", reason="Windows allows no such names")
@pytest.mark.parametrize(("name", "escaped"), [("a\nb", "a\\nb"), ("a\x1b[31m", "a\\x1b[31m"), ("a\udcff", "a\\udcff")])
def test_control_characters_in_a_name_become_visible(name: str, escaped: str, tmp_path: Path) -> None:
    if sys.platform != "linux" and "\udcff" in name:
        pytest.skip("only Linux has names that are no UTF-8")
    [submission] = read_submissions(put(tmp_path, {f"{name}/lab_10_1.py": ONE}))
    assert submission.student.id == submission.origin == escaped
    submission.student.id.encode()


APART = {
    "two with one name on a platform": ("Jane Doe_1_assignsubmission_file_", "Jane Doe_2_assignsubmission_file_"),
    "two names that differ in case": ("jane", "Jane"),
    "a newline and its escape": ("a\nb", "a\\nb"),
    "one number on two platforms": ("doejane_12_3_labs", "Bob_12_assignsubmission_file_"),
    "a number and a folder": ("doejane_12_3_labs", "12"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other ideas of what is one name")
@pytest.mark.parametrize(("first", "second"), APART.values(), ids=APART)
def test_two_students_are_never_taken_for_one(first: str, second: str, tmp_path: Path) -> None:
    submissions = read_submissions(put(tmp_path, {f"{first}/lab_10_1.py": b"1", f"{second}/lab_10_1.py": b"2"}))
    assert len(by_id(submissions)) == 2
    assert {each.files["lab_10_1"] for each in submissions} == {b"1", b"2"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take the two for one file")
def test_one_name_in_two_normal_forms_is_one_student(tmp_path: Path) -> None:
    [submission] = read_submissions(put(tmp_path, {"ren\u00e9/lab_10_1.py": b"1", "rene\u0301/lab_10_1.py": b"2"}))
    assert submission.student.id == "ren\u00e9"
    assert "handed in too" in submission.problems[0]


def test_a_lab_may_be_large_but_not_too_large(tmp_path: Path) -> None:
    big = b"#" * 1024 * 1024
    found = by_id(read_submissions(put(tmp_path, {"ann/lab_10_1.py": big, "bob/lab_10_1.py": big + b"#"})))
    assert found["ann"].files == {"lab_10_1": big}
    assert found["bob"].files == {}
    assert "lab_10_1.py: is larger than the 1 MiB" in found["bob"].problems[0]


def test_an_empty_folder_is_a_submission_without_files(tmp_path: Path) -> None:
    (tmp_path / "jane").mkdir()
    [submission] = read_submissions(tmp_path)
    assert (submission.student.id, submission.files) == ("jane", {})
    assert submission.problems == ("no session.py was found",)


def test_other_archives_are_named_with_the_cure(tmp_path: Path) -> None:
    found = by_id(read_submissions(put(tmp_path, {"jane.tar.gz": b"", "bob/work.rar": b""})))
    assert all("zip" in found[name].problems[0] for name in ("jane", "bob"))


def test_lists_and_notes_beside_the_submissions_are_none(tmp_path: Path) -> None:
    put(tmp_path, {".git/lab_10_1.py": b"x", "__MACOSX/lab_10_1.py": b"x", ".hidden.zip": b""})
    put(tmp_path, {"grades.csv": b"x", "notes.txt": b"x", "late.toml": b"x", "jane/lab_10_1.py": ONE})
    assert set(by_id(read_submissions(tmp_path))) == {"jane"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("kind", ["link to a file", "link to a folder", "hard link", "fifo", "socket"])
def test_what_is_no_plain_file_is_refused(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = put(tmp_path / "secret", {"lab_10_1/session.py": b"secret"}) / "lab_10_1" / "session.py"
    place = put(tmp_path / "class", {"jane/lab_10_1/x.txt": b"", "bob/lab_10_1.py": ONE}) / "jane/lab_10_1/session.py"
    match kind:
        case "link to a file":
            place.symlink_to(secret)
        case "link to a folder":
            (tmp_path / "class/jane/labs").symlink_to(secret.parent.parent)
        case "hard link":
            place.hardlink_to(secret)
        case "fifo":
            os.mkfifo(place)
        case "socket":
            monkeypatch.chdir(place.parent)  # the path of a socket has to be short
            with socket.socket(socket.AF_UNIX) as door:
                door.bind("session.py")
    found = by_id(read_submissions(tmp_path / "class"))
    assert found["jane"].files == {}
    assert "link" in found["jane"].problems[0] or "neither" in found["jane"].problems[0]
    assert found["bob"].files == {"lab_10_1": ONE}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
@pytest.mark.parametrize("target", ["secret", "secret/lab_10_1/session.py", "nowhere"])
def test_a_submission_that_is_a_link_is_refused(target: str, tmp_path: Path) -> None:
    put(tmp_path / "secret", {"lab_10_1/session.py": b"secret"})
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "jane").symlink_to(tmp_path / target)
    [submission] = read_submissions(tmp_path / "class")
    assert (submission.student.id, submission.files) == ("jane", {})
    assert "jane: is a link" in submission.problems[0]


def test_a_folder_that_is_too_deep_is_not_descended(tmp_path: Path) -> None:
    put(tmp_path, {"jane/" + "d/" * 40 + "lab_10_1.py": ONE, "jane/lab_10_3.py": THREE})
    [submission] = read_submissions(tmp_path)
    assert submission.files == {"lab_10_3": THREE}
    assert "deeper than" in submission.problems[0]


def test_too_many_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MOST_ENTRIES", 10)
    found = by_id(read_submissions(put(tmp_path, {f"jane/{n}.txt": b"" for n in range(11)} | {"bob/10.1.py": ONE})))
    assert "more than 10 files" in found["jane"].problems[0]
    assert found["bob"].files == {"lab_10_1": ONE}


@pytest.mark.parametrize("seconds", [1e300, -1e300, float("inf")])
def test_a_file_may_be_of_any_age(seconds: float) -> None:
    assert folders._moment(seconds) == ()


def test_many_problems_are_counted_and_not_listed(tmp_path: Path) -> None:
    [submission] = read_submissions(put(tmp_path, {f"jane/{number}.rar": b"" for number in range(100)}))
    assert len(submission.problems) == 20
    assert submission.problems[-1] == "and 82 more problems like these"


def test_a_folder_without_submissions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing was handed in"):
        read_submissions(tmp_path)
    with pytest.raises(NotADirectoryError, match="nowhere"):
        read_submissions(tmp_path / "nowhere")


def test_a_digest_tells_files_apart_and_nothing_else(tmp_path: Path) -> None:
    [first] = read_submissions(put(tmp_path / "a", {"jane/lab_10_1.py": ONE, "jane/lab_10_3.py": THREE}))
    [same] = read_submissions(put(tmp_path / "b", {"bob.zip": zipped({"lab_10_3.py": THREE, "lab_10_1.py": ONE})}))
    assert digest_of(first) == digest_of(same)
    moved = [{"lab_10_1": b"ab", "lab_10_2": b"c"}, {"lab_10_1": b"a", "lab_10_2": b"bc"}, {"lab_10_1": b"ab"}, {}]
    moved += [{"lab_10_1": b"alab_10_2bc"}, {"lab_10_1a": b"b", "lab_10_2": b"c"}]
    assert len({digest_of(Submission(first.student, files)) for files in moved}) == len(moved)

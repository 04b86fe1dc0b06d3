"""Whatever form a submission comes in, the right files end in the right row."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.submission_forms import answer, by_id, notebook, put, zipped
from scaffold.classroom.lab_files import lab_named, lab_of_names
from scaffold.classroom.submissions import read_submissions
from scaffold.course import LABS, Lab
from scaffold.practice import make_practice_folder

ONE, THREE = answer("10.1"), answer("10.3")
TWO_LABS = {"lab_10_1": ONE, "lab_10_3": THREE}
INSIDE = {"labs/lab_10_1/session.py": ONE, "labs/lab_10_3/session.py": THREE}
MOODLE = "Jane Doe_1234567_assignsubmission"


def beneath(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": content for name, content in files.items()}


ONE_STUDENT = {
    "a folder with labs": ("jane", beneath("jane", INSIDE)),
    "a folder with the labs' folders": ("jane", {f"jane/{lab}/session.py": text for lab, text in TWO_LABS.items()}),
    "deeper": ("jane", beneath("jane/work/final version", INSIDE)),
    "a clone": (
        "lab-jane",
        beneath("lab-jane", INSIDE | {".git/HEAD": b"ref", ".git/labs/lab_10_1/session.py": b"no"}),
    ),
    "an archive": ("jane", {"jane.zip": zipped(INSIDE)}),
    "an archive with a folder around": ("jane", {"jane.zip": zipped(beneath("practice", INSIDE))}),
    "an archive in a folder": ("jane", {"jane/work.zip": zipped(INSIDE)}),
    "an archive in an archive": ("jane", {"jane.zip": zipped({"work.zip": zipped(INSIDE)})}),
    "single files with the lab in their names": ("jane", {"jane/lab_10_1.py": ONE, "jane/session_10_3.py": THREE}),
    "the number first": ("jane", {"jane/10.1-session.py": ONE, "jane/10.3/session.py": THREE}),
    "files told by what they define": ("jane", {"jane/session.py": ONE, "jane/session (1).py": THREE}),
    "loose files with a student's name": ("jane", {"jane_lab_10_1.py": ONE, "jane-10.3.py": THREE}),
    "the folder is the submission": ("class", INSIDE),
    "a folder of all submissions in the folder": ("jane", beneath("all", {"jane.zip": zipped(INSIDE), "bob.zip": b""})),
    "what tools add": (
        "jane",
        beneath("jane", INSIDE | {"__MACOSX/labs/lab_10_1/session.py": b"no", ".DS_Store": b""}),
    ),
    "a Canvas archive": ("12", {"doejane_12_345_work.zip": zipped(INSIDE)}),
    "Canvas files": ("12", {"doejane_12_344_lab_10_1.py": ONE, "doejane_12_345_lab_10_3.py": THREE}),
    "Canvas files of one name": ("12", {"doejane_12_344_session.py": ONE, "doejane_12_345_session-1.py": THREE}),
    "late on Canvas": ("12", {"doejane_LATE_12_345_work.zip": zipped(INSIDE)}),
    "without a name on Canvas": ("anon_aB3dE", {"anon_aB3dE_345_work.zip": zipped(INSIDE)}),
    "late and without a name": ("anon_aB3dE", {"LATE_anon_aB3dE_345_work.zip": zipped(INSIDE)}),
    "a Moodle folder": ("1234567", beneath(f"{MOODLE}_file_", INSIDE)),
    "a newer Moodle folder": ("1234567", beneath(f"{MOODLE}_file", INSIDE)),
    "Moodle without folders": ("1234567", {f"{MOODLE}_file_work.zip": zipped(INSIDE)}),
    "a Moodle folder with an archive": ("1234567", {f"{MOODLE}_file_/work.zip": zipped(INSIDE)}),
    "Moodle with a typed text": (
        "1234567",
        beneath(f"{MOODLE}_file_", INSIDE) | {f"{MOODLE}_onlinetext_/onlinetext.html": b"<p>hello"},
    ),
}


@pytest.mark.parametrize(("student", "files"), ONE_STUDENT.values(), ids=ONE_STUDENT)
def test_every_form_of_a_submission_is_read(student: str, files: dict[str, bytes], tmp_path: Path) -> None:
    found = by_id(read_submissions(put(tmp_path / "class", files)))
    assert found[student].files == TWO_LABS
    assert set(found) <= {student, "bob"}


CLASSES = {
    "folders": {"ann/lab_10_1/session.py": b"ann", "bob/lab_10_1/session.py": b"bob"},
    "archives of students": {
        "ann.zip": zipped({"lab_10_1/session.py": b"ann"}),
        "bob.zip": zipped({"p/labs/lab_10_1/session.py": b"bob"}),
    },
    "one archive of folders": {
        "all.zip": zipped({"ann/lab_10_1/session.py": b"ann", "bob/lab_10_1/session.py": b"bob"})
    },
    "one archive with a folder around": {
        "all.zip": zipped({"x/ann/lab_10_1/session.py": b"ann", "x/bob/lab_10_1/session.py": b"bob"})
    },
    "one archive of archives": {
        "all.zip": zipped(
            {"ann.zip": zipped({"lab_10_1/session.py": b"ann"}), "bob.zip": zipped({"lab_10_1/session.py": b"bob"})}
        )
    },
    "mixed": {"ann/lab_10_1/session.py": b"ann", "bob.zip": zipped({"lab_10_1/session.py": b"bob"})},
}


@pytest.mark.parametrize("files", CLASSES.values(), ids=CLASSES)
def test_each_student_of_a_class_has_a_row(files: dict[str, bytes], tmp_path: Path) -> None:
    submissions = read_submissions(put(tmp_path, files))
    assert [(each.student.id, each.files["lab_10_1"]) for each in submissions] == [("ann", b"ann"), ("bob", b"bob")]


EXPORTS = {
    "Canvas": {"doeann_7_81_lab_10_1.py": b"ann", "roebob_LATE_8_80_lab_10_1.py": b"bob"},
    "Moodle": {
        "Ann Doe_7_assignsubmission_file_/lab_10_1.py": b"ann",
        "Bob Roe_8_assignsubmission_file_/lab_10_1.py": b"bob",
    },
}


@pytest.mark.parametrize("beside", [{}, {"cleo/lab_10_1/session.py": b"cleo"}], ids=["alone", "beside a folder"])
@pytest.mark.parametrize("files", EXPORTS.values(), ids=EXPORTS)
def test_an_export_is_read_from_its_archive(files: dict[str, bytes], beside: dict[str, bytes], tmp_path: Path) -> None:
    found = by_id(read_submissions(put(tmp_path, {"export.zip": zipped(files)} | beside)))
    assert {name: each.files["lab_10_1"] for name, each in found.items() if name != "cleo"} == {
        "7": b"ann",
        "8": b"bob",
    }
    assert len(found) == 2 + len(beside)


def test_platforms_get_back_what_they_call_a_student(tmp_path: Path) -> None:
    found = by_id(
        read_submissions(put(tmp_path, {"doejane_12_3_x.py": ONE, "Bob Roe_45_assignsubmission_file_/x.py": ONE}))
    )
    assert found["12"].student.platform_ids == {"ID": "12"}
    assert found["45"].student.platform_ids == {"Identifier": "Participant 45", "Full name": "Bob Roe"}
    assert (found["12"].student.name, found["45"].student.name) == ("doejane", "Bob Roe")


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("lab_10_3", "10.3"),
        ("session_10_3", "10.3"),
        ("10.3-session", "10.3"),
        ("Lab 10-3 final", "10.3"),
        ("lab_10_3-1", "10.3"),
        ("lab_10_33", None),
        ("lab_110_3", None),
        ("lab_010_3", None),
        ("lab_10_9", None),
        ("2026-10-3-session", None),
        ("session", None),
    ],
)
def test_a_name_tells_its_lab(name: str, number: str | None) -> None:
    lab = lab_named(name)
    assert (lab.number if lab else None) == number


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_what_a_file_defines_tells_its_lab(lab: Lab) -> None:
    assert lab_of_names(answer(lab.number)) is lab


def test_a_file_that_can_not_be_compiled_has_a_lab_too() -> None:
    lab = lab_of_names(answer("10.4") + b"\ndef (((\n")
    assert lab is not None
    assert lab.number == "10.4"


UNCLEAR = {
    "empty": b"",
    "other": b"print(1)\n",
    "two": answer("10.1") + answer("10.6"),
    "a little": b"def string(): pass",
}


@pytest.mark.parametrize("text", UNCLEAR.values(), ids=UNCLEAR)
def test_a_file_of_no_lab_or_of_two_is_not_guessed_at(text: bytes, tmp_path: Path) -> None:
    [submission] = read_submissions(put(tmp_path, {"jane/session.py": text}))
    assert submission.files == {}
    assert "session.py" in submission.problems[0]
    assert "lab_10_3.py" in submission.problems[0]


def test_of_a_notebook_the_last_cell_of_a_lab_counts(tmp_path: Path) -> None:
    made = notebook("%%lab 10.3\nfirst = 1", "x = '%%lab 10.3'", "\n%%lab 10.3 --tree labs\nlast = 1\n\n", "print(2)")
    [submission] = read_submissions(put(tmp_path, {"jane/lab_10_3.ipynb": made}))
    assert submission.files == {"lab_10_3": b"last = 1\n"}
    assert not submission.problems


def test_a_session_py_wins_over_a_notebook_and_the_difference_is_named(tmp_path: Path) -> None:
    [submission] = read_submissions(
        put(
            tmp_path,
            {"jane/lab_10_3.ipynb": notebook("%%lab 10.3\nx = 1"), "jane/labs/lab_10_3/session.py": b"y = 1\n"},
        )
    )
    assert submission.files == {"lab_10_3": b"y = 1\n"}
    [problem] = submission.problems
    assert "10.3" in problem
    assert "lab_10_3.ipynb" in problem


@pytest.mark.parametrize("text", [b"x = 1\n", b"x = 1\r\n\r\n"], ids=["equal", "other line ends"])
def test_a_notebook_that_says_the_same_is_no_problem(text: bytes, tmp_path: Path) -> None:
    files = {"jane/n.ipynb": notebook("%%lab 10.3\nx = 1"), "jane/labs/lab_10_3/session.py": text}
    assert not read_submissions(put(tmp_path, files))[0].problems


BAD_NOTEBOOKS = {
    "no JSON": b"{",
    "a list": b"[]",
    "no cells": b"{}",
    "cells of another kind": b'{"cells": [1]}',
    "no text": b'{"cells": [{"cell_type": "code"}]}',
    "no source": b'{"cells": [{"cell_type": "code", "source": 1}]}',
    "no UTF-8": b"\xff",
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("text", BAD_NOTEBOOKS.values(), ids=BAD_NOTEBOOKS)
def test_a_broken_notebook_is_named_and_stops_nothing(text: bytes, tmp_path: Path) -> None:
    found = by_id(read_submissions(put(tmp_path, {"jane/lab_10_3.ipynb": text, "jane/lab_10_1.py": ONE})))
    assert found["jane"].files == {"lab_10_1": ONE}
    assert "lab_10_3.ipynb" in found["jane"].problems[0]


def test_a_practice_folder_is_read_without_a_problem(tmp_path: Path) -> None:
    make_practice_folder(tmp_path / "class" / "lab-jane")
    put(tmp_path / "class" / "lab-jane", {"labs/lab_10_3/session.py": THREE, "labs/lab_10_3/session.py.1.bak": b"old"})
    [submission] = read_submissions(tmp_path / "class")
    assert set(submission.files) == {lab.folder for lab in LABS}
    assert submission.files["lab_10_3"] == THREE
    assert not submission.problems


def test_the_answers_of_a_whole_course_are_not_the_students(tmp_path: Path) -> None:
    [submission] = read_submissions(
        put(tmp_path, {"jane/solutions/lab_10_1/session.py": b"no", "jane/labs/lab_10_1/session.py": ONE})
    )
    assert submission.files == {"lab_10_1": ONE}
    assert not submission.problems


def test_labs_come_before_copies_of_them(tmp_path: Path) -> None:
    files = {"jane/labs/lab_10_1/session.py": b"right", "jane/lab_10_1/session.py": b"1", "jane/lab_10_1.py": b"2"}
    [submission] = read_submissions(put(tmp_path, files))
    assert submission.files == {"lab_10_1": b"right"}
    assert [("jane" not in problem, "left out" in problem) for problem in submission.problems] == [(True, True)] * 2


def test_tests_and_the_grader_are_no_answers(tmp_path: Path) -> None:
    names = ("test_lab_10_1.py", "tests/lab_10_1.py", "grade.py", "conftest.py", "scaffold/pristine/lab_10_1.py")
    [submission] = read_submissions(put(tmp_path, {f"jane/{name}": ONE for name in names} | {"jane/10.3.py": THREE}))
    assert submission.files == {"lab_10_3": THREE}
    assert not submission.problems

"""The list of a class is read in the forms that platforms write, and everybody on it has a row."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kit.submission_forms import by_id, put, zipped
from scaffold.classroom.roster import read_roster
from scaffold.classroom.submissions import read_submissions

CANVAS = (
    'Student,ID,SIS User ID,SIS Login ID,Section,Labs (55)\n"    Points Possible",,,,,10\n'
    '"Doe, Jane",12,s001,jdoe,A,\n"van Dyke, Ann",13,s002,avd,A,\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Grade\n"
    "Participant 45,Jane Doe,jane@x.org,\nParticipant 46,Ann van Dyke,a@x.org,\n"
)
FORMS = {
    "plain": "id,name,email\njane,Jane Doe,jane@x.org\n",
    "a mark": "\ufeffid,name,email\njane,Jane Doe,jane@x.org\n",
    "semicolons": "id;name;email\njane;Jane Doe;jane@x.org\n",
    "Excel says what separates": "sep=;\nid;name;email\njane;Jane Doe;jane@x.org\n",
    "tabs": "id\tname\temail\njane\tJane Doe\tjane@x.org\n",
    "Windows": "id,name,email\r\njane,Jane Doe,jane@x.org\r\n",
    "other headers": '"Student ID",Full_Name,"E-mail"\njane,Jane Doe,jane@x.org\n',
    "a login": "Login,Student,Email address\njane,Jane Doe,jane@x.org\n",
    "two names": "sis_id,First name,Surname,email\njane,Jane,Doe,jane@x.org\n",
    "blank lines and spaces": "\nid , name , email\n\n jane , Jane Doe , jane@x.org\n,,\n",
}


def roster(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "class.csv").write_text(text, "utf-8", newline="")
    return folder / "class.csv"


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form_of_a_roster_is_read(text: str, tmp_path: Path) -> None:
    [person] = read_roster(roster(tmp_path, text))
    assert (person.student.id, person.student.name, person.student.email) == ("jane", "Jane Doe", "jane@x.org")
    assert {"jane", "jane@x.org"} <= set(person.student.platform_ids.values())
    assert all(header.isascii() for header in person.student.platform_ids)


def test_a_roster_may_be_utf_16(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_bytes("id\tname\nžofie\tŽofie\n".encode("utf-16"))
    assert read_roster(tmp_path / "class.csv")[0].student.id == "žofie"


BAD = {
    "nothing": ("", "line 1"),
    "no id": ("name,mail\nJane,j@x.org\n", "no column for the id.*name, mail"),
    "a row without id": ("id,name\na,Ann\n,Jane\n", "line 3: Jane has no id"),
    "an id twice": ("id,name\na,Ann\nb,Bob\na,Abe\n", "line 4: the id a stands in line 2"),
    "one id in two forms": ("id\nren\u00e9\nrene\u0301\n", "line 3"),
    "an open quote": ('id,name\na,"Ann\n', "CSV"),
    "a time without zone": ("id,submitted\na,2026-05-04 12:00\n", "line 2.*zone"),
    "no time": ("id,submitted\na,yesterday\n", "line 2.*yesterday"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_in_a_roster_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_roster(roster(tmp_path, text))


def test_a_roster_that_is_no_utf_8_is_named_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_bytes(b"id,name\na,Ann\nb,Ren\xe9\n")
    with pytest.raises(ValueError, match=r"line 3.*UTF-8"):
        read_roster(tmp_path / "class.csv")


def test_everybody_on_the_roster_has_a_row_and_nobody_else_is_lost(tmp_path: Path) -> None:
    put(tmp_path, {"jane/lab_10_1.py": b"jane", "eve/lab_10_1.py": b"eve"})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "id,name\njane,Jane\nbob,Bob\n")))
    assert list(found) == ["bob", "eve", "jane"]
    assert (found["bob"].files, found["bob"].problems, found["bob"].student.name) == ({}, (), "Bob")
    assert (found["eve"].files, found["eve"].problems) == ({"lab_10_1": b"eve"}, ("not on the roster",))
    assert (found["jane"].files, found["jane"].problems) == ({"lab_10_1": b"jane"}, ())


def test_a_roster_alone_gives_rows(tmp_path: Path) -> None:
    assert list(by_id(read_submissions(tmp_path, roster(tmp_path, "id\nb\na\n")))) == ["a", "b"]


def test_a_name_that_differs_in_case_is_pointed_out_and_not_taken(tmp_path: Path) -> None:
    list_ = roster(tmp_path / "lists", "id\nJane\n")
    found = by_id(read_submissions(put(tmp_path / "class", {"jane/lab_10_1.py": b"1"}), list_))
    assert found["jane"].problems == ("not on the roster (which has Jane)",)
    assert found["Jane"].files == {}


@pytest.mark.parametrize(
    ("text", "folder", "id_"),
    [
        (CANVAS, "doejane_12_3_lab_10_1.py", "12"),
        (CANVAS, "jdoe/lab_10_1.py", "12"),
        (MOODLE, "Jane Doe_45_assignsubmission_file_/lab_10_1.py", "Participant 45"),
        (MOODLE, "jane@x.org/lab_10_1.py", "Participant 45"),
        ("identifier,github_username\njane,jd-x\nann,ann\n", "lab-jd-x/lab_10_1.py", "jane"),
    ],
    ids=["Canvas", "a login on Canvas", "Moodle", "an address on Moodle", "GitHub Classroom"],
)
def test_a_platforms_own_list_finds_its_submissions(text: str, folder: str, id_: str, tmp_path: Path) -> None:
    files = {folder: b"jane"} | ({"lab-jd-x/.git/HEAD": b""} if "jd-x" in folder else {})
    found = by_id(read_submissions(put(tmp_path, files), roster(tmp_path, text)))
    assert len(found) == 2
    assert (found[id_].files, found[id_].problems) == ({"lab_10_1": b"jane"}, ())


def test_all_columns_of_a_platform_are_kept(tmp_path: Path) -> None:
    put(tmp_path, {"doejane_12_3_lab_10_1.py": b"jane"})
    jane = by_id(read_submissions(tmp_path, roster(tmp_path, CANVAS)))["12"].student
    assert jane.name == "Doe, Jane"
    assert jane.platform_ids == {
        "Student": "Doe, Jane",
        "ID": "12",
        "SIS User ID": "s001",
        "SIS Login ID": "jdoe",
        "Section": "A",
    }


@pytest.mark.parametrize("name", ["vandykeann_9_3_lab_10_1.py", "Ann van Dyke_9_assignsubmission_file_/lab_10_1.py"])
def test_a_platforms_name_finds_the_only_person_of_that_name_and_says_so(name: str, tmp_path: Path) -> None:
    list_ = roster(tmp_path, "id,name\nann,Ann van Dyke\njane,Jane Doe\n")
    ann = by_id(read_submissions(put(tmp_path, {name: b"ann"}), list_))["ann"]
    assert ann.files == {"lab_10_1": b"ann"}
    assert "by the name" in ann.problems[0]


TWO_ANNS = {
    "two on the roster": ("id,name\na,Ann Doe\nb,Ann Doe\n", ["Ann Doe_8_assignsubmission_file_"]),
    "two in the export": ("id,name\na,Ann Doe\n", [f"Ann Doe_{number}_assignsubmission_file_" for number in (8, 9)]),
}


@pytest.mark.parametrize(("text", "folders"), TWO_ANNS.values(), ids=TWO_ANNS)
def test_a_name_that_two_people_have_finds_nobody(text: str, folders: list[str], tmp_path: Path) -> None:
    put(tmp_path, {f"{folder}/lab_10_1.py": folder.encode() for folder in folders})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, text)))
    assert len(found) == 3
    assert found["a"].files == {}


def test_a_number_that_belongs_to_another_name_is_pointed_out(tmp_path: Path) -> None:
    put(tmp_path, {"doejane_12_3_lab_10_1.py": b"1"})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "id,name\n12,Bob Roe\n")))
    assert found["12"].problems == ("Canvas calls 12 doejane, and the roster Bob Roe",)


def test_a_folder_that_is_no_clone_is_not_taken_for_another_login(tmp_path: Path) -> None:
    put(tmp_path, {"x-ann/lab_10_1.py": b"x", "lab-bob/lab_10_1.py": b"bob", "lab-bob/.git/HEAD": b""})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "id\nann\nbob\n")))
    assert {id_: each.files for id_, each in found.items()} == {
        "ann": {},
        "bob": {"lab_10_1": b"bob"},
        "x-ann": {"lab_10_1": b"x"},
    }


def test_a_name_finds_nobody_whose_work_was_found_by_number(tmp_path: Path) -> None:
    put(tmp_path, {"smithj_12_3_lab_10_1.py": b"12", "doejane_13_4_lab_10_1.py": b"13"})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "id,name\n12,Jane Doe\n")))
    assert found["12"].files == {"lab_10_1": b"12"}
    assert found["13"].files == {"lab_10_1": b"13"}
    assert found["13"].problems == ("not on the roster",)


def test_what_an_archive_says_counts_where_the_folder_has_nothing(tmp_path: Path) -> None:
    put(tmp_path, {"all.zip": zipped({f"{name}/lab_10_1.py": name.encode() for name in ("ann", "bob")})})
    (tmp_path / "ann").mkdir()
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "id\nann\nbob\n")))
    assert found["ann"].files == {"lab_10_1": b"ann"}
    assert "ann was handed in too" in found["ann"].problems[0]


def test_a_list_beside_the_submissions_is_none_whatever_its_name(tmp_path: Path) -> None:
    put(tmp_path, {"jane/lab_10_1.py": b"jane", "class_12_34_list.csv": b"id\njane\n"})
    assert list(by_id(read_submissions(tmp_path, tmp_path / "class_12_34_list.csv"))) == ["jane"]


def test_what_nobody_can_answer_for_is_told_apart_by_its_archive(tmp_path: Path) -> None:
    names = ["ann", "bob", "cleo", "dan"]
    for pair in (names[:2], names[2:]):
        files = {f"{name}/lab_10_1.py": name.encode() for name in pair} | {"x" * 11: b""}
        put(tmp_path, {f"{pair[0]}-and-co.zip": zipped(files).replace(b"x" * 11, b"../lab_10_1")})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "\n".join(["id", *names]))))
    assert list(found) == ["ann", "ann-and-co.zip", "bob", "cleo", "cleo-and-co.zip", "dan"]
    assert "no student's row" in found["ann-and-co.zip"].problems[0]


def test_logins_with_hyphens_are_told_from_the_assignments_name(tmp_path: Path) -> None:
    clones = {"lab-ann": b"ann", "lab-bob": b"bob", "lab-mary-ann": b"mary"}
    put(tmp_path, {f"{name}/lab_10_1.py": text for name, text in clones.items()})
    put(tmp_path, {f"{name}/.git/HEAD": b"" for name in clones})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "github_username\nann\nbob\n")))
    assert {id_: each.files["lab_10_1"] for id_, each in found.items()} == {
        "ann": b"ann",
        "bob": b"bob",
        "lab-mary-ann": b"mary",
    }


def test_the_roster_says_when_it_was_handed_in(tmp_path: Path) -> None:
    list_ = roster(tmp_path, "id,submitted\na,2026-05-04T23:59:00+02:00\nb,2026-05-04 21:59:00 UTC\nc,\n")
    put(tmp_path, {f"{name}/lab_10_1.py": b"x" for name in "abc"})
    times = [each.submitted for each in read_submissions(tmp_path, list_)]
    assert times == [datetime(2026, 5, 4, 21, 59, tzinfo=UTC)] * 2 + [None]


def test_folders_of_the_roster_make_an_archive_a_classs(tmp_path: Path) -> None:
    archive = zipped({f"{name}/labs/lab_10_1/session.py": name.encode() for name in ("ann", "bob")})
    put(tmp_path, {"all.zip": archive, "cleo/lab_10_1.py": b"cleo"})
    found = by_id(read_submissions(tmp_path, roster(tmp_path, "id\nann\nbob\ncleo\n")))
    assert {name: each.files for name, each in found.items()} == {
        name: {"lab_10_1": name.encode()} for name in ("ann", "bob", "cleo")
    }

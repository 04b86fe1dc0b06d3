"""A name that a platform made says whose a file is, and any other name is nobody's but its own."""

from __future__ import annotations

import pytest

from scaffold.classroom.owners import Owner, exported, name_keys, owner_of, squashed

CANVAS = {
    "doejane_12_345_lab_10_3.py": ("12", "doejane", "lab_10_3.py", 345),
    "doejane_LATE_12_345_a b (1).py": ("12", "doejane", "a b (1).py", 345),
    "doe_jane_12_345_x.py": ("12", "doe_jane", "x.py", 345),
    "příliš李_12_345_x.py": ("12", "příliš李", "x.py", 345),
    "_12_345_x.py": ("12", "", "x.py", 345),
    "doejane_12_345_6_7_x.py": ("12", "doejane", "6_7_x.py", 345),
    "anon_aB3dE_345_x.py": ("anon_aB3dE", "", "x.py", 345),
    "LATE_anon_12345_345_x.py": ("anon_12345", "", "x.py", 345),
    "doejane_12_text.html": ("12", "doejane", "", 0),
    "doejane_LATE_12_link.html": ("12", "doejane", "", 0),
}


@pytest.mark.parametrize(("name", "expected"), CANVAS.items(), ids=CANVAS)
def test_a_name_that_canvas_made_is_understood(name: str, expected: tuple[str, str, str, int]) -> None:
    said = exported(name)
    assert said is not None
    assert (said.owner.id, said.owner.name, said.original, said.order) == expected
    assert said.owner.platform == "Canvas"
    assert ("late" in said.note) == ("LATE" in name)
    assert ("not read" in said.note) == name.endswith(".html")


MOODLE = {
    "Jane Doe_45_assignsubmission_file_": ("45", "Jane Doe", ""),
    "Jane Doe_45_assignsubmission_file": ("45", "Jane Doe", ""),
    "Jane Doe_45_assignsubmission_onlinetext_": ("45", "Jane Doe", ""),
    "Jane Doe_45_assignsubmission_file_lab_10_3.py": ("45", "Jane Doe", "lab_10_3.py"),
    "Doe, Jane_45_assignsubmission_file_": ("45", "Doe, Jane", ""),
    "Participant_45_assignsubmission_file_": ("45", "", ""),
}


@pytest.mark.parametrize(("name", "expected"), MOODLE.items(), ids=MOODLE)
def test_a_name_that_moodle_made_is_understood(name: str, expected: tuple[str, str, str]) -> None:
    said = exported(name)
    assert said is not None
    assert (said.owner.id, said.owner.name, said.original) == expected
    assert said.owner.platform == "Moodle"
    assert bool(said.note) == ("onlinetext" in name)


NOBODYS = [
    "jane",
    "jane_12",
    "jane_12_x.py",
    "lab_10_3_session.py",
    "jane_10_3_session.py",
    "12_345",
    "assignsubmission",
]


@pytest.mark.parametrize("name", NOBODYS)
def test_any_other_name_is_no_platforms(name: str) -> None:
    assert exported(name) is None


@pytest.mark.parametrize(
    ("owner", "columns"),
    [
        (Owner("12", "Canvas", "doejane"), {"ID": "12"}),
        (Owner("anon_aB3dE", "Canvas"), {}),
        (Owner("45", "Moodle", "Jane Doe"), {"Identifier": "Participant 45", "Full name": "Jane Doe"}),
        (Owner("45", "Moodle"), {"Identifier": "Participant 45"}),
        (Owner("jane"), {}),
    ],
    ids=lambda value: value.id if isinstance(value, Owner) else "",
)
def test_a_platform_gets_its_own_columns_back(owner: Owner, columns: dict[str, str]) -> None:
    assert owner.platform_ids == columns


OWN = {
    "jane.zip": "jane",
    "jane.tar.gz": "jane",
    "jane.v2.zip": "jane.v2",
    "jane.py": "jane",
    "jane_lab_10_3.py": "jane",
    "jane-10.3-session.py": "jane",
    "jane session.py": "jane",
    "lab_10_3.py": "lab_10_3",
    "jane": "jane",
}


@pytest.mark.parametrize(("name", "owner"), OWN.items(), ids=OWN)
def test_a_file_belongs_to_whom_its_name_says(name: str, owner: str) -> None:
    assert owner_of(name, is_file=True) == Owner(owner)


@pytest.mark.parametrize("name", ["jane.zip", "jane_lab_10_3", "J.P. Doe"])
def test_a_folder_belongs_to_its_whole_name(name: str) -> None:
    assert owner_of(name, is_file=False) == Owner(name)


@pytest.mark.parametrize("written", ["Ann van Dyke", "van Dyke, Ann", "ANN VAN-DYKE", "ann  vAn dYke"])
@pytest.mark.parametrize("exported_as", ["vandykeann", "Ann van Dyke", "van Dyke Ann"])
def test_one_name_is_recognized_in_each_order(written: str, exported_as: str) -> None:
    assert squashed(exported_as) in name_keys(written.replace("-", " "))

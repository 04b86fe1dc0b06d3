"""The tables can be read by spreadsheets, pandas, Canvas and Moodle, and no cell of them is a formula."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kit.report_samples import (
    CHECKPOINTS,
    DIFFERENCE,
    HOSTILE,
    full_lab,
    hostile_report,
    hostile_row,
    marks,
    report,
    row,
)
from scaffold.classroom.model import ClassReport, Item, LabResult, Marks, Row, Student
from scaffold.classroom.report.canvas import canvas_csv
from scaffold.classroom.report.moodle import moodle_csv
from scaffold.classroom.report.safe import cell
from scaffold.classroom.report.tables import grades_csv
from scaffold.course import LABS

FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
WRITERS: dict[str, Callable[[ClassReport], str]] = {"grades": grades_csv, "canvas": canvas_csv, "moodle": moodle_csv}
EACH = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))


def by_name(text: str) -> list[dict[str, str]]:
    head, *rest = read(text)
    return [dict(zip(head, each, strict=True)) for each in rest]


@EACH
def test_each_row_has_as_many_cells_as_the_heading_and_one_line(write: Callable[[ClassReport], str]) -> None:
    text = write(hostile_report())

    rows = read(text)
    assert {len(each) for each in rows} == {len(rows[0])}
    assert text.count("\n") == len(rows)
    assert "\r" not in text


@EACH
def test_no_cell_is_a_formula(write: Callable[[ClassReport], str]) -> None:
    cells = [each for one in read(write(hostile_report())) for each in one]
    assert [each for each in cells if FORMULA.match(each) and each != "-"] == []


@EACH
@pytest.mark.parametrize("separator", [",", ";"])
def test_a_spreadsheet_with_another_separator_finds_no_formula(
    write: Callable[[ClassReport], str], separator: str
) -> None:
    rows = csv.reader(io.StringIO(write(hostile_report()), newline=""), delimiter=separator)
    assert [each for one in rows for each in one if re.match(r"\s*[=+@]|\s*-.", each)] == []


@EACH
def test_an_empty_class_has_a_heading(write: Callable[[ClassReport], str]) -> None:
    assert len(read(write(report()))) in {1, 2}


def test_what_went_into_grades_comes_back() -> None:
    rows = by_name(grades_csv(hostile_report()))
    assert [each["id"] for each in rows] == [cell(text) for text in HOSTILE.values()]
    assert [each["name"] for each in rows] == [cell(text) for text in HOSTILE.values()]


def test_grades_begin_with_a_byte_order_mark_and_platforms_get_none() -> None:
    assert grades_csv(report()).startswith("\ufeffid,name,email,status,points,maximum,")
    assert canvas_csv(report()).startswith("Student,")
    assert moodle_csv(report()).startswith("Identifier,")


def test_grades_have_a_column_for_each_item_of_the_labs_that_were_graded() -> None:
    labs = [full_lab(lab) for lab in LABS]
    head = read(grades_csv(report(row("ada", labs=labs))))[0]

    items = [
        f"{lab.number} {name[5:].replace('_', ' ')}" for lab in LABS for name in lab.required_tests + lab.bonus_tests
    ]
    assert head[-len(items) :] == items
    assert len(set(head)) == len(head)


def test_an_item_is_one_or_zero_or_was_not_run() -> None:
    [first, second] = CHECKPOINTS[0][1], CHECKPOINTS[1][1]
    items = [
        Item(first, "checkpoint", "passed", "passed"),
        Item(second, "checkpoint", "passed", "failed"),
        Item("test_a_long_chain_needs_no_recursion", "python", "passed", "not run"),
    ]
    [only] = by_name(grades_csv(report(row("ada", labs=[LabResult("10.1", "graded", "", items)]))))

    assert only["10.1 path is the chain of the chosen leaf"] == "1"
    assert only["10.1 ids are unique and entries are copied"] == "0"
    assert only["10.1 a long chain needs no recursion"] == ""
    assert only["10.1 what must be read is checked"] == ""
    assert only["to_look_at"] == "1"


def test_a_row_of_grades_says_how_the_points_came_about() -> None:
    late = Row(
        Student("ada"), "graded", Marks(20, 4, 16.125, 23, "late"), submitted=datetime(2026, 5, 1, 12, tzinfo=UTC)
    )
    [only] = by_name(grades_csv(report(late)))

    facts = ("points", "maximum", "earned", "penalty", "note", "submitted")
    assert [only[name] for name in facts] == ["16.12", "23", "20", "4", "late", "2026-05-01T12:00:00+00:00"]


POINTS = {
    "none": (0.0, 23.0, "0"),
    "all": (23.0, 23.0, "23"),
    "too many": (99.0, 23.0, "23"),
    "less than none": (-5.0, 23.0, "0"),
    "a negative zero": (-0.0, 23.0, "0"),
    "next to nothing": (0.001, 23.0, "0"),
    "a third": (1 / 3, 23.0, "0.33"),
    "tens": (10.0, 100.0, "10"),
    "all of an odd maximum": (1 / 3, 1 / 3, "0.33"),
}


@EACH
@pytest.mark.parametrize(("points", "maximum", "written"), POINTS.values(), ids=POINTS)
def test_points_stay_within_their_limits(
    write: Callable[[ClassReport], str], points: float, maximum: float, written: str
) -> None:
    only = by_name(write(report(Row(Student("ada"), "graded", marks(points, maximum)))))[-1]
    assert next(only[name] for name in ("points", "Chapter 10", "Grade") if name in only) == written


def test_next_to_nothing_is_written_without_a_sign() -> None:
    [only] = by_name(grades_csv(report(Row(Student("ada"), "graded", Marks(1, -0.001, 1, 23)))))
    assert only["penalty"] == "0"


@EACH
@pytest.mark.parametrize("points", [float("nan"), float("inf"), float("-inf")])
def test_points_that_are_no_number_are_refused(write: Callable[[ClassReport], str], points: float) -> None:
    with pytest.raises(ValueError, match=r"marks\.earned is .* finite"):
        write(report(Row(Student("ada"), "graded", marks(points))))


def student(name: str = "Ada", student_id: str = "ada", **platform_ids: str) -> Row:
    ids = {key.replace("_", " "): value for key, value in platform_ids.items()}
    return Row(Student(student_id, name, "ada@example.org", ids), "graded", marks(12))


def test_canvas_gets_its_columns_and_the_points_possible() -> None:
    head, points, ada = read(canvas_csv(report(student(ID="77", SIS_User_ID="u1", SIS_Login_ID="al", Section="A"))))

    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Chapter 10"]
    assert points == ["    Points Possible", "", "", "", "", "23"]
    assert ada == ["Ada", "77", "u1", "al", "A", "12"]


CANVAS_IDS = {
    "nothing known": ({}, ["", "", "ada"]),
    "its own number": ({"id": "77"}, ["77", "", ""]),
    "another spelling": ({"sis_login_id": "al"}, ["", "", "al"]),
    "what begins like a number": ({"ID": "77 x"}, ["", "", "ada"]),
    "digits of another script": ({"ID": "\u0667\u0667"}, ["", "", "ada"]),
}


@pytest.mark.parametrize(("platform_ids", "written"), CANVAS_IDS.values(), ids=CANVAS_IDS)
def test_canvas_finds_the_student_by_an_id(platform_ids: dict[str, str], written: list[str]) -> None:
    ada = Row(Student("ada", "Ada", "", platform_ids), "graded", marks(12))
    assert read(canvas_csv(report(ada)))[2][1:4] == written


def test_canvas_takes_nobody_for_another_by_the_name() -> None:
    rows = read(canvas_csv(report(student("Ada", "a1"), student("Ada", "a2"), student("Ada", "a3", ID="7"))))
    assert [each[0] for each in rows[2:]] == ["Ada (a1)", "Ada (a2)", "Ada"]


def test_canvas_takes_no_student_for_the_row_of_points() -> None:
    rows = read(canvas_csv(report(student("Points Possible"))))
    assert [each[0] for each in rows if "Points Possible" in each[0]] == ["    Points Possible"]


@pytest.mark.parametrize("title", ["Final Grade", "My Current Score", "Override Status (Fall)"])
def test_a_title_that_canvas_ignores_is_refused(title: str) -> None:
    with pytest.raises(ValueError, match="Canvas ignores"):
        canvas_csv(report(title=title))


@pytest.mark.parametrize(("points", "written"), [(0, ""), (5, "5")], ids=["no points", "points by hand"])
def test_a_grader_error_is_no_mark_unless_somebody_gave_one(points: float, written: str) -> None:
    failed = report(row("ada", "grader error", points))
    assert read(canvas_csv(failed))[2][-1] == written
    assert by_name(moodle_csv(failed))[0]["Grade"] == written


def test_moodle_gets_the_columns_of_its_worksheet() -> None:
    ids = {"Identifier": "1234567", "ID number": "m-1"}
    [only] = by_name(moodle_csv(report(Row(Student("al", "Ada", "ada@example.org", ids), "graded", marks(12)))))

    assert only.pop("Feedback comments") == "graded: it was run to its end"
    assert only == {
        "Identifier": "Participant 1234567",
        "Full name": "Ada",
        "ID number": "m-1",
        "Username": "al",
        "Email address": "ada@example.org",
        "Status": "graded",
        "Grade": "12",
        "Maximum Grade": "23",
        "Last modified (grade)": "-",
    }


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_feedback_for_moodle_is_html_without_foreign_tags(text: str) -> None:
    [only] = by_name(moodle_csv(report(hostile_row(text))))

    comments = only["Feedback comments"]
    assert set(re.findall("<[^>]*>", comments)) <= {"<br>"}
    assert "10.1 timed out, 0 of 3" in html.unescape(comments)
    assert DIFFERENCE not in comments


def test_moodle_takes_no_number_of_a_participant_for_a_login() -> None:
    unknown = Row(Student("123", "Ada", "", {"Identifier": "Participant 123"}), "graded", marks(12))
    [only] = by_name(moodle_csv(report(unknown)))
    assert (only["Identifier"], only["Username"]) == ("Participant 123", "")


def test_moodle_reads_no_quote_after_a_backslash() -> None:
    assert "\\" not in moodle_csv(hostile_report())


def test_a_status_is_the_same_word_in_every_table() -> None:
    late = replace(row("ada", "timed out"))
    assert (
        by_name(grades_csv(report(late)))[0]["status"] == by_name(moodle_csv(report(late)))[0]["Status"] == "timed out"
    )

"""`moodle.csv`, for an assignment's grading worksheet, and for the CSV import of the whole gradebook.

The worksheet's import wants the columns `Identifier` (`Participant 123`), `Grade` and `Last modified (grade)`, as they
are called where Moodle speaks English, and takes `Feedback comments` along. The gradebook's import asks which column
names the student: email address, ID number or username. Both leave a student with an empty grade alone. Where a mark
was given before, the worksheet's import needs its box about records that were modified in Moodle since.
"""

from __future__ import annotations

import html

from scaffold.classroom.model import ClassReport, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import NAME, cell, joined
from scaffold.classroom.report.tables import as_csv

_COLUMNS = (
    "Identifier",
    "Full name",
    "ID number",
    "Username",
    "Email address",
    "Status",
    "Grade",
    "Maximum Grade",
    "Last modified (grade)",
    "Feedback comments",
)
_FEEDBACK = 10_000  # characters
_NEVER = "-"  # what Moodle itself writes for a mark that was never given


def moodle_csv(report: ClassReport) -> str:
    """Return the table."""
    return as_csv([_COLUMNS, *(_row(row) for row in report.rows)])


def _row(row: Row) -> list[str]:
    student = row.student
    points = words.points_of(row.marks)
    participant = _participant(words.platform_id(student, "Identifier", "Participant", "Participant ID"))
    login = "" if participant == _participant(student.id) else student.id  # a participant's number is nobody's login
    return [
        _cell(participant),
        _cell(words.name_of(student)),
        _cell(words.platform_id(student, "ID number")),
        _cell(words.platform_id(student, "Username") or login),
        _cell(student.email or words.platform_id(student, "Email address")),
        row.status,
        "" if row.status == "grader error" and not points else words.number(points),
        words.number(row.marks.maximum),
        _NEVER,
        _cell(_feedback(row), _FEEDBACK),
    ]


def _cell(text: str, limit: int = NAME) -> str:
    """Return a cell that PHP reads as it was meant: for PHP, a quote after a backslash does not end the cell."""
    return cell(text, limit).replace("\\", "\N{REVERSE SOLIDUS OPERATOR}")


def _participant(identifier: str) -> str:
    """Return an identifier as Moodle writes it."""
    return f"Participant {identifier}" if identifier.isascii() and identifier.isdecimal() else identifier


def _feedback(row: Row) -> str:
    """Return the feedback as HTML, which is what Moodle takes it for."""
    marks = row.marks
    lines = [f"{row.status}: {words.ABOUT[row.status]}"]
    if marks.note:
        lines.append(joined(marks.note))
    for lab in row.labs:
        right = sum(item.counts for item in lab.items)
        reason = f": {joined(lab.reason)}" if lab.reason else ""
        lines.append(f"{joined(lab.lab)} {lab.status}, {right} of {len(lab.items)}{reason}")
    return "<br>".join(html.escape(each) for each in lines)

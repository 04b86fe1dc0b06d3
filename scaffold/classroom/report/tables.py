"""`grades.csv`, for spreadsheets and pandas: one row a student, one column an item. And how all CSVs are written.

It begins with a byte order mark: without one, Excel takes UTF-8 for the system's old encoding and spoils the names.
LibreOffice and pandas skip it (Python's csv needs `encoding="utf-8-sig"`). The files for platforms have none.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from scaffold.classroom.model import ClassReport, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import LINE, cell

BYTE_ORDER_MARK = "\ufeff"
_OF_THE_STUDENT = ("id", "name", "email")
_OF_THE_ROW = ("status", "points", "maximum", "earned", "penalty", "note", "submitted", "to_look_at", "problems")


def as_csv(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV, with commas, and quotes where they are needed. Cells must be safe already."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def grades_csv(report: ClassReport) -> str:
    """Return the table. An item that counts is 1, one that does not is 0, and one that was not run is empty."""
    columns = words.columns_of(report)
    titles = [cell(f"{lab} {words.item_title(name)}", LINE) for lab, name in columns]
    head = [*_OF_THE_STUDENT, *_OF_THE_ROW, *titles]
    return BYTE_ORDER_MARK + as_csv([head, *(_row(row, columns) for row in report.rows)])


def _row(row: Row, columns: Sequence[tuple[str, str]]) -> list[str]:
    items = words.items_of(row)
    marks = row.marks
    results = {"right": "1", "wrong": "0", "not run": ""}
    return [
        cell(row.student.id),
        cell(row.student.name),
        cell(row.student.email),
        row.status,
        words.number(words.points_of(marks)),
        *(words.number(value) for value in (marks.maximum, marks.earned, marks.penalty)),
        cell(marks.note, LINE),
        row.submitted.isoformat(timespec="seconds") if row.submitted else "",
        str(words.to_look_at(row)),
        str(len(row.problems)),
        *(results[words.judgement(items[column])] if column in items else "" for column in columns),
    ]

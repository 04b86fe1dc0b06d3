"""`canvas.csv`, for the import of Canvas's gradebook.

Canvas finds a student by `ID`, which is its own number; else by `SIS User ID` or `SIS Login ID`; else by the name. It
finds the assignment by the heading. An empty cell takes a mark away, so only a row that the grader failed on has one.
"""

from __future__ import annotations

import re
from collections import Counter

from scaffold.classroom.model import ClassReport, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import cell
from scaffold.classroom.report.tables import as_csv

_STUDENT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS = "Points Possible"  # a row whose first cell holds these words says how many points there are
_IGNORED = re.compile("(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")


def canvas_csv(report: ClassReport) -> str:
    """Return the table. Raises ValueError if Canvas would take the report's title for a column of its own."""
    title = cell(report.title)
    if found := _IGNORED.search(title):
        raise ValueError(f"Canvas ignores a heading with {found[0]!r} in it: choose another title than {title!r}")
    points = [f"    {_POINTS}", "", "", "", "", words.number(words.maximum_of(report))]
    names = Counter(words.name_of(row.student) for row in report.rows)
    rows = [_row(row, shared=names[words.name_of(row.student)] > 1) for row in report.rows]
    return as_csv([[*_STUDENT, title], points, *rows])


def _row(row: Row, *, shared: bool) -> list[str]:
    """Return a student's row. Of a name that is shared, Canvas would take the first that it finds."""
    student = row.student
    own = words.platform_id(student, "ID", "Canvas ID", "Canvas User ID")
    number = own if own.isascii() and own.isdecimal() else ""  # Canvas reads `12 or so` as 12, who is somebody else
    user, login = (words.platform_id(student, name) for name in ("SIS User ID", "SIS Login ID"))
    if not (number or user or login):
        login = student.id
    name = words.name_of(student) if not shared or number else f"{words.name_of(student)} ({student.id})"
    points = words.points_of(row.marks)
    return [
        cell(name).replace(_POINTS, _POINTS.replace(" ", "-")),
        number,
        cell(user),
        cell(login),
        cell(words.platform_id(student, "Section")),
        "" if row.status == "grader error" and not points else words.number(points),
    ]

"""`index.html`: the whole class in one page, which loads nothing from anywhere. It is for the instructor alone.

The table of students stands in the page as it is; the details of a student are kept as JSON, in which equal texts stand
once, and are drawn when they are asked for. So a thousand students are a page of a few megabytes.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from scaffold.classroom.model import STATUSES, ClassReport, Item, LabResult, Row
from scaffold.classroom.report import charts, words
from scaffold.classroom.report.safe import DIFFERENCE, LINE, NAME, joined, line, paragraph, stem
from scaffold.classroom.report.similar import PAIRS
from scaffold.classroom.report.standalone import render

_MANY = 50  # flags or problems of one student that are shown
_WITNESSES = {"passed": 1, "failed": 0, "not run": -1}


def page(report: ClassReport) -> str:
    """Return the page."""
    labs = sorted({lab.lab for row in report.rows for lab in row.labs}, key=words.in_order)
    return render(
        "page.html.j2",
        styles=("page.css", "table.css", "student.css"),
        scripts=("table.js", "page.js"),
        title=line(report.title, NAME),
        seed=line(report.seed, NAME),
        sandbox=joined(report.sandbox) or "none",
        unsandboxed=words.unsandboxed(report),
        summary=charts.summary(report),
        bars=charts.distribution(report),
        rates=[(lab, list(group)) for lab, group in groupby(charts.rates(report), key=lambda rate: rate.lab)],
        similar=report.similar,
        statuses=_statuses(report),
        labs=[line(lab, NAME) for lab in labs],
        rows=[_table_row(row, labs) for row in report.rows],
        details=_Details().of(report),
    )


def _statuses(report: ClassReport) -> list[tuple[str, int]]:
    """Return each status that somebody has, and how many have it."""
    counts = [(status, sum(row.status == status for row in report.rows)) for status in STATUSES]
    return [(status, count) for status, count in counts if count]


def _table_row(row: Row, labs: list[str]) -> dict[str, Any]:
    results = {lab.lab: lab for lab in row.labs}
    return {
        "stem": stem(row.student.id),
        "name": line(words.name_of(row.student), NAME),
        "id": line(row.student.id, NAME),
        "status": row.status,
        "points": words.number(words.points_of(row.marks)),
        "maximum": words.number(row.marks.maximum),
        "labs": [_tally(results.get(lab)) for lab in labs],
        "to_look_at": words.to_look_at(row),
        "problems": len(row.problems),
    }


def _tally(lab: LabResult | None) -> dict[str, Any]:
    """Return how many items of a lab count, and of how many."""
    items = lab.items if lab else ()
    right = sum(item.counts for item in items)
    return {"right": right, "of": len(items), "status": lab.status if lab else "missing"}


class _Details:
    """The details of all students, for JSON. A text stands there by its place in a list, and so does an item."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {"": 0}
        self._items: dict[tuple[str, str], int] = {}
        self._alike: set[str | None] = set()  # who is on the page of similar submissions

    def of(self, report: ClassReport) -> dict[str, Any]:
        self._alike = {side for pair in report.similar.pairs[:PAIRS] for side in (pair.first, pair.second)}
        students = {stem(row.student.id): self._student(row) for row in report.rows}
        items = [[words.item_title(name), kind] for name, kind in self._items]
        return {"students": students, "items": items, "texts": list(self._texts), "about": words.ABOUT}

    def _student(self, row: Row) -> dict[str, Any]:
        marks = row.marks
        return {
            "name": line(words.name_of(row.student), NAME),
            "id": line(row.student.id, NAME),
            "email": line(row.student.email, NAME),
            "status": row.status,
            "points": words.number(words.points_of(marks)),
            "maximum": words.number(marks.maximum),
            "earned": words.number(marks.earned),
            "penalty": words.number(marks.penalty),
            "note": joined(marks.note),
            "origin": line(row.origin, LINE),
            "submitted": row.submitted.isoformat(" ", "seconds") if row.submitted else "",
            "digest": line(row.digest, NAME),
            "flags": _cut([joined(flag) for flag in row.flags]),
            "problems": _cut([joined(problem) for problem in row.problems]),
            "alike": row.student.id in self._alike,
            "labs": [self._lab(lab) for lab in row.labs],
        }

    def _lab(self, lab: LabResult) -> list[Any]:
        items = [self._item(item) for item in lab.items]
        return [line(lab.lab, NAME), lab.status, self._text(joined(lab.reason)), items]

    def _item(self, item: Item) -> list[int]:
        number = self._items.setdefault((item.name, item.kind), len(self._items))
        found = [number, _WITNESSES[item.tests], _WITNESSES[item.exam]]
        if item.counts:
            return found
        return [*found, self._text(paragraph(item.message)), self._text(paragraph(item.difference, DIFFERENCE))]

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


def _cut(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MANY else [*lines[:_MANY], f"… and {len(lines) - _MANY:,} more"]

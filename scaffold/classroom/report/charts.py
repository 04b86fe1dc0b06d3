"""What the page draws: how the points are spread, and how often each checkpoint is right. Numbers only, no markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from scaffold.classroom.model import ClassReport, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import NAME, line

_BARS = 10


@dataclass(frozen=True)
class Bar:
    """One tenth of the points: how many students have that many, and how high its bar is, from 0 to 1."""

    label: str
    students: int
    height: float


@dataclass(frozen=True)
class Rate:
    """How many of those who handed something in have a checkpoint right."""

    lab: str
    name: str
    right: int
    students: int

    @property
    def share(self) -> float:
        return self.right / self.students if self.students else 0.0


@dataclass(frozen=True)
class Summary:
    """The class in a few numbers. Mean and median are of those who handed something in."""

    students: int
    handed_in: int
    mean: str
    median: str
    maximum: str
    full: int
    to_look_at: int


def handed_in(report: ClassReport) -> list[Row]:
    """Return the rows of those who handed something in."""
    return [row for row in report.rows if row.status != "missing"]


def summary(report: ClassReport) -> Summary:
    """Return the class in a few numbers."""
    rows = handed_in(report)
    points = [words.points_of(row.marks) for row in rows]
    return Summary(
        students=len(report.rows),
        handed_in=len(rows),
        mean=words.number(fmean(points)) if points else "-",
        median=words.number(median(points)) if points else "-",
        maximum=words.number(words.maximum_of(report)),
        full=sum(_share(row) == 1 for row in rows),
        to_look_at=sum(words.to_look_at(row) > 0 for row in report.rows),
    )


def distribution(report: ClassReport) -> Sequence[Bar]:
    """Return the tenths of the points, from the lowest. All points belong to the last."""
    counts = [0] * _BARS
    for row in handed_in(report):
        tenths = round(_share(row) * _BARS, 9)  # 2.3 of 23 is a tenth, and a float just below it
        counts[min(int(tenths), _BARS - 1)] += 1
    most = max(counts) or 1
    step = 100 // _BARS
    return [Bar(f"{place * step}-{(place + 1) * step} %", count, count / most) for place, count in enumerate(counts)]


def rates(report: ClassReport) -> Sequence[Rate]:
    """Return the checkpoints, in the order of the course."""
    rows = [words.items_of(row) for row in handed_in(report)]
    return [
        Rate(
            line(lab, NAME),
            words.item_title(name),
            sum((lab, name) in items and items[lab, name].counts for items in rows),
            len(rows),
        )
        for lab, name in report.checkpoints
    ]


def _share(row: Row) -> float:
    """Return the share of the points that a student has, from 0 to 1."""
    return words.points_of(row.marks) / row.marks.maximum if row.marks.maximum > 0 else 0.0

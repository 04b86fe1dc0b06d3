"""What class grading speaks of: submissions, what came of them, and rows. Plain values, which every part may import.

A submission is what one student handed in. An item is one test function of a lab: a checkpoint of the chapter, a test
that Python adds, or a bonus. Two witnesses look at it: the lab's own *tests*, and the *exam*, whose answers never come
near the submission. An item counts when both agree that it is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Status = Literal[
    "graded",  # it was run to its end: every item has its result, right or wrong
    "partial",  # some of it was run to its end, and some was not
    "not attempted",  # the stub, unchanged
    "missing",  # nothing was handed in
    "not loadable",
    "crashed",
    "exited",
    "timed out",
    "memory",
    "tampered",  # what it reported can't come from an honest run
    "grader error",  # no fault of the student's
]
STATUSES: tuple[Status, ...] = Status.__args__  # type: ignore[attr-defined]

ItemKind = Literal["checkpoint", "python", "bonus"]
Witness = Literal["passed", "failed", "not run"]


@dataclass(frozen=True)
class Student:
    """Whoever a row is about. `id` is unique in a class: the platform's login or number, or else the folder's name."""

    id: str
    name: str = ""
    email: str = ""
    platform_ids: Mapping[str, str] = field(default_factory=dict)  # columns that a platform wants back, by their names


@dataclass(frozen=True)
class Submission:
    """What one student handed in: the text of a `session.py` for each lab's folder, such as `lab_10_1`.

    `problems` says, for the instructor, what was left out and why. `origin` is where it was found, below the folder of
    all submissions. `submitted` has a time zone.
    """

    student: Student
    files: Mapping[str, bytes]
    origin: str = ""
    submitted: datetime | None = None
    problems: Sequence[str] = ()


@dataclass(frozen=True)
class Item:
    """What came of one item.

    `message` is what the failed test says, for the student. `difference` is the first operation of the exam on which
    the submission and the reference differ, for the instructor alone.
    """

    name: str
    kind: ItemKind
    tests: Witness
    exam: Witness
    message: str = ""
    difference: str = ""

    @property
    def counts(self) -> bool:
        return self.tests == self.exam == "passed"

    @property
    def disagrees(self) -> bool:
        """Whether one witness calls it right, and the other wrong."""
        return {self.tests, self.exam} == {"passed", "failed"}


@dataclass(frozen=True)
class LabResult:
    """What came of one lab. `reason` is one line, empty for a lab that was run to its end."""

    lab: str  # its number, such as 10.1
    status: Status
    reason: str = ""
    items: Sequence[Item] = ()


@dataclass(frozen=True)
class Marks:
    """Points, of which `points` is what counts in the end: never less than 0, and never more than `maximum`."""

    earned: float  # for the items that count
    penalty: float  # for being late
    points: float  # after penalty, override and limits
    maximum: float
    note: str = ""  # such as "2 days late: -20 %", or the reason of an override


@dataclass(frozen=True)
class Row:
    """The one row of a student in the gradebook."""

    student: Student
    status: Status
    marks: Marks
    labs: Sequence[LabResult] = ()
    origin: str = ""
    submitted: datetime | None = None
    problems: Sequence[str] = ()
    flags: Sequence[str] = ()  # what the instructor should look at
    digest: str = ""  # of the files; the same digest is not run again


@dataclass(frozen=True)
class ClassReport:
    """All rows of a class, ordered by student id, and how they came about."""

    title: str
    rows: Sequence[Row]
    seed: str  # of the exam
    sandbox: str  # what it was made of, in words; a run without one says so for ever
    checkpoints: Sequence[tuple[str, str]]  # lab number and item name, in the order of the course

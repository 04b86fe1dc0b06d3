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


Lines = tuple[int, int]  # the first and the last, counted from 1


@dataclass(frozen=True)
class Passage:
    """Lines of two submissions that say the same."""

    first_lines: Lines
    second_lines: Lines

    @property
    def length(self) -> int:
        """How many lines it has, in the text in which it has more."""
        return 1 + max(last - first for first, last in (self.first_lines, self.second_lines))


@dataclass(frozen=True)
class Pair:
    """Two submissions of a lab, or one and the reference: then `second` is None, for any text can be a student's id.

    A share is of the fingerprints of one that the other has too, from 0 to 1.
    """

    first: str  # a student's id
    second: str | None
    lab: str  # its number, such as 10.1
    share_of_first: float
    share_of_second: float
    passages: Sequence[Passage] = ()

    @property
    def longest(self) -> Passage | None:
        """The passage with the most lines, and of equal ones the first."""
        return max(self.passages, key=lambda passage: passage.length, default=None)


@dataclass(frozen=True)
class Similarity:
    """Which submissions are alike, the most similar first. It says where to look, and is never a mark.

    `pairs` are all those with at least the share `at_least` on one side, unless there were too many: `found` of them.
    `texts` has what was compared, by student id and lab; that of the reference, by None and lab.
    """

    pairs: Sequence[Pair] = ()
    found: int = 0
    at_least: float = 0.0
    texts: Mapping[tuple[str | None, str], str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClassReport:
    """All rows of a class, ordered by student id, and how they came about."""

    title: str
    rows: Sequence[Row]
    seed: str  # of the exam
    sandbox: str  # what it was made of, in words; a run without one says so for ever
    checkpoints: Sequence[tuple[str, str]]  # lab number and item name, in the order of the course
    similar: Similarity = Similarity()

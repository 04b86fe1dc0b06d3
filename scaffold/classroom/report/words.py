"""The words and numbers that all reports share. A status is always written as `model.Status` has it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Literal

from scaffold.classroom.model import ClassReport, Item, Marks, Row, Student
from scaffold.classroom.report import safe
from scaffold.course import LABS

Judgement = Literal["right", "wrong", "not run"]

ABOUT: dict[str, str] = {
    "graded": "it was run to its end",
    "partial": "some of it was run to its end, and some was not",
    "not attempted": "it is the stub, unchanged",
    "missing": "nothing was handed in",
    "not loadable": "Python can't import it",
    "crashed": "it ended Python itself",
    "exited": "it ended the process before the tests were done",
    "timed out": "it did not come to an end in time",
    "memory": "it used more memory than a run may have",
    "tampered": "what it reported can't come from an honest run",
    "grader error": "the grader failed; this is no fault of the student's",
}
_WITHOUT = re.compile(r"\W*(?:$|no\b|none\b|not\b|without\b|off\b|unsandboxed\b|disabled\b)", re.IGNORECASE)


def unsandboxed(report: ClassReport) -> bool:
    """Tell whether the class was graded without a sandbox: `sandbox` is empty, or begins with no, none or without."""
    return _WITHOUT.match(report.sandbox) is not None


def judgement(item: Item) -> Judgement:
    """Say in a word what came of an item."""
    if item.counts:
        return "right"
    return "wrong" if "failed" in {item.tests, item.exam} else "not run"


def explained(item: Item) -> str:
    """Say in words for the student what came of an item, without what the exam asked."""
    match item.tests, item.exam:
        case "passed", "passed":
            return "right"
        case "passed", "failed":
            return "wrong: it passes the lab's tests, but not the exam, which tries the same rule on other data"
        case "passed", _:
            return "not run to its end: it passes the lab's tests, but the exam did not get that far"
        case "failed", _:
            return "wrong: the lab's tests find a mistake"
        case _, "failed":
            return "wrong: the lab's tests did not get that far, and the exam finds a mistake"
        case _:
            return "not run: the run ended before"


def item_title(name: str) -> str:
    """Return the name of a test function as words."""
    return safe.line(name.removeprefix("test_").replace("_", " "), safe.NAME)


def points_of(marks: Marks) -> float:
    """Return the points, within 0 and the maximum. Raises ValueError for what is no number."""
    for name in ("earned", "penalty", "points", "maximum"):
        if not math.isfinite(getattr(marks, name)):
            raise ValueError(f"marks.{name} is {getattr(marks, name)}, and must be a finite number")
    return max(0.0, min(marks.points, marks.maximum))


def number(value: float) -> str:
    """Return a number with at most two decimals, which is what platforms keep."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # adding 0.0 makes 0 of -0


def maximum_of(report: ClassReport) -> float:
    """Return the points that can be had in this class."""
    return max((row.marks.maximum for row in report.rows), default=0.0)


def in_order(lab: str) -> tuple[list[int], str]:
    """Return what lab numbers are sorted by: 10.2 comes before 10.10."""
    return [int(part) for part in lab.split(".") if part.isdecimal()], lab


def name_of(student: Student) -> str:
    """Return what a student is called: by the id, if there is no name."""
    return student.name.strip() or student.id.strip() or "(no name)"


def platform_id(student: Student, *names: str) -> str:
    """Return the first of these platform columns that the student has, or nothing. Case and spaces don't count."""
    have = {_plain(name): value for name, value in student.platform_ids.items()}
    return next((have[_plain(name)] for name in names if have.get(_plain(name))), "")


def columns_of(report: ClassReport) -> list[tuple[str, str]]:
    """Return lab number and item name of each item of the class, in the order of the course.

    They are those of the course's register for each lab that was graded, so that they don't depend on what was handed
    in; and any others after them.
    """
    seen = dict.fromkeys(report.checkpoints)
    seen |= dict.fromkeys((lab.lab, item.name) for row in report.rows for lab in row.labs for item in lab.items)
    numbers = {number for number, _ in seen} | {lab.lab for row in report.rows for lab in row.labs}
    listed = [
        (lab.number, name)
        for lab in LABS
        if lab.number in numbers
        for name in (*lab.checkpoints, *lab.python_tests, *lab.bonus_tests)
    ]
    return list(dict.fromkeys([*listed, *seen]))


def items_of(row: Row) -> dict[tuple[str, str], Item]:
    """Return the row's items by lab number and name."""
    return {(lab.lab, item.name): item for lab in row.labs for item in lab.items}


def worth_of(worth: Mapping[tuple[str, str], float] | None, lab: str, item: Item) -> float:
    """Return the points that an item is worth: one, where nobody says otherwise."""
    return 1.0 if worth is None else worth.get((lab, item.name), 0.0)


def to_look_at(row: Row) -> int:
    """Count what the instructor should look at: flags, and items on which the witnesses disagree."""
    return len(row.flags) + sum(item.disagrees for item in items_of(row).values())


def _plain(text: str) -> str:
    return re.sub(r"[\s_]+", "", text).casefold()

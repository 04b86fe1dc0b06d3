"""GitHub Classroom: a student's result as its reporter reads it, and a workflow for practice repositories.

The reporter (`autograding-grading-reporter`) adds up the scores of a result's tests, so they add up to the points here:
what lateness, weights and overrides change is one more line. It prints messages into the log of a job, where a line
that begins with `::` is a command.

The workflow reports a student's *own* run, by the same two notices as the reporter. It is feedback, and no mark: who
owns a repository can change what it says.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scaffold.classroom.model import Item, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.gradescope import as_json
from scaffold.classroom.report.safe import NAME, joined, line

_WORKFLOW = Path(__file__).with_name("classroom.yml")


def classroom_result(row: Row, worth: Mapping[tuple[str, str], float] | None = None) -> dict[str, Any]:
    """Return one student's result, for JSON. `worth` has the points for each lab number and item name."""
    points = float(words.number(words.points_of(row.marks)))
    tests = [_test(lab.lab, item, worth) for lab in row.labs for item in lab.items]
    if change := float(words.number(points - sum(test["score"] for test in tests))):
        note = _logged(row.marks.note) or f"{row.status}: {words.ABOUT[row.status]}"
        tests.append(_line("weights, lateness and overrides", "pass", note, change))
    whole = points >= float(words.number(row.marks.maximum))
    status = "error" if row.status == "grader error" else "pass" if whole and row.labs else "fail"
    return {
        "version": 1,
        "status": status,
        "max_score": float(words.number(row.marks.maximum)),
        "tests": tests,
    }


def encoded(result: Mapping[str, Any]) -> str:
    """Return a result as the reporter takes it from an environment variable: JSON in base64."""
    return base64.b64encode(as_json(result).encode("utf-8")).decode("ascii")


def workflow() -> str:
    """Return the text of `.github/workflows/classroom.yml` for a repository made from a practice folder."""
    return _WORKFLOW.read_text("utf-8")


def _test(lab: str, item: Item, worth: Mapping[tuple[str, str], float] | None) -> dict[str, Any]:
    points = float(words.number(words.worth_of(worth, lab, item)))
    said = [words.explained(item), "" if item.counts else _logged(item.message)]
    name = _logged(f"{line(lab, NAME)} {words.item_title(item.name)}")
    return _line(name, "pass" if item.counts else "fail", ". ".join(filter(None, said)), points if item.counts else 0.0)


def _line(name: str, status: str, message: str, score: float) -> dict[str, Any]:
    return {"name": name, "status": status, "message": message, "test_code": "", "score": score}


def _logged(text: str) -> str:
    """Return a text in which the log of a job finds no command."""
    return joined(text).replace("::", ": :").replace("##[", "# #[")

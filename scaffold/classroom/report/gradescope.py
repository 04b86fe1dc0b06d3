"""A student's `results.json` for Gradescope, in the format of its autograder specification.

`score` at the top is what counts; what the tests show is what each item is worth, before lateness and overrides. All is
declared as plain text, so that Gradescope shows it as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.classroom.model import LabResult, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import NAME, joined, line, paragraph


def gradescope_results(row: Row, worth: Mapping[tuple[str, str], float] | None = None) -> dict[str, Any]:
    """Return the results of one student, for JSON. `worth` has the points for each lab number and item name."""
    return {
        "score": float(words.number(words.points_of(row.marks))),
        "output": "\n".join(_output(row)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"status": row.status, "maximum": float(words.number(row.marks.maximum))},
        "tests": [test for lab in row.labs for test in _tests(lab, worth)],
    }


def as_json(value: Any) -> str:
    """Return a value as JSON: always the same bytes for the same value, and ASCII alone."""
    return json.dumps(value, indent=1, allow_nan=False) + "\n"


def _output(row: Row) -> Iterator[str]:
    yield f"{row.status}: {words.ABOUT[row.status]}"
    if row.marks.note:
        yield joined(row.marks.note)
    for lab in row.labs:
        if lab.reason:
            yield f"lab {line(lab.lab, NAME)}, {lab.status}: {joined(lab.reason)}"


def _tests(lab: LabResult, worth: Mapping[tuple[str, str], float] | None) -> Iterator[dict[str, Any]]:
    for item in lab.items:
        points = float(words.number(words.worth_of(worth, lab.lab, item)))
        message = "" if item.counts else paragraph(item.message)
        yield {
            "name": f"{line(lab.lab, NAME)} {words.item_title(item.name)} ({item.kind})",
            "score": points if item.counts else 0.0,
            "max_score": points,
            "status": "passed" if item.counts else "failed",
            "output": "\n\n".join(filter(None, [words.explained(item), message])),
            "visibility": "visible",
        }

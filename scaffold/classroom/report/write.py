"""Writes all reports of a class into a folder. The same report gives the same bytes."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from scaffold.classroom.model import STATUSES, ClassReport
from scaffold.classroom.report import words
from scaffold.classroom.report.canvas import canvas_csv
from scaffold.classroom.report.feedback import feedback
from scaffold.classroom.report.github import classroom_result
from scaffold.classroom.report.gradescope import as_json, gradescope_results
from scaffold.classroom.report.junit import junit_xml
from scaffold.classroom.report.moodle import moodle_csv
from scaffold.classroom.report.page import page
from scaffold.classroom.report.safe import is_stem, line, stem
from scaffold.classroom.report.similar import similarity_csv, similarity_page
from scaffold.classroom.report.tables import grades_csv

INDEX = "feedback/index.json"  # whose files are whose: the names of files, and the ids letter by letter
_A_STUDENT_EACH = ("feedback/{}.md", "gradescope/{}.json", "github/{}.json")


def write_reports(
    report: ClassReport, folder: Path, *, worth: Mapping[tuple[str, str], float] | None = None
) -> list[Path]:
    """Write the page, the tables and a few files for each student, and return their paths, `index.html` first.

    `worth` has the points for each lab number and item name, for platforms that show them; without it, each item shows
    one. Files of students who are gone since the last time are removed, and whatever else is in the folder stays.
    Nothing is written if the report can't be right: raises ValueError for ids that are not unique, a status that
    nobody knows, or marks that are no numbers.
    """
    _check(report)
    texts = _texts(report, worth)
    _remove_leftovers(folder, {stem(row.student.id) for row in report.rows})
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.new")
        new.write_text(text, "utf-8", newline="\n")
        os.replace(new, path)  # noqa: PTH105 (who reads it meanwhile sees the old file or the new one)
    return [folder / name for name in texts]


def _texts(report: ClassReport, worth: Mapping[tuple[str, str], float] | None) -> dict[str, str]:
    texts = {
        "index.html": page(report),
        "similarity.html": similarity_page(report),
        "grades.csv": grades_csv(report),
        "similarity.csv": similarity_csv(report),
        "canvas.csv": canvas_csv(report),
        "moodle.csv": moodle_csv(report),
        "junit.xml": junit_xml(report),
        INDEX: as_json({stem(row.student.id): row.student.id for row in report.rows}),
    }
    for row in report.rows:
        contents = (
            feedback(row, report.title),
            as_json(gradescope_results(row, worth)),
            as_json(classroom_result(row, worth)),
        )
        for name, text in zip(_A_STUDENT_EACH, contents, strict=True):
            texts[name.format(stem(row.student.id))] = text
    return texts


def _check(report: ClassReport) -> None:
    for student_id, times in Counter(row.student.id for row in report.rows).items():
        if times > 1:
            raise ValueError(f"{times} rows have the student id {line(student_id)!r}; each student has exactly one")
    for row in report.rows:
        statuses = {row.status, *(lab.status for lab in row.labs)}
        if unknown := statuses - set(STATUSES):
            raise ValueError(f"student {line(row.student.id)!r} has the status {unknown.pop()!r}; there are {STATUSES}")
        try:
            words.points_of(row.marks)
        except ValueError as error:
            raise ValueError(f"student {line(row.student.id)!r}: {error}; no report was written") from None


def _remove_leftovers(folder: Path, stems: set[str]) -> None:
    """Remove the files of those whom the last report knew, and this one does not."""
    try:
        before = json.loads((folder / INDEX).read_text("utf-8"))
    except (OSError, ValueError):
        return
    for old in before if isinstance(before, dict) else ():
        if old not in stems and is_stem(old):
            for name in _A_STUDENT_EACH:
                (folder / name.format(old)).unlink(missing_ok=True)

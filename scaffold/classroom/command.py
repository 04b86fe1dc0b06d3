"""`python grade.py class`: what it was asked for, and what it says at the end."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from scaffold.classroom.grade_class import ClassRun, grade_class
from scaffold.classroom.model import STATUSES, ClassReport
from scaffold.classroom.report import words
from scaffold.classroom.sandbox import NoSandboxError
from scaffold.grading.verdict import GraderError


def run(asked: argparse.Namespace, reference: Path) -> int:
    """Grade a class, and say what came of it. Raises GraderError where there is no sandbox, or no cluster."""
    if sys.platform != "linux" and not asked.cluster:
        raise GraderError("class grading needs Linux: only there can it lock in what students hand in")
    try:
        report = grade_class(
            ClassRun(
                asked.submissions,
                asked.report,
                reference,
                asked.roster,
                asked.policy,
                asked.seed,
                asked.jobs,
                asked.regrade,
                asked.sandbox,
                asked.seconds,
                asked.cluster,
            )
        )
    except NoSandboxError as error:
        raise GraderError(str(error)) from None
    print(_summary(report, asked.report))
    return 0


def _summary(report: ClassReport, folder: Path) -> str:
    counts = Counter(row.status for row in report.rows)
    statuses = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    look = sum(words.to_look_at(row) > 0 for row in report.rows)
    return f"""{len(report.rows)} students: {statuses}
to look at: {look}
sandbox: {report.sandbox}
seed of the exam: {report.seed}
report: {folder / "index.html"}"""

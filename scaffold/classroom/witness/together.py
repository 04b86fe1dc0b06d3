"""All labs of a submission in the same two processes: one for their tests, and one for the exam.

Most labs that are handed in are right, and to start a process for each takes longer than what is done in it. So what
turns out right here counts. Whatever does not is judged again by itself, where nothing of another lab can be the
reason: nothing is reported of it here, and nothing waits for it.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from scaffold.classroom.exam import driver
from scaffold.classroom.exam.stage import enter, is_deep, understood
from scaffold.classroom.sandbox import Session
from scaffold.classroom.sandbox.inmate import Send, Target
from scaffold.classroom.witness.job import LabSeen, TestsSeen
from scaffold.classroom.witness.lab_run import Asked, LabRun, Places
from scaffold.grading.events import Report
from scaffold.grading.events import understood as events_of
from scaffold.grading.tree import Tree

SECONDS = 1.0  # for a test, or an operation of the exam: a right one takes milliseconds


def see_together(session: Session, places: Places, asked: Sequence[Asked]) -> list[LabSeen | None]:
    """Return what was seen of each lab; None for one that must be judged alone."""
    tests = _tests(session, places, asked)
    exams = iter(_exams(session, places, [each for each, seen in zip(asked, tests, strict=True) if seen]))
    return [_both(next(exams), seen) if seen else None for seen in tests]


def _both(exam: LabSeen | None, tests: TestsSeen) -> LabSeen | None:
    return exam and LabSeen(exam.exam, exam.exam_ends, tests)


def _tests(session: Session, places: Places, asked: Sequence[Asked]) -> list[TestsSeen | None]:
    """Run the tests of all labs, each until the first that fails. Return what was seen of those without a failure."""
    name = secrets.token_hex(8)

    def target(scratch: Path, send: Send) -> None:
        tree = Tree(places.tree, shared=True)
        for number, each in enumerate(asked):
            lines: list[bytes] = []
            printed = scratch / f"{name}-{number}"
            each.tests.run(tree, Report(lines.append), printed, seconds=SECONDS, to_the_end=False)
            send(b"".join(lines))

    return [_without_a_failure(lines) if lines else None for lines in _run(session, target, len(asked))]


def _without_a_failure(lines: Sequence[bytes]) -> TestsSeen | None:
    events = [event for line in lines if not is_deep(line) for event in events_of(line)]
    failed = any(event["event"] == "finished" and event["outcome"] != "passed" for event in events)
    return None if failed else TestsSeen(events)


def _exams(session: Session, places: Places, asked: Sequence[Asked]) -> list[LabSeen | None]:
    """Do the first run of each exam in one process, and then the rest of each exam as if it were alone."""
    labs = [LabRun(session, places, each) for each in asked]

    def target(scratch: Path, send: Send) -> None:
        tree = Tree(places.tree, shared=True)
        for lab, each in zip(labs, asked, strict=True):
            lines: list[bytes] = []
            enter(lab.folder_in(scratch))
            driver.observe(tree.load, each.runs[0].operations, lines.append, SECONDS)
            send(b"".join(lines))

    reports = _run(session, target, len(asked)) if asked else []
    return [lab.see_exam_after(understood(lines)) if lines else None for lab, lines in zip(labs, reports, strict=True)]


def _run(session: Session, target: Target, labs: int) -> list[list[bytes]]:
    """Run a target that reports once for each of so many labs. Return the lines; none if it did anything else.

    To report at once what is found would take longer: here nothing is worth anything before the end.
    """
    end = session.run(target)
    if end.how != "ended" or len(end.reports) != labs:
        return [[] for _ in range(labs)]
    return [report.splitlines() for report in end.reports]

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
from scaffold.classroom.exam.stage import enter
from scaffold.classroom.sandbox import Session
from scaffold.classroom.sandbox.inmate import Send, Target
from scaffold.classroom.witness.job import LabSeen
from scaffold.classroom.witness.lab_run import Asked, LabRun, Places
from scaffold.grading.reporter import redirect
from scaffold.grading.tree import Tree

SECONDS = 1.0  # for the tests of a lab, or an operation of its exam: right ones take a tenth, or milliseconds
_PASSED, _FAILED = b"passed", b"failed"


def see_together(session: Session, places: Places, asked: Sequence[Asked]) -> list[LabSeen | None]:
    """Return what was seen of each lab; None for one that must be judged alone."""
    passed = _tests(session, places, asked)
    exams = iter(_exams(session, places, [each for each, its_tests in zip(asked, passed, strict=True) if its_tests]))
    return [next(exams) if its_tests else None for its_tests in passed]


def _tests(session: Session, places: Places, asked: Sequence[Asked]) -> list[bool]:
    """Run the tests of all labs, each until the first that fails. Return of which labs none does."""
    name = secrets.token_hex(8)

    def target(scratch: Path, send: Send) -> None:
        tree = Tree(places.tree, shared=True)
        redirect(scratch / f"{name}-printed")
        for each in asked:
            send(_PASSED if each.tests.pass_on(tree, SECONDS) else _FAILED)

    return [report == _PASSED for report in _run(session, target, len(asked))]


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
    return [
        lab.see_exam_after(report.split(b"\n")[:-1]) if report else None
        for lab, report in zip(labs, reports, strict=True)
    ]


def _run(session: Session, target: Target, labs: int) -> Sequence[bytes]:
    """Run a target that reports once for each of so many labs. Return the reports; empty if it did anything else.

    To report at once what is found would take longer: here nothing is worth anything before the end.
    """
    end = session.run(target)
    if end.how != "ended" or len(end.reports) != labs:
        return [b"" for _ in range(labs)]
    return end.reports

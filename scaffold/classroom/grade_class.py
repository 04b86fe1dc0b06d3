"""Grades a class: reads what was handed in, runs what is new, and writes all reports."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from scaffold.classroom.course_digest import digest_of_course
from scaffold.classroom.gradebook import Gradebook
from scaffold.classroom.marks import marks_of
from scaffold.classroom.model import ClassReport, LabResult, Row, Similarity, Submission
from scaffold.classroom.oracle.oracle import Oracle
from scaffold.classroom.policy import Policy, read_policy
from scaffold.classroom.pool import LocalPool
from scaffold.classroom.report.write import write_reports
from scaffold.classroom.similarity import flags_of, similar_pairs
from scaffold.classroom.submissions import digest_of, read_submissions
from scaffold.classroom.witness.grader import Grader, make_exam
from scaffold.classroom.witness.job import SECONDS
from scaffold.classroom.witness.results import status_of
from scaffold.course import LABS
from scaffold.grading.verdict import GraderError
from scaffold.stubs import fresh_stub

if TYPE_CHECKING:
    from scaffold.classroom.cluster.pool import ClusterPool

SIMILAR = 0.6  # of the fingerprints of one, from which on an instructor is told


@dataclass(frozen=True)
class ClassRun:
    """What is asked for. Without a seed, the exam is that of the last run in this report, or a fresh one."""

    submissions: Path
    report: Path
    reference: Path
    roster: Path | None = None
    policy: Path | None = None
    seed: str | None = None
    jobs: int = 1
    regrade: bool = False
    sandbox: bool = True
    seconds: float = SECONDS  # for one run of a lab
    cluster: str | None = None  # the address of a Dask scheduler, whose workers grade instead of this machine


def grade_class(asked: ClassRun) -> ClassReport:
    """Grade a class, write its reports, and return it.

    Raises NoSandboxError, GraderError for a cluster, ValueError for a roster, policy or gradebook that can't be used,
    and OSError.
    """
    policy = read_policy(asked.policy) if asked.policy else Policy()
    submissions = read_submissions(asked.submissions, asked.roster)
    _check_overrides(policy, submissions)
    with Gradebook(asked.report / "gradebook.sqlite", f"{digest_of_course()}, {asked.seconds} s") as book:
        seed = book.seed(asked.seed, fresh=asked.regrade)
        sandbox = _run(asked, book, seed, submissions)
        results = {each.student.id: book.get(each.student.id, digest_of(each), seed) or [] for each in submissions}
    similar = _similar(submissions, asked.reference)
    flags = flags_of(similar)
    rows = [_row(each, results[each.student.id], policy, flags.get(each.student.id, [])) for each in submissions]
    checkpoints = [(lab.number, name) for lab in LABS for name in lab.required_tests + lab.bonus_tests]
    report = ClassReport(policy.title, rows, seed, sandbox, checkpoints, similar)
    write_reports(report, asked.report, worth=policy.worth())
    return report


def _run(asked: ClassRun, book: Gradebook, seed: str, submissions: Sequence[Submission]) -> str:
    """Run what is not in the gradebook. Return what the sandbox was made of, in words."""
    new = [each for each in submissions if each.files and book.get(each.student.id, digest_of(each), seed) is None]
    with _pool(asked, seed) as pool:
        shown = tqdm(pool.grade(new), total=len(new), unit="submission", file=sys.stderr, disable=None, mininterval=0)
        for submission, labs in shown:
            book.put(submission.student.id, digest_of(submission), seed, labs)
        made_of = pool.sandbox
    if book.was_without_sandbox(not asked.sandbox):
        return "none in this run" if not asked.sandbox else f"none in an earlier run of this report; now {made_of}"
    return made_of


@contextmanager
def _pool(asked: ClassRun, seed: str) -> Iterator[LocalPool | ClusterPool]:
    if asked.cluster:
        if importlib.util.find_spec("distributed") is None:
            raise GraderError("--cluster needs the package distributed; run: python -m pip install -e '.[cluster]'")
        from scaffold.classroom.cluster.pool import ClusterPool  # noqa: PLC0415 (the package need not be there)

        with ClusterPool(asked.cluster, seed, sandbox=asked.sandbox, seconds=asked.seconds) as cluster:
            yield cluster
        return
    stubs = {lab.folder: fresh_stub(lab).encode() for lab in LABS}
    exam = make_exam(seed, asked.reference)
    with Oracle(asked.reference) as oracle:
        make_grader = partial(Grader, exam, stubs, oracle, sandbox=asked.sandbox, seconds=asked.seconds)
        with LocalPool(make_grader, asked.jobs) as pool:
            yield pool


def _row(submission: Submission, labs: Sequence[LabResult], policy: Policy, flags: Sequence[str]) -> Row:
    student = submission.student
    return Row(
        student,
        status_of(labs),
        marks_of(student.id, labs, submission.submitted, policy),
        labs,
        submission.origin,
        submission.submitted,
        submission.problems,
        flags,
        digest_of(submission) if submission.files else "",
    )


def _check_overrides(policy: Policy, submissions: Sequence[Submission]) -> None:
    known = {each.student.id for each in submissions}
    if unknown := sorted(set(policy.overrides) - known):
        raise ValueError(f"the policy overrides the points of {', '.join(unknown)}, whom this class does not have")


def _similar(submissions: Sequence[Submission], reference: Path) -> Similarity:
    files = {
        each.student.id: {lab.number: each.files[lab.folder] for lab in LABS if lab.folder in each.files}
        for each in submissions
    }
    stubs = {lab.number: fresh_stub(lab) for lab in LABS}
    right = {lab.number: (reference / lab.folder / "session.py").read_text("utf-8") for lab in LABS}
    return similar_pairs(files, stubs, right, at_least=SIMILAR)

"""What no submission gets by force or by fraud, in the real sandbox, through both witnesses.

Each file of the corpus is graded, and after each an honest submission by the same grader. So a test shows that
- the lab has the status that it deserves, and the items count that were earned, and no others;
- what the student and the instructor are told is true, and holds no secret;
- nothing was written, sent or changed that is not its own, and nothing of it is still alive;
- it costs nobody else a mark, or much time.
What can be wrong with archives, names of files and tables of a class is in `test_submissions`, `test_unpack` and
`test_roster`.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from kit.bait import Bait
from kit.hostile import corpus
from kit.hostile.corpus import RIGHT, Case
from kit.jails import IN_A_SANDBOX
from scaffold.classroom.model import LabResult
from scaffold.classroom.oracle.oracle import Oracle
from scaffold.classroom.witness.grader import Grader, make_exam
from scaffold.course import LABS, REFERENCE
from scaffold.stubs import fresh_stub

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(90)]
CASES = corpus.cases()
STUBS = {lab.folder: fresh_stub(lab).encode() for lab in LABS}
HONEST = {"lab_10_1": RIGHT["lab_10_1"] + b"# only-of-a-neighbour\n"}
IN_THE_ENVIRONMENT = "SESSION_TREE_SECRET_TOKEN"


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    assert REFERENCE is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(IN_THE_ENVIRONMENT, "a secret")
        with Oracle(REFERENCE) as oracle, Grader(make_exam("a seed", REFERENCE), STUBS, oracle, seconds=4) as grader:
            assert grader.grade(HONEST)[0].status == "graded"
            yield grader


@pytest.fixture(scope="module")
def bait() -> Iterator[Bait]:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to others
        bait = Bait(Path(folder))
        yield bait
        bait.close()


def processes() -> list[psutil.Process]:
    """Return the processes of graders: whoever outlives a jail is one of theirs."""
    children: list[psutil.Process] = psutil.Process().children(recursive=True)
    return children


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.name}")
def test_a_hostile_submission_has_what_it_earns_and_costs_nobody_anything(
    case: Case, grader: Grader, bait: Bait
) -> None:
    before = processes()

    results = grader.grade(case.submitted(bait.places))

    started = [each for each in processes() if each not in before]  # the worker's, too, which come to their end
    [lab] = [result for result in results if result.lab == case.lab]
    told = "\n".join(item.message for item in lab.items)
    shown = "\n".join(item.difference for item in lab.items)
    assert lab.status in case.status, (lab.reason, told, shown)
    assert [item.name for item in lab.items if item.counts] == list(case.counts)
    through = [item.name for item in lab.items if item.tests == "passed" and not item.counts]
    assert [name for name in case.passes_tests if name not in through] == []
    assert (case.reason in lab.reason, case.says in told, case.shows in shown) == (True, True, True), (lab, told, shown)
    assert [word for word in case.never if word in lab.reason + told + shown] == []
    assert bait.has_been_touched() == []
    assert psutil.wait_procs(started, timeout=5)[1] == []
    assert earned_elsewhere(case, results) == []
    assert [item.name for item in grader.grade(HONEST)[0].items if not item.counts] == []


def earned_elsewhere(case: Case, results: list[LabResult]) -> list[str]:
    """Return the labs that count although they were not handed in, or are not the reference's."""
    honest = {number for number, name in case.files.items() if name == "reference"}
    others = [result for result in results if result.lab not in honest | {case.lab}]
    return [result.lab for result in others if any(item.counts for item in result.items)]


def test_there_are_enough_of_each_kind() -> None:
    assert len(CASES) >= 80
    assert min(Counter(case.kind for case in CASES).values()) >= 4

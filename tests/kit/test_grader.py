"""Both witnesses together, in the real sandbox: honest submissions get what they deserve, and no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kit.jails import IN_A_SANDBOX
from scaffold.classroom.exam.judge import ItemJudgement
from scaffold.classroom.model import LabResult
from scaffold.classroom.oracle.oracle import Oracle
from scaffold.classroom.witness.grader import Grader, make_exam
from scaffold.classroom.witness.job import LabSeen
from scaffold.classroom.witness.results import right_result
from scaffold.course import LABS, REFERENCE, Lab
from scaffold.stubs import fresh_stub

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(60)]
assert REFERENCE is not None
RIGHT = {lab.folder: (REFERENCE / lab.folder / "session.py").read_bytes() for lab in LABS}
STUBS = {lab.folder: fresh_stub(lab).encode() for lab in LABS}

A_THREAD = b"import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()"
ONLY_IN_TESTS = b"""
_right = path_to

def path_to(entries, leaf_id):
    import sys
    frame = sys._getframe(1)
    while frame:
        if "test_lab_10_1" in frame.f_code.co_filename:
            return _right(entries, leaf_id)
        frame = frame.f_back
    return []
"""


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    assert REFERENCE is not None
    with Oracle(REFERENCE) as oracle, Grader(make_exam("a seed", REFERENCE), STUBS, oracle) as grader:
        yield grader


def test_a_right_lab_that_ends_a_run_of_its_exam_is_not_right_beyond_doubt() -> None:
    lab = LABS[0]
    right = {name: ItemJudgement(passed=True) for name in lab.required_tests + lab.bonus_tests}
    assert right_result(lab, LabSeen(exam_ends=["ended", "killed"]), right)
    assert right_result(lab, LabSeen(exam_ends=["ended", "exit 3"]), right) is None


def whole(result: LabResult) -> bool:
    return bool(result.items) and all(item.counts for item in result.items)


def statuses(results: list[LabResult]) -> dict[str, str]:
    return {result.lab: result.status for result in results}


def test_the_reference_has_all_right(grader: Grader) -> None:
    results = grader.grade(RIGHT)
    assert [result for result in results if not whole(result) or result.reason] == []


def test_stubs_are_not_attempted_and_nothing_is_missing(grader: Grader) -> None:
    stubs = grader.grade(STUBS)
    from_windows = grader.grade({name: stub.replace(b"\n", b"\r\n") for name, stub in STUBS.items()})
    assert set(statuses(stubs).values()) == set(statuses(from_windows).values()) == {"not attempted"}
    assert set(statuses(grader.grade({})).values()) == {"missing"}
    assert not any(item.counts for result in stubs for item in result.items)


@pytest.mark.parametrize("lab", [lab for lab in LABS if lab.needs], ids=lambda lab: lab.number)
def test_a_lab_that_is_handed_in_alone_is_judged_over_right_ones(grader: Grader, lab: Lab) -> None:
    results = grader.grade({lab.folder: RIGHT[lab.folder]})
    assert [result.lab for result in results if whole(result)] == [lab.number]


def test_a_mistake_in_an_earlier_lab_is_paid_for_once(grader: Grader) -> None:
    broken = RIGHT | {"lab_10_2": RIGHT["lab_10_2"] + b"\nraise ValueError('no')\n"}
    results = grader.grade(broken)
    assert [result.lab for result in results if not whole(result)] == ["10.2"]
    assert statuses(results)["10.2"] == "not loadable"


@pytest.mark.parametrize(
    "vandalism",
    [
        b"import os\nos.fsync = None",
        b"import os, traceback\nif any(each.name == 'observe' for each in traceback.extract_stack()): os.fsync = None",
        b"import json\njson.loads = None",
        b"import sys\nfor name in list(sys.modules):\n    if name.endswith('lab_10_2'): del sys.modules[name]",
        b"import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)",
        A_THREAD,
    ],
    ids=["fsync", "fsync in the exam alone", "json", "modules", "alarm", "a thread"],
)
def test_what_one_lab_does_to_its_process_costs_no_other_lab(grader: Grader, vandalism: bytes) -> None:
    results = grader.grade(RIGHT | {"lab_10_1": RIGHT["lab_10_1"] + vandalism})
    assert [result.lab for result in results[1:] if not whole(result) or result.reason] == []


def test_a_thread_that_a_lab_leaves_is_noticed_among_others(grader: Grader) -> None:
    left, *others = grader.grade(RIGHT | {"lab_10_1": RIGHT["lab_10_1"] + A_THREAD})
    assert "left a thread running" in left.reason
    assert [result.reason for result in others if result.reason] == []


def test_a_lab_has_the_same_result_together_with_others_and_alone(grader: Grader) -> None:
    together = grader.grade(RIGHT)
    alone = [grader.grade({lab.folder: RIGHT[lab.folder]})[place] for place, lab in enumerate(LABS)]
    assert together == alone


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("import sys; sys.exit(3)", "not loadable", "exits while it is imported"),
        ("import os; os._exit(0)", "exited", "ended the process"),
        ("import os; os.abort()", "crashed", "SIGABRT"),
        ("while True: pass", "timed out", "did not come to an end"),
        ("x = bytearray(2**33)", "not loadable", "MemoryError"),
        ("def path_to(entries, leaf_id): return", "graded", ""),
        ("print('\\x00' * 10)", "graded", ""),
        ("x = (", "not loadable", "SyntaxError"),
    ],
    ids=["exit", "_exit", "abort", "loop", "memory", "wrong", "prints", "no Python"],
)
def test_whatever_a_submission_does_its_lab_has_a_status_and_the_next_one_its_marks(
    grader: Grader, code: str, status: str, reason: str
) -> None:
    results = grader.grade({"lab_10_1": code.encode()})
    assert (results[0].status, whole(results[0])) == (status, False)
    assert reason in results[0].reason
    assert whole(grader.grade({"lab_10_1": RIGHT["lab_10_1"]})[0])


@pytest.mark.parametrize("text", [b"\xff\xfe\x00", b"", b"\x00", "é".encode("latin-1")], ids=repr)
def test_a_file_that_is_no_python_has_a_status_too(grader: Grader, text: bytes) -> None:
    assert not whole(grader.grade({"lab_10_1": text})[0])


def test_the_same_submission_has_the_same_results_whatever_is_where_in_memory(grader: Grader) -> None:
    shows_an_address = {"lab_10_1": b"def path_to(entries, leaf_id):\n    return object()\n"}
    first, second = grader.grade(shows_an_address), grader.grade(shows_an_address)

    assert first == second
    assert "0x…" in first[0].items[0].message


@pytest.mark.parametrize("others", [{}, RIGHT], ids=["alone", "among others"])
def test_who_knows_the_tests_but_not_the_rule_passes_one_witness_alone(
    grader: Grader, others: dict[str, bytes]
) -> None:
    result = grader.grade(others | {"lab_10_1": RIGHT["lab_10_1"] + ONLY_IN_TESTS})[0]
    assert not whole(result)
    assert all(item.tests == "passed" for item in result.items)
    assert any(item.disagrees for item in result.items)
    assert any("reference" in item.difference for item in result.items)

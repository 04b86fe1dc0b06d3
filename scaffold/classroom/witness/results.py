"""Puts together what the two witnesses say of a lab."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence

from scaffold.classroom.exam.judge import ItemJudgement
from scaffold.classroom.model import Item, LabResult, Status, Witness
from scaffold.classroom.policy import kind_of
from scaffold.classroom.witness.job import LabSeen
from scaffold.course import Lab
from scaffold.grading.failure import one_line
from scaffold.grading.verdict import Verdict, verdict_of

_LIMITS: dict[str, tuple[Status, str]] = {
    "memory": ("memory", "it used more memory than a run may have"),
    "timed out": ("timed out", "it did not come to an end in time"),
    "processes": ("crashed", "it started more processes than a run may have"),
    "output": ("crashed", "it wrote more output than a run may have"),
    "disk": ("crashed", "it wrote more to the disk than a run may have"),
}
_OF_VERDICT: dict[str, Status] = {
    "not loadable": "not loadable",
    "crashed": "crashed",
    "exited": "exited",
    "timed out": "timed out",
}
_ENDS = {"ended", "killed"}  # of a run of the exam, that are no fault of the submission's
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_NOT_RUN: tuple[Status, ...] = ("missing", "not attempted")


def lab_result(lab: Lab, seen: LabSeen, judgements: Mapping[str, ItemJudgement]) -> LabResult:
    """Return the result of a lab that was run. Raises GraderError if its tests were not the course's."""
    events = [dict(event) for event in seen.tests.events if event["event"] != "ended"]  # that is not for it to say
    code = _code(seen.tests.how)
    if code is not None:
        events.append({"event": "ended", "code": code, "processes": []})
    verdict = verdict_of(lab, events, seen.tests.dump, out_of_time=seen.tests.how == "timed out")
    names = lab.required_tests + lab.bonus_tests
    items = tuple(_item(lab, name, verdict, judgements[name]) for name in names)
    status, reason = _status(seen, verdict, judgements)
    return LabResult(lab.number, status, reason, items)


def right_result(lab: Lab, seen: LabSeen, judgements: Mapping[str, ItemJudgement]) -> LabResult | None:
    """Return the result of a lab whose tests have all passed, together with others; None unless its exam has too."""
    if set(seen.exam_ends) - _ENDS or not all(each.passed for each in judgements.values()):
        return None
    names = lab.required_tests + lab.bonus_tests
    items = [Item(name, kind_of(lab, name), "passed", "passed") for name in names]
    return LabResult(lab.number, "graded", "", tuple(items))


def not_run(lab: Lab, status: Status, reason: str = "") -> LabResult:
    """Return the result of a lab that was not run."""
    names = lab.required_tests + lab.bonus_tests
    return LabResult(
        lab.number, status, reason, tuple(Item(name, kind_of(lab, name), "not run", "not run") for name in names)
    )


def status_of(labs: Sequence[LabResult]) -> Status:
    """Return the status of a submission by those of its labs."""
    statuses = [lab.status for lab in labs if lab.status not in _NOT_RUN]
    if not statuses:
        return "not attempted" if any(lab.status == "not attempted" for lab in labs) else "missing"
    for worst in ("grader error", "tampered"):
        if worst in statuses:
            return worst
    if len(set(statuses)) == 1:
        return statuses[0]
    return "partial"


def _code(how: str) -> int | None:
    """Return the exit code that the engine would have seen; None for one that a limit ended."""
    word, _, number = how.partition(" ")
    if word == "ended":
        return 0
    if word in {"exit", "signal"} and number.isdecimal():
        return int(number) if word == "exit" else -min(int(number), signal.SIGRTMIN)  # the later ones have no names
    return None


def _status(seen: LabSeen, verdict: Verdict, judgements: Mapping[str, ItemJudgement]) -> tuple[Status, str]:
    """Return the status of a lab, and why. What explains the rest comes first."""
    forged = [each.first_difference for each in judgements.values() if each.tampered]
    found: list[tuple[Status, str]] = [
        *(("tampered", f"the exam: {one_line(why)}") for why in forged),
        *(("not loadable", verdict.reason) for each in (verdict.status,) if each == "not loadable"),
        *(_LIMITS[how] for how in (seen.tests.how, *seen.exam_ends) if how in _LIMITS),
        *((_OF_VERDICT[each], verdict.reason) for each in (verdict.status,) if each in _OF_VERDICT),
        *(_ended_in_exam(how) for how in seen.exam_ends if how not in _ENDS),
        *(("timed out", "it did not come to an end in the exam") for each in judgements.values() if not each.ran),
        ("graded", verdict.reason if verdict.reason.startswith("session.py left") else ""),
    ]
    status, reason = found[0]
    return status, one_line(reason, 500)  # a part of it may be what the submission has printed


def _ended_in_exam(how: str) -> tuple[Status, str]:
    return ("crashed" if how.startswith("signal") else "exited"), f"it ended its process in the exam ({how})"


def _item(lab: Lab, name: str, verdict: Verdict, judgement: ItemJudgement) -> Item:
    results = [result for result in verdict.results if result.function == name]
    red = next((result for result in results if result.outcome == "failed"), None)
    tests: Witness = "not run"
    message = ""
    if red is not None:
        tests = "failed"
        message = "\n".join(
            filter(None, [f"{red.name}: {red.message}", red.where, red.printed and f"printed: {red.printed}"])
        )
    elif results and all(result.outcome == "passed" for result in results):
        tests = "passed"
    exam: Witness = "passed" if judgement.passed else "failed" if judgement.ran else "not run"
    return Item(
        name,
        kind_of(lab, name),
        tests,
        exam,
        _without_addresses(message),
        _without_addresses(judgement.first_difference),
    )


def _without_addresses(text: str) -> str:
    """Return a text as each run of the same seed has it: where an object was in memory is chance."""
    return _ADDRESS.sub("0x…", text)

"""What a run of one lab showed, put together from what it reported and how it ended. What is in doubt is no pass."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from scaffold.course import Lab
from scaffold.grading.failure import one_line

Status = Literal[
    "passed",
    "failed",
    "not written",
    "not loadable",
    "crashed",
    "exited",
    "timed out",
    "missing",
    "not checked",
]
Outcome = Literal["passed", "failed", "not run"]

_STATUS_OF_KIND: dict[str, Status] = {
    "not written": "not written",
    "not loadable": "not loadable",
    "exited": "exited",
    "timed out": "timed out",
}
_PLACE_IN_DUMP = re.compile(r'File ".*session\.py", line (\d+) in (\S+)')


@dataclass(frozen=True)
class TestResult:
    """One case of one test function. `kind` is what `failure.Kind` says of a failed one."""

    function: str
    case: str
    outcome: Outcome
    kind: str = ""
    message: str = ""
    where: str = ""
    printed: str = ""

    @property
    def name(self) -> str:
        return f"{self.function}[{self.case}]" if self.case else self.function


@dataclass(frozen=True)
class Verdict:
    """The status of a lab, the reason in one line if it did not pass, and the result of each test."""

    lab: Lab
    status: Status
    reason: str = ""
    results: tuple[TestResult, ...] = ()
    note: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def green(self, functions: Sequence[str]) -> list[str]:
        """Return those of the test functions that were run and have no red case."""
        ran = {result.function for result in self.results}
        red = {result.function for result in self.results if result.outcome != "passed"}
        return [function for function in functions if function in ran - red]

    def red(self) -> list[str]:
        """Return the test functions with a red case."""
        return list(dict.fromkeys(result.function for result in self.results if result.outcome == "failed"))

    def first_red(self) -> TestResult | None:
        """Return the first failed case of a test that counts."""
        required = [result for result in self.results if result.function in self.lab.required_tests]
        return next((result for result in required if result.outcome == "failed"), None)

    def noting(self, note: str) -> Verdict:
        return replace(self, note=note)


class GraderError(Exception):
    """The grader itself can't do its work. No fault of the student's."""


def verdict_of(lab: Lab, events: list[dict[str, Any]], dump: str, *, out_of_time: bool) -> Verdict:
    """Make the verdict on a run.

    `events` are what the run reported, in order; `dump` is the end of what it printed, where Python leaves a trace of
    a crash; `out_of_time` says that the run had to be ended. Raises GraderError if the tests are not the course's.
    """
    by_kind = {event["event"]: event for event in events}
    by_kind |= {event["event"]: event for event in reversed(events) if event["event"] == "collected"}  # the first one
    if "collected" not in by_kind:
        raise GraderError(f"the tests of lab {lab.number} could not be started:\n{dump}")
    results = _results(by_kind["collected"]["tests"], events)
    absent = set(lab.required_tests) - {result.function for result in results}
    if absent:
        raise GraderError(f"{lab.test_file.name} lacks {', '.join(sorted(absent))}; restore the course's test file")
    status, reason = _judge(lab, results, by_kind, dump, out_of_time=out_of_time)
    return Verdict(lab, status, reason, results)


def _results(collected: list[str], events: list[dict[str, Any]]) -> tuple[TestResult, ...]:
    finished: dict[str, dict[str, Any]] = {}
    for event in events:
        if event["event"] == "finished":
            before = finished.get(event["test"])
            if before is None or before["outcome"] == "passed":  # a test may pass, and fail when it is cleaned up
                finished[event["test"]] = event
    results = []
    for test in collected:
        function, _, case = test.partition("[")
        result = TestResult(function, case.removesuffix("]"), "not run")
        results.append(_result(result, finished[test]) if test in finished else result)
    return tuple(results)


def _result(result: TestResult, event: dict[str, Any]) -> TestResult:
    if event["outcome"] == "passed":
        return replace(result, outcome="passed")
    if event["outcome"] == "skipped":
        message = "session.py called pytest.skip or pytest.xfail; a test that is skipped has not passed"
        return replace(result, outcome="failed", kind="skipped", message=message)
    facts = {key: event[key] for key in ("kind", "message", "where", "printed")}
    return replace(result, outcome="failed", **facts)


def _judge(
    lab: Lab, results: tuple[TestResult, ...], by_kind: dict[str, dict[str, Any]], dump: str, *, out_of_time: bool
) -> tuple[Status, str]:
    required = [result for result in results if result.function in lab.required_tests]
    red = next((result for result in required if result.outcome == "failed"), None)
    if red is not None:
        return _STATUS_OF_KIND.get(red.kind, "failed"), f"{red.name}: {one_line(red.message)}"
    if "done" not in by_kind:
        return _broken_off(by_kind, dump, out_of_time=out_of_time)
    if any(result.outcome != "passed" for result in required):
        during = f"in {by_kind['started']['test']}" if "started" in by_kind else "before the first test"
        return "exited", f"the run was ended {during}: by KeyboardInterrupt, or by pytest.exit"
    if by_kind["done"]["threads"]:
        return "failed", "session.py left a thread running; whatever it starts, it must also end"
    if processes := by_kind.get("ended", {}).get("processes"):
        return "failed", f"session.py left a process running: {one_line(processes[0], 80)}"
    return "passed", ""


def _broken_off(by_kind: dict[str, dict[str, Any]], dump: str, *, out_of_time: bool) -> tuple[Status, str]:
    """Say why a run came to no end."""
    during = f"in {by_kind['started']['test']}" if "started" in by_kind else "before the first test"
    places = _PLACE_IN_DUMP.findall(dump)
    place = f" (session.py line {places[0][0]}, in {places[0][1]})" if places else ""
    code = by_kind.get("ended", {}).get("code", 0)
    if out_of_time or "Timeout (" in dump or -code == getattr(signal, "SIGXCPU", None):
        return "timed out", f"the time was up {during}{place}"
    if code < 0:
        return "crashed", f"Python was ended by {signal.Signals(-code).name} {during}{place}"
    return "exited", f"session.py ended the process {during}, with os._exit or the like; the tests never finished"


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict for machines. The keys are part of what `--json` promises."""
    lab = verdict.lab
    return {
        "lab": lab.number,
        "title": lab.title,
        "bonus": lab.is_bonus,
        "status": verdict.status,
        "passed": verdict.passed,
        "reason": verdict.reason,
        "note": verdict.note,
        "checkpoints": {"passed": len(verdict.green(lab.checkpoints)), "total": len(lab.checkpoints)},
        "python": {"passed": len(verdict.green(lab.python_tests)), "total": len(lab.python_tests)},
        "bonus_tests": {"passed": len(verdict.green(lab.bonus_tests)), "total": len(lab.bonus_tests)},
        "tests": [
            {"name": result.name, "outcome": result.outcome, "message": result.message, "where": result.where}
            for result in verdict.results
        ],
    }

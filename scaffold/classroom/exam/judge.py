"""Compares what was seen of a submission with what was seen of the reference, value by value, with exact types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scaffold.classroom.exam.driver import Observation
from scaffold.classroom.exam.errors import same_error
from scaffold.classroom.exam.facts import facts_of
from scaffold.classroom.exam.operation import Operation
from scaffold.classroom.exam.plan import RunSeen, plan
from scaffold.classroom.exam.stage import Seen, understood

_NOTHING = {"nothing was seen": True}
_SHORT = 300  # characters of a value that are shown


@dataclass(frozen=True)
class ItemJudgement:
    """What the exam says of one item.

    `first_difference` is for the instructor: the operation, what the reference gives, and what the submission gave.
    An item did not run if the submission ended before all its operations were done. If anything can't come from an
    honest driver, all items of the lab are `tampered`, and none has passed.
    """

    passed: bool
    first_difference: str = ""
    ran: bool = True
    tampered: bool = False


class Judge:
    """Judges one lab by the operations of its exam and what `plan.do` has seen of the reference."""

    def __init__(self, operations: Mapping[str, Sequence[Operation]], expected: Sequence[RunSeen]) -> None:
        """Raises ValueError if the reference itself did not come to its end: then nothing can be judged."""
        self._items = list(operations)
        self._runs = plan(operations)
        self._expected = expected
        self._wanted = [[understood(line) for line in run.lines] for run in expected]
        if problem := self._forgery(expected) or self._gap():
            raise ValueError(f"the reference did not come through its own exam: {problem}")
        self._right = [
            [_facts(operation, found[operation["n"]], run_seen.files) for operation in run.operations]
            for run, run_seen, found in zip(self._runs, expected, self._wanted, strict=True)
        ]  # worked out once, and not for each submission

    def compare(self, observed: Sequence[RunSeen]) -> dict[str, ItemJudgement]:
        """Judge each item by what `plan.do` has seen of a submission."""
        if problem := self._forgery(observed):
            return {item: ItemJudgement(passed=False, first_difference=problem, tampered=True) for item in self._items}
        found: dict[str, ItemJudgement] = {}
        for run, seen, wanted, right in zip(self._runs, observed, self._expected, self._right, strict=True):
            for operation, facts in zip(run.operations, right, strict=True):
                known = not operation["item"] or operation["item"] in found
                if not known and not _is_the_same(operation, seen, wanted):
                    judgement = _judge(operation, seen, facts)
                    if not judgement.passed:
                        found[operation["item"]] = judgement
        return {item: found.get(item, ItemJudgement(passed=True)) for item in self._items}

    def _gap(self) -> str:
        """Return what the reference has left out, or ""."""
        for run, wanted in zip(self._runs, self._expected, strict=True):
            if len(wanted.lines) < len(run.operations):
                return f"only {len(wanted.lines)} of {len(run.operations)} operations were done"
        return ""

    def _forgery(self, observed: Sequence[RunSeen]) -> str:
        """Return what can't come from an honest driver, or ""."""
        if len(observed) != len(self._runs):
            return f"there are {len(observed)} runs; {len(self._runs)} were asked for"
        for run, seen, expected, wanted in zip(self._runs, observed, self._expected, self._wanted, strict=True):
            if len(seen.lines) > len(run.operations):
                return f"there are {len(seen.lines)} observations; {len(run.operations)} were asked for"
            for number, (operation, line) in enumerate(zip(run.operations, seen.lines, strict=False)):
                if seen is not expected and line == expected.lines[number]:
                    continue  # the reference's own was looked at when this judge was made
                observation = understood(line)
                if set(observation) != {"n", "seen"} or observation["n"] is True or observation["n"] != number:
                    return f"observation {number} is missing, or not in its place"
                if operation["do"] == "canary" and _text(observation) != _text(wanted[number]):
                    return f"observation {number} is of the driver's own values, and is wrong"
        return ""


@dataclass(frozen=True)
class _Facts:
    """What is right, and the same as text: nearly all submissions have the same text, and this is quick to tell."""

    value: Any
    text: str


def _facts(operation: Operation, wanted: Observation, files: Mapping[str, Seen]) -> _Facts:
    value = facts_of(operation, wanted["seen"], files)
    return _Facts(value, json.dumps(value))


def _is_the_same(operation: Operation, seen: RunSeen, wanted: RunSeen) -> bool:
    """Tell whether all is as with the reference, to the byte: most of what is right is, and need not be read."""
    number = operation["n"]
    if "folder" in operation or seen.lines[number : number + 1] != wanted.lines[number : number + 1]:
        return False
    name = operation.get("file", "")
    return _content(seen.files.get(name)) == _content(wanted.files.get(name))


def _content(file: Seen | None) -> tuple[str, bytes] | None:
    return None if file is None else (file.kind, file.data)


def _judge(operation: Operation, seen: RunSeen, right: _Facts) -> ItemJudgement:
    number = operation["n"]
    ran = number < len(seen.lines)
    got = facts_of(operation, understood(seen.lines[number])["seen"], seen.files) if ran else _NOTHING
    try:
        difference = None if json.dumps(got) == right.text else _difference(operation, got, right.value, ())
    except RecursionError:
        difference = _Difference((), "a value that is too deep", right.value)
    if difference is None:
        return ItemJudgement(passed=True)
    return ItemJudgement(passed=False, first_difference=_described(operation, difference), ran=ran)


@dataclass(frozen=True)
class _Difference:
    where: tuple[str | int, ...]
    got: Any
    right: Any


def _difference(operation: Operation, got: Any, right: Any, where: tuple[str | int, ...]) -> _Difference | None:
    """Return the first place at which two observations differ."""
    if isinstance(right, dict) and "$error" in right:
        return None if same_error(operation, got, right["$error"]) else _Difference(where, got, right)
    if type(got) is not type(right) or (isinstance(right, dict) and got.keys() != right.keys()):
        return _Difference(where, got, right)
    if isinstance(right, dict):
        pairs = [(key, got[key], right[key]) for key in right]
    elif isinstance(right, list) and len(got) == len(right):
        pairs = [(number, *pair) for number, pair in enumerate(zip(got, right, strict=True))]
    else:
        return None if _text(got) == _text(right) else _Difference(where, got, right)
    for step, one, other in pairs:
        if (found := _difference(operation, one, other, (*where, step))) is not None:
            return found
    return None


def _text(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return "no JSON"


def _described(operation: Operation, difference: _Difference) -> str:
    where = "".join(f"[{step}]" if isinstance(step, int) else f" {step}" for step in difference.where)
    step = _step_of(operation, difference.where)
    return "\n".join(
        [
            f"operation: {_asked(operation)}" + (f"\nstep: {_short(step)}" if step else ""),
            f"where:{where or ' the whole'}",
            f"reference: {_short(difference.right)}",
            f"submission: {_short(difference.got)}",
        ]
    )


def _asked(operation: Operation) -> str:
    facts = {key: value for key, value in operation.items() if key not in {"n", "lab", "item"}}
    return _short(facts)


def _step_of(operation: Operation, where: tuple[str | int, ...]) -> Any:
    """Return the step of a program that a difference is in, if it is in one."""
    if operation["do"] == "program" and where[:1] == ("said",) and len(where) > 1 and isinstance(where[1], int):
        return operation["steps"][where[1]]
    return None


def _short(value: Any) -> str:
    if isinstance(value, dict) and isinstance(value.get("$error"), dict):
        error = value["$error"]
        value = {"error": error.get("name"), "text": error.get("text"), "facts": error.get("facts")}
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]} ... ({len(text):,} characters)"

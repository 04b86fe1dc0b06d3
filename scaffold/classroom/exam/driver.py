"""Does operations with a submission's code, and reports what it sees. It runs beside that code, and knows no answers.

An observation is a line of JSON with the number of its operation, sent as soon as it is known: a crash costs what
comes after it, and no more. An operation that takes too long is stopped, and what belongs to the same item is left
out from then on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from types import FrameType
from typing import Any

from scaffold.classroom.exam.operation import Operation
from scaffold.classroom.exam.programs import Player
from scaffold.classroom.exam.recipes import build
from scaffold.classroom.exam.repairs import Place, places_of_steps, repair
from scaffold.classroom.exam.reports import error_report
from scaffold.classroom.exam.values import change, encode, sharing
from scaffold.course import Lab, find_lab

Observation = dict[str, Any]
Send = Callable[[bytes], None]
Load = Callable[[Lab], Any]

SECONDS = 2.0  # for one operation; it takes a millisecond
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


class OutOfTimeError(BaseException):
    """An operation has taken too long. No `except Exception` of a submission stops it."""


def observe(load: Load, operations: Sequence[Operation], send: Send, seconds: float = SECONDS) -> None:
    """Do the operations in their order, and send an observation of each.

    Each operation has its number `n`, the number of its lab, and its `item`. Use it in the main thread.
    """
    _Driver(load, send, seconds).run(operations)


class _Driver:
    def __init__(self, load: Load, send: Send, seconds: float) -> None:
        self._load = load
        self._send = send
        self._seconds = seconds
        self._labs: dict[str, Any] = {}
        self._out_of_time: set[str] = set()

    def run(self, operations: Sequence[Operation]) -> None:
        loop = asyncio.new_event_loop()
        for operation in operations:
            if operation["item"] in self._out_of_time:
                self._report(operation, {"left out": True})
                continue
            try:
                with _limited(self._seconds * (1.5 if operation["do"] == "program" else 1)):
                    seen = self._see(operation, loop)
            except OutOfTimeError:
                seen = {"out of time": True}
            except Exception as error:
                seen = error_report(error)
            if "out of time" in seen:
                self._out_of_time.add(operation["item"])
            self._report(operation, seen)

    def _report(self, operation: Operation, seen: Any) -> None:
        self._send(_ENCODER.encode({"n": operation["n"], "seen": seen}).encode() + b"\n")

    def _see(self, operation: Operation, loop: asyncio.AbstractEventLoop) -> Any:
        if operation["do"] == "canary":
            return _canary(operation)
        lab = self._lab(operation["lab"])
        ways: dict[str, Callable[[], Any]] = {
            "call": lambda: {"value": encode(getattr(lab, operation["name"])(*build(operation["arguments"])))},
            "parse": lambda: _parse(lab, operation),
            "path twice": lambda: _path_twice(getattr(lab, operation.get("name", "path_to")), operation),
            "long chain": lambda: _long_chain(lab, operation),
            "program": lambda: self._play(lab, operation, loop),
            "two errors": lambda: _two_errors(getattr(lab, operation["name"]), operation),
            "repair": lambda: repair(lab, operation, self._places),
        }
        return ways[operation["do"]]()

    @cached_property
    def _places(self) -> list[Place]:
        return places_of_steps()

    def _lab(self, number: str) -> Any:
        """Return the lab's module, loaded once. Raises NotLoadableError, each time."""
        if number not in self._labs:
            try:
                self._labs[number] = self._load(find_lab(number))
            except Exception as error:
                self._labs[number] = error
        lab = self._labs[number]
        if isinstance(lab, Exception):
            raise lab.with_traceback(None)  # or else it would grow with each operation
        return lab

    def _play(self, lab: Any, operation: Operation, loop: asyncio.AbstractEventLoop) -> Any:
        player: Player | None = None

        async def play() -> Any:
            nonlocal player
            player = Player(lab, operation, lambda: self._report(operation, {"halfway": True}))
            limit = asyncio.timeout(self._seconds)
            try:
                async with limit:
                    await player.play()
            except TimeoutError:
                return {"out of time": True, "said": player.said}
            return {"said": player.said}

        return loop.run_until_complete(play())


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in the block, again and again, once the time is up."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds / 10)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


def _parse(lab: Any, operation: Operation) -> Any:
    """Parse an entry, and change the result: what was passed must not change with it."""
    entry = build(operation["entry"])
    before = encode(entry)
    parsed = lab.parse_session_entry(entry)
    seen = {"value": encode(parsed), "shared": sharing([parsed]), "with input": _apart([parsed, entry])}
    change(parsed, operation["changes"])
    return {**seen, "changed": encode(parsed), "input kept": encode(entry) == before}


def _apart(values: Sequence[Any]) -> list[list[int]]:
    """Return the pairs of different values that share something."""
    return [pair for pair in sharing(values) if pair[0] != pair[1]]


def _path_twice(function: Callable[..., Any], operation: Operation) -> Any:
    """Ask for a path twice, and change what was returned, and then what was passed."""
    entries, leaf = build(operation["arguments"])
    of_result, of_input = operation["changes"]
    before = encode(entries)
    first = function(entries, leaf)
    seen = {"first": encode(first), "apart": _apart(first) if type(first) is list else None}
    change(first, of_result)
    seen |= {"changed": encode(first), "input kept": encode(entries) == before}
    second = function(entries, leaf)
    seen |= {"second": encode(second), "shared": _apart([entries, first, second])}
    change(entries, of_input)
    return {**seen, "changed input": encode(entries), "third": encode(second)}


def _two_errors(function: Callable[..., Any], operation: Operation) -> Any:
    """Call a function twice, and report both errors: they must not be alike."""
    seen = []
    for arguments in operation["arguments"]:
        try:
            seen.append({"value": encode(function(*build(arguments)))})
        except Exception as error:
            seen.append(error_report(error))
    return {"errors": seen}


def _long_chain(lab: Any, operation: Operation) -> Any:
    ids = [f"{operation['prefix']}{number}" for number in range(operation["size"])]
    parents = [None, *ids[:-1]]
    chain = [_short_entry(name, parent) for name, parent in zip(ids, parents, strict=True)]
    sibling = _short_entry(f"{operation['prefix']} sibling", ids[0])
    path = lab.path_to([chain[0], sibling, *chain[1:]], ids[-1])  # or else what it is given would be the answer
    if type(path) is not list:
        return {"value": encode(path)}
    return {"value": [_id_of(step) for step in path]}


def _short_entry(name: str, parent: str | None) -> dict[str, Any]:
    message = {"role": "user", "content": [], "timestamp": 1}
    return {"id": name, "parentId": parent, "timestamp": 1, "type": "message", "message": message}


def _id_of(step: Any) -> Any:
    """Return the id of an entry; a dict with other keys than strings is not asked for one."""
    is_entry = type(step) is dict and all(type(key) is str for key in step)
    return encode(step.get("id") if is_entry else step)


def _canary(operation: Operation) -> Any:
    """Do what a driver does, on a value of its own. If that comes back wrong, nothing else can be believed."""
    value, other = build(operation["value"]), build(operation["value"])
    seen = {"value": encode(value), "shared": sharing([value, other, value])}
    change(value, operation["changes"])
    error = ValueError(operation["text"])
    error.fact = [operation["text"]]  # type: ignore[attr-defined]
    return {**seen, "changed": encode(value), "other": encode(other), "error": error_report(error)}

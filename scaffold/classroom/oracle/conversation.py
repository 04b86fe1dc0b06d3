"""What the oracle does with one connection: it answers calls, and asks back what only the other side knows.

The other end is hostile. An honest one breaks off a call now and then, wherever it is just then, and makes another.
"""

from __future__ import annotations

import contextlib
import json
import signal
import typing
from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any

from scaffold.classroom.oracle import answers
from scaffold.classroom.oracle.answers import Answer, NoAnswer, Numbers, Question, Raised, Returned
from scaffold.classroom.oracle.packets import BrokenLineError, Line, Message
from scaffold.classroom.oracle.received import MalformedError, Received
from scaffold.classroom.oracle.wire import MAX_BYTES

Function = Callable[..., Any]
Functions = Mapping[tuple[str, str], Function]  # by the lab's number and the function's name
Said = tuple[int, dict[str, Any]]  # a message, and its number
_MOST_INSIDE = 20  # calls, each made while the one before it asks for something


class _OverError(BaseException):
    """The connection is to be closed. No Exception, which the reference could catch in between."""


class _BrokenOffError(BaseException):
    """Whoever made a call has said something else since."""


class Conversation:
    """Serves one connection. `seconds` of the processor are what a call may take: then the kernel ends the process."""

    def __init__(self, line: Line, functions: Functions, seconds: float) -> None:
        self._line = line
        self._functions = functions
        self._seconds = seconds
        self._calls: list[int] = []  # that are under way, the innermost last
        self._unheeded: Said | None = None

    def serve(self) -> None:
        """Answer until the other end is closed, or says what is no message. Raises OSError from the connection."""
        with contextlib.suppress(_OverError):
            while True:
                number, message = self._next()
                if message.get("do") == "call":
                    self._answer(number, message)
                elif message.get("do") == "describe":
                    self._send(number, Returned({key: only_contains(each) for key, each in self._functions.items()}))
                else:
                    raise _OverError
                signal.setitimer(signal.ITIMER_PROF, 0)

    def _next(self) -> Said:
        said, self._unheeded = self._unheeded, None
        received = None if said else self._receive()
        if not self._calls:
            signal.setitimer(signal.ITIMER_PROF, self._seconds)
        if received is not None:
            said = received.number, _parsed(received.content)
        assert said is not None
        return said

    def _receive(self) -> Message:
        try:
            received = self._line.receive(MAX_BYTES)
        except BrokenLineError as error:
            raise _OverError from error
        if received is None:
            raise _OverError
        return received

    def _send(self, number: int, answer: Answer, numbers: Numbers | None = None) -> None:
        try:
            content = answers.dump(answer, numbers or {})
        except MemoryError:
            raise
        except Exception as error:
            content = answers.dump(NoAnswer(f"{type(error).__name__}: {error}"), {})
        self._line.send(Message(number, content))

    def _answer(self, number: int, message: dict[str, Any]) -> None:
        if len(self._calls) == _MOST_INSIDE:
            raise _OverError
        received = Received(lambda *asked: self._ask_back(received, number, Question(*asked)))
        call = self._call(message, received)
        self._calls.append(number)
        try:
            answer = _outcome(call)
        except _BrokenOffError:
            return
        finally:
            self._calls.pop()
        self._send(number, answer, received.numbers)

    def _call(self, message: dict[str, Any], received: Received) -> Function:
        """Return what a message asks to be called. Only a function that this connection may ask for is one."""
        try:
            function = self._functions[message["lab"], message["name"]]
            values, names = received.take(message), message["named"]
            if not all(type(name) is str for name in names):
                raise _OverError
            split = len(values) - len(names)
            return partial(function, *values[:split], **dict(zip(names, values[split:], strict=True)))
        except (MalformedError, LookupError, TypeError, ValueError) as error:
            raise _OverError from error

    def _ask_back(self, received: Received, call: int, question: Question) -> Any:
        """Ask for something, and return what is said to it, or raise it. Calls that are made meanwhile are answered."""
        self._send(call, question, received.numbers)
        while True:
            said, message = self._next()
            if message.get("do") == "call" and message.get("inside") == call:
                self._answer(said, message)
            elif message.get("do") == "reply" and said == call:
                return _reply(message, received)
            else:
                self._unheeded = said, message
                raise _BrokenOffError


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        message = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _OverError from error
    if type(message) is not dict:
        raise _OverError
    return message


def _reply(message: dict[str, Any], received: Received) -> Any:
    try:
        (value,) = received.take(message)
    except (MalformedError, ValueError) as error:
        raise _OverError from error
    if not message.get("raised"):
        return value
    if not isinstance(value, Exception):
        raise _OverError
    raise value


def _outcome(call: Function) -> Answer:
    try:
        return Returned(call())
    except MemoryError:
        raise
    except Exception as error:
        return Raised(error)


def only_contains(function: Function) -> frozenset[int | str]:
    """Return the positions and names of parameters that are Containers, of which no more may be asked."""
    hints = typing.get_type_hints(function)
    names = [name for name in hints if name != "return" and typing.get_origin(hints[name]) is Container]
    order = list(function.__code__.co_varnames)
    return frozenset((*names, *map(order.index, names)))

"""Stand-ins for earlier labs, inside of the sandbox: their functions ask the oracle, over descriptor 4.

What a submission does to this module it does to itself: it may ask the oracle what it likes, and learns no more than it
would by calling the labs that it builds on.
"""

from __future__ import annotations

import functools
import socket
import threading
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from scaffold.classroom.oracle import answers
from scaffold.classroom.oracle.answers import NoAnswer, Question, Raised, Returned
from scaffold.classroom.oracle.packets import Line, Message
from scaffold.classroom.oracle.questions import functions_of
from scaffold.classroom.oracle.wire import ABILITIES, Sent, TooLargeError
from scaffold.classroom.sandbox.inmate import QUESTION
from scaffold.course import LABS, Lab

_GONE = "the earlier labs don't answer any more: the connection was closed, or a call took too long or too much memory"
_FEW = 16  # ids
_TEXT = '''"""Stands for an earlier lab: its functions ask the reference, outside of the sandbox, for their results."""

from scaffold.classroom.oracle import standin


def __getattr__(name):
    return standin.attribute(__name__, name)
'''


class NoAnswerError(Exception):
    """An earlier lab could not be asked. What it would have returned or raised is not known."""


def write_standins(folder: Path, labs: Iterable[Lab]) -> None:
    """Write a `session.py` for each of these labs into a tree. All of them are alike, and hold no answer."""
    for lab in labs:
        source = folder / lab.folder / "session.py"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(_TEXT, "utf-8")


def attribute(module: str, name: str) -> Any:
    """Return what a stand-in has under a name. `module` is the stand-in's own name, which ends in its folder's.

    Raises AttributeError for what is no function that students write: labs use no more of each other than that.
    """
    lab = next(lab for lab in LABS if lab.folder == module.split(".")[-2])
    names = functions_of(lab)
    if name == "__all__":
        return [*names]
    if name not in names:
        raise AttributeError(f"lab {lab.number} has no {name} for later labs; it has {', '.join(names)}")
    return _function(lab.number, name)


@functools.cache
def _function(lab: str, name: str) -> Callable[..., Any]:
    def function(*arguments: Any, **named: Any) -> Any:
        return ask(QUESTION, lab, name, *arguments, **named)

    function.__name__ = function.__qualname__ = name
    return function


def ask(descriptor: int, lab: str, name: str, /, *arguments: Any, **named: Any) -> Any:
    """Return what a function of the reference returns, or raise what it raises. `lab` is a number, such as 10.2.

    Raises NoAnswerError.
    """
    return _connection(descriptor).ask(lab, name, arguments, named)


@functools.cache
def _connection(descriptor: int) -> Connection:
    try:
        return Connection(socket.socket(fileno=descriptor))
    except OSError as error:
        raise NoAnswerError(f"there is nobody to ask for earlier labs: {error}") from error


def _is_soon_sent(value: Container[Any]) -> bool:
    """Tell whether to send what is in a container takes less than to be asked for it."""
    if type(value) is set or type(value) is frozenset:
        return len(value) <= _FEW and all(type(each) is str for each in value)
    return False


class Connection:
    """Asks over one connection, from one thread at a time. Closes its socket in the end."""

    def __init__(self, end: socket.socket) -> None:
        self._line = Line(end)
        self._lock = threading.RLock()
        self._number = 0
        self._inside = 0  # the call whose question is being answered
        self._functions: Mapping[tuple[str, str], frozenset[int | str]] = {}

    def close(self) -> None:
        self._line.close()

    def ask(self, lab: str, name: str, arguments: Iterable[Any], named: Mapping[str, Any]) -> Any:
        """See `ask` above. An error that is raised here from outside, as by a limit of time, spoils no later call."""
        with self._lock:
            if not self._functions:
                self._functions = self._answer_to(Sent(), (), do="describe")
            if (lab, name) not in self._functions:
                raise NoAnswerError(f"lab {lab}'s {name} is no function of a lab beneath the one under test")
            only_contains = self._functions[lab, name]
            given = [*enumerate(arguments), *named.items()]
            sent = Sent()
            values = [
                sent.only_contains(value)
                if place in only_contains and isinstance(value, Container) and not _is_soon_sent(value)
                else value
                for place, value in given
            ]
            return self._answer_to(sent, values, do="call", lab=lab, name=name, named=[*named], inside=self._inside)

    def _answer_to(self, sent: Sent, values: Iterable[Any], **facts: Any) -> Any:
        self._number += 1
        number = self._number
        self._send(number, sent, values, facts)
        while True:
            match answer := self._answer(number, sent):
                case Returned(value):
                    return value
                case Raised(error):
                    raise error
                case Question():
                    self._reply(number, sent, answer)
                case NoAnswer(why):
                    raise NoAnswerError(f"the answer of an earlier lab can't be handed on: {why}")

    def _send(self, number: int, sent: Sent, values: Iterable[Any], facts: dict[str, Any]) -> None:
        try:
            content = sent.message(values, **facts)
        except TooLargeError as error:
            raise NoAnswerError(f"an earlier lab is asked about too much at once: {error}") from error
        try:
            self._line.send(Message(number, content), drop=True)
        except OSError as error:
            raise NoAnswerError(_GONE) from error

    def _answer(self, number: int, sent: Sent) -> Any:
        """Return the next answer to a call. Others are to calls that were broken off."""
        while True:
            try:
                message = self._line.receive()
            except OSError as error:
                raise NoAnswerError(_GONE) from error
            if message is None:
                raise NoAnswerError(_GONE)
            if message.number == number:
                return answers.load(message.content, sent.original)

    def _reply(self, number: int, sent: Sent, question: Question) -> None:
        _, act = ABILITIES[question.ability]
        before, self._inside = self._inside, number
        try:
            value, raised = act(sent.original(question.number), *question.arguments, **question.named), False
        except Exception as error:
            value, raised = error, True
        finally:
            self._inside = before
        self._send(number, sent, [value], {"do": "reply", "raised": raised})

"""The way back into the sandbox: pickle, for who sends it is trusted.

An object that was sent on the way out comes back as its number, and so as itself. Of an error come its type, its
arguments and attributes, and its causes; a traceback stays where it is.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Numbers = Mapping[int, int]  # of the objects that the other side has, by their id() here


class Returned(NamedTuple):
    """The reference has returned a value."""

    value: Any


class Raised(NamedTuple):
    """The reference has raised an error."""

    error: BaseException


class Question(NamedTuple):
    """The reference does something with an object that is in the sandbox: see ABILITIES."""

    ability: str
    number: int
    arguments: tuple[Any, ...]
    named: dict[str, Any]


class NoAnswer(NamedTuple):
    """There is an answer that can't be sent."""

    why: str


Answer = Returned | Raised | Question | NoAnswer


def dump(answer: Answer, numbers: Numbers) -> bytes:
    """Return an answer as bytes. Raises what pickle raises for values that it can't write."""
    target = io.BytesIO()
    _Pickler(target, numbers).dump(answer)
    return target.getvalue()


def load(data: bytes, original: Callable[[int], Any]) -> Any:
    """Return an answer, with the originals for their numbers. Only for what the oracle has sent."""
    return _Unpickler(io.BytesIO(data), original).load()


class _Pickler(pickle.Pickler):
    def __init__(self, target: io.BytesIO, numbers: Numbers) -> None:
        super().__init__(target, 5)
        self._numbers = numbers

    def persistent_id(self, value: object) -> int | None:
        return self._numbers.get(id(value))

    def reducer_override(self, value: object) -> Any:
        """Keep the cause of an error, and whether it hides what was raised before: pickle does not."""
        if not isinstance(value, BaseException):
            return NotImplemented
        return _with_cause, (*value.__reduce_ex__(5)[:2], vars(value), value.__cause__, value.__suppress_context__)


def _with_cause(
    kind: Callable[..., BaseException],
    arguments: tuple[Any, ...],
    attributes: dict[str, Any],
    cause: BaseException | None,
    hides: bool,
) -> BaseException:
    error = kind(*arguments)
    vars(error).update(attributes)
    error.__cause__ = cause
    error.__suppress_context__ = hides
    return error


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, original: Callable[[int], Any]) -> None:
        super().__init__(source)
        self._original = original

    def persistent_load(self, number: int) -> Any:
        return self._original(number)

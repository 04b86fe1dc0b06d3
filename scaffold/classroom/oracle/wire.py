"""How arguments leave the sandbox: as JSON in which nothing is nested, for who sends them is hostile.

A message has *values*, and *rows* that say what is in them. A value is a JSON scalar that stands for itself, or
    [n]            what row n of this call describes
    ["s", base64]  a string that UTF-8 can't write
    ["b", base64]  bytes
    ["i", hex]     an integer that is large
A row is a kind, the name of the type (null if it is the built-in type itself), and what is in it:
    list, tuple, set, frozenset  the values in it
    dict                         its keys and values in turn
    str, int, float, bytes, bytearray  the value that an instance of a subclass has
    error                        the built-in class that it is of, and its arguments
    object                       which of the ABILITIES its class has

So depth, shared parts and cycles survive. Of a subclass of a built-in type its methods do not, and of any other object
nothing does but the name of its class: whoever can be called, iterated over or asked for what is in it, is asked then.
"""

from __future__ import annotations

import base64
import builtins
import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scaffold.given import errors

MAX_BYTES = 4 * 2**20  # of a message
MAX_PARTS = 300_000  # values in the rows of a call, and the rows themselves
_SMALL = 2**63
_SCALARS = (str, int, float, bytes, bytearray)
_CONTAINERS = (list, tuple, set, frozenset)
_BUILT_IN = {*_SCALARS, *_CONTAINERS, dict}

ERRORS: dict[str, type[BaseException]] = {
    name: kind
    for module in (builtins, errors)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and not issubclass(kind, BaseExceptionGroup)
}
ABILITIES: dict[str, tuple[str, Callable[..., Any]]] = {  # the method that shows it, and what is done when it is asked
    "call": ("__call__", lambda value, *args, **kwargs: value(*args, **kwargs)),
    "contains": ("__contains__", lambda value, item: item in value),
    "iterate": ("__iter__", list),
    "copy": ("__deepcopy__", copy.deepcopy),  # all have it
}

_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__
_mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_methods_of: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__
_arguments_of: Callable[[BaseException], tuple[object, ...]] = BaseException.__dict__["args"].__get__


class TooLargeError(Exception):
    """What is to be sent is more than a message may hold."""


class _OnlyContains:
    """Stands for an object of which nothing may be asked but what is in it."""

    def __init__(self, value: object) -> None:
        self.value = value


class Sent:
    """The objects of one call, numbered in the order in which they are sent."""

    def __init__(self) -> None:
        self._objects: list[Any] = []  # kept, so that no other object gets the id of one of them
        self._numbers: dict[int, int] = {}
        self._parts = 0

    def message(self, values: Iterable[object], **facts: object) -> bytes:
        """Return a message of these values, and other facts that JSON can hold. Raises TooLargeError.

        What is in a value is looked at without running any of its methods.
        """
        number = len(self._objects)
        encoded = [self._value(each) for each in values]
        rows = []
        while number < len(self._objects):
            row = self._row(self._objects[number])
            self._count(len(row))
            rows.append(row)
            number += 1
        content = json.dumps({**facts, "values": encoded, "rows": rows}, separators=(",", ":")).encode()
        if len(content) > MAX_BYTES:
            raise TooLargeError(f"{len(content):,} bytes; the limit is {MAX_BYTES:,}")
        return content

    def original(self, number: int) -> Any:
        """Return the object that was sent under a number."""
        found = self._objects[number]
        return found.value if type(found) is _OnlyContains else found

    @staticmethod
    def only_contains(value: object) -> object:
        """Return what stands for a container of any size: it is sent as an object, which is asked what is in it."""
        return _OnlyContains(value)

    def _count(self, parts: int) -> None:
        self._parts += parts
        if self._parts > MAX_PARTS:
            raise TooLargeError(f"more than {MAX_PARTS:,} values")

    def _value(self, value: object) -> Any:
        kind = type(value)
        if kind is str:
            return _text(value)  # type: ignore[arg-type]
        if kind is int:
            return value if -_SMALL < value < _SMALL else ["i", hex(value)]  # type: ignore[operator, arg-type]
        if value is None or kind is bool or kind is float:
            return value
        if kind is bytes:
            return ["b", base64.b64encode(value).decode()]  # type: ignore[arg-type]
        number = self._numbers.setdefault(id(value), len(self._objects))
        if number == len(self._objects):
            self._objects.append(value)
        return [number]

    def _values(self, values: Iterable[object]) -> list[Any]:
        return [self._value(each) for each in values]

    def _row(self, value: Any) -> list[Any]:
        kind = type(value)
        if kind is _OnlyContains:
            return ["object", _name_of(type(value.value)), "contains"]
        name = None if kind in _BUILT_IN else _name_of(kind)
        for base in _mro_of(kind):
            if base in _CONTAINERS:
                return [base.__name__, name, *self._values(base.__iter__(value))]
            if base is dict:
                return ["dict", name, *self._values(part for pair in dict.items(value) for part in pair)]
            if base in _SCALARS:
                return [base.__name__, name, self._value(_exact(value, base))]
            if ERRORS.get(_name_of(base)) is base:
                return ["error", name, _name_of(base), *self._values(_arguments_of(value))]
        return ["object", name, *_abilities_of(kind)]


def _text(text: str) -> Any:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # JSON would make one character of a pair of surrogates
            return ["s", base64.b64encode(text.encode(errors="surrogatepass")).decode()]
    return text


def _exact(value: Any, base: type) -> object:
    """Return the value of an instance of a subclass, or of a bytearray, without running its methods."""
    if base is str:
        return str.__str__(value)
    if base is int:
        return int.__int__(value)
    return float.__float__(value) if base is float else memoryview(value).tobytes()


def _abilities_of(kind: type) -> Sequence[str]:
    return [
        ability
        for ability, (method, _) in ABILITIES.items()
        if ability != "copy" and any(method in _methods_of(each) for each in _mro_of(kind))
    ]

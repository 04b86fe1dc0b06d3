"""Makes values of what comes out of the sandbox, as `wire` describes it. All of it may be a lie.

What is neither a value of JSON, nor bytes, tuple or set, becomes an inert object of a class that has the name of the
original's class, and none of its methods: those that it has ask back. So the reference refuses it with the same words.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from scaffold.classroom.oracle.wire import ABILITIES, ERRORS, MAX_PARTS
from scaffold.given import errors

AskBack = Callable[[str, int, tuple[Any, ...], dict[str, Any]], Any]
_TYPES: dict[str, type] = {
    kind.__name__: kind for kind in (list, dict, set, tuple, frozenset, str, int, float, bytes, bytearray)
}
_OURS = tuple(kind for kind in ERRORS.values() if kind.__module__ == errors.__name__)
_PENDING = object()


class MalformedError(Exception):
    """What came is not what an honest stand-in sends."""


class Received:
    """The objects of one call. `numbers` are those under which they were sent, by their id() here."""

    def __init__(self, ask_back: AskBack) -> None:
        """Begin a call. `ask_back` gets an ability, the number of the object that has it, and arguments."""
        self._ask_back = ask_back
        self._objects: list[Any] = []
        self.numbers: dict[int, int] = {}
        self._classes: dict[tuple[object, ...], type] = {}
        self._parts = 0

    def take(self, message: Mapping[str, Any]) -> list[Any]:
        """Return the values of a message. Raises MalformedError."""
        try:
            return self._take(message["values"], message["rows"])
        except MemoryError:
            raise
        except Exception as error:
            raise MalformedError(f"{type(error).__name__}: {error}") from error

    def _take(self, values: Sequence[Any], rows: Sequence[Sequence[Any]]) -> list[Any]:
        if not all(type(each) is list for each in (values, rows, *rows)):
            raise TypeError("values, rows and each row are lists")
        self._parts += len(values) + sum(map(len, rows))
        if self._parts > MAX_PARTS + 100:
            raise ValueError("there are too many values")
        first = len(self._objects)
        self._objects += [_PENDING] * len(rows)
        frozen = {number for number, row in enumerate(rows, first) if row[0] in {"tuple", "frozenset"}}
        for number, row in enumerate(rows, first):
            if number not in frozen:
                self._objects[number] = self._begin(*row)
        for number in _inner_first(frozen, rows, first):
            kind, name, *parts = rows[number - first]
            self._objects[number] = self._class(name, _TYPES[kind])(self._values(parts))
        self.numbers.update((id(self._objects[number]), number) for number in range(first, len(self._objects)))
        for number, row in enumerate(rows, first):
            self._fill(self._objects[number], *row)
        return self._values(values)

    def _values(self, values: Iterable[Any]) -> list[Any]:
        return [self._value(value) for value in values]

    def _value(self, value: Any) -> Any:
        if type(value) is list:
            return _odd(*value) if len(value) > 1 else self._object(value[0])
        if type(value) is dict:
            raise TypeError("an object is no value")
        return value

    def _object(self, number: Any) -> Any:
        if type(number) is not int or number < 0 or self._objects[number] is _PENDING:
            raise ValueError("there is no such row, or a tuple is in itself")
        return self._objects[number]

    def _begin(self, kind: str, name: str | None, *parts: Any) -> Any:
        """Make what a row describes, without what is in it."""
        if kind == "object":
            return self._class(name, object, parts)()
        if kind == "error":
            base = ERRORS[parts[0]]
            return base.__new__(base if name == base.__name__ and base in _OURS else self._class(name, base))
        base = self._class(name, _TYPES[kind])
        return base(*self._values(parts)) if kind not in {"list", "dict", "set"} else base()

    def _fill(self, value: Any, kind: str, _name: str | None, *parts: Any) -> None:
        if kind == "list":
            list.extend(value, self._values(parts))
        elif kind == "set":
            set.update(value, self._values(parts))
        elif kind == "dict":
            for key, item in zip(parts[::2], parts[1::2], strict=True):
                dict.__setitem__(value, self._value(key), self._value(item))
        elif kind == "error":
            value.args = tuple(self._values(parts[1:]))
            if isinstance(value, _OURS):
                type(value).__init__(value, *value.args)  # their attributes come from there

    def _class(self, name: str | None, base: type, abilities: Sequence[str] = ()) -> type:
        """Return a class of this name and base, or the base itself for no name."""
        if name is None:
            return base
        key = (name, base, *abilities)
        if key not in self._classes:
            methods = {ABILITIES[ability][0]: self._method(ability) for ability in ("copy", *abilities)}
            self._classes[key] = type(name, (base,), methods)
        return self._classes[key]

    def _method(self, ability: str) -> Callable[..., Any]:
        def method(value: object, *arguments: Any, **named: Any) -> Any:
            return self._ask_back(ability, self.numbers[id(value)], arguments, named)

        def copied(value: object, _memo: object) -> Any:
            return self._ask_back(ability, self.numbers[id(value)], (), {})

        def iterated(value: object) -> Iterator[Any]:
            return iter(method(value))

        others: dict[str, Callable[..., Any]] = {"copy": copied, "iterate": iterated}
        return others.get(ability, method)


def _odd(kind: str, text: str) -> Any:
    if kind == "i":
        return int(text, 16)
    if kind not in {"b", "s"}:
        raise ValueError("no value begins like this")
    data = base64.b64decode(text, validate=True)
    return data if kind == "b" else data.decode(errors="surrogatepass")


def _inner_first(frozen: set[int], rows: Sequence[Sequence[Any]], first: int) -> Iterator[int]:
    """Yield the numbers of tuples and frozen sets, each after those in it. One that is in itself comes too early."""
    begun: set[int] = set()
    done: set[int] = set()
    waiting = sorted(frozen, reverse=True)
    while waiting:
        number = waiting[-1]
        if number not in begun:
            begun.add(number)
            inner = {part[0] for part in rows[number - first][2:] if type(part) is list and len(part) == 1}
            waiting += (inner & frozen) - done
            continue
        waiting.pop()
        if number not in done:
            done.add(number)
            yield number

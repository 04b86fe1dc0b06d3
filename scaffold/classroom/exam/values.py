"""Says what a value is, in JSON, without asking the value anything.

A value that a submission hands out may lie: about its class, about what it equals, about what it holds. So nothing is
done here but `type(x) is ...` and the C code of the exact built-in types. Whatever is of another type is reported as
just that, by its type's name.

`encode` keeps apart what Python keeps apart: True, 1 and 1.0, 0.0 and -0.0, a dict and its subclass, an object that
stands in itself. Plain JSON stands for itself. All else is an object with the key `$`, and an object that has such a
key of its own is written as pairs. The order of keys is kept and means nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

MAX_DEPTH = 150  # of what is reported; the labs allow 100 in a value, and a few around it
MAX_PARTS = 50_000
MAX_TEXT = 4_000  # characters; of a longer text the digest is reported
CHARACTERS_A_PART = 64  # so much text counts as one part more
MAX_BITS = 4_096
SMALL = 2**63

_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__
_mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_BUILTIN = (bool, int, float, str, bytes, list, tuple, dict, set, frozenset)


def encode(value: object) -> Any:
    """Return a JSON value that tells what `value` is. It never fails, and has a limited size."""
    return _Encoder().encode(value, ())


class _Encoder:
    def __init__(self) -> None:
        self._left = MAX_PARTS

    def encode(self, value: object, around: tuple[int, ...]) -> Any:
        self._left -= 1
        if value is None or type(value) is bool:
            return value
        if type(value) is list or type(value) is dict or type(value) is tuple:
            return self._container(value, around)
        if type(value) is str:
            self._left -= min(len(value), MAX_TEXT) // CHARACTERS_A_PART
        return _scalar(value)

    def _container(self, value: list[Any] | dict[Any, Any] | tuple[Any, ...], around: tuple[int, ...]) -> Any:
        if id(value) in around:
            return {"$": "cycle", "up": len(around) - around.index(id(value))}
        if len(around) == MAX_DEPTH:
            return {"$": "deep"}
        inside = (*around, id(value))
        if type(value) is not dict:
            items = self._items(value, inside)
            return items if type(value) is list else {"$": "tuple", "items": items}
        if all(_is_plain_key(key) for key in value):
            self._left -= sum(map(len, value)) // CHARACTERS_A_PART
            items = self._items(value.values(), inside)
            return {**dict(zip(value, items, strict=False)), **({} if len(items) == len(value) else {"$": "cut"})}
        keys, items = self._items(value, inside), self._items(value.values(), inside)
        return {"$": "dict", "items": [list(pair) for pair in zip(keys, items, strict=False)]}

    def _items(self, items: Iterable[Any], inside: tuple[int, ...]) -> list[Any]:
        encoded: list[Any] = []
        for item in items:
            if self._left <= 0:
                return [*encoded, {"$": "cut"}]
            encoded.append(self.encode(item, inside))
        return encoded


def _is_plain_key(key: object) -> bool:
    return type(key) is str and not key.startswith("$") and _is_plain_text(key)


def _is_plain_text(text: str) -> bool:
    if len(text) > MAX_TEXT:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _scalar(value: object) -> Any:
    if type(value) is str:
        return value if _is_plain_text(value) else _odd_text(value)
    if type(value) is int:
        return value if -SMALL < value < SMALL else _large(value)
    if type(value) is float:
        return value if value - value == 0 else {"$": "float", "is": float.__repr__(value)}
    if type(value) is bytes:
        return {"$": "bytes", "size": len(value), "digest": hashlib.sha256(value).hexdigest()}
    return {"$": "object", "type": type_name(value), "of": base_name(value)}


def _odd_text(text: str) -> Any:
    if len(text) <= MAX_TEXT:
        return {"$": "text", "points": [ord(character) for character in text]}
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return {"$": "text", "size": len(text), "digest": digest}


def _large(number: int) -> Any:
    if number.bit_length() <= MAX_BITS:
        return {"$": "int", "hex": hex(number)}
    return {"$": "int", "bits": number.bit_length(), "negative": number < 0}


def type_name(value: object) -> str:
    """Return the name of a value's class, cut, as the class itself can't change it."""
    return _name_of(type(value))[:80].encode(errors="replace").decode()


def base_name(value: object) -> str:
    """Return the name of the built-in type that the value's class is made of, or ""."""
    return next((base.__name__ for base in _mro_of(type(value)) if base in _BUILTIN), "")


def mro_of(value: object) -> tuple[type, ...]:
    """Return the classes of a value's class, as C sees them."""
    return _mro_of(type(value))


def containers(value: object) -> list[list[Any] | dict[Any, Any]]:
    """Return each list and dict in a value as often as it stands there, outer before inner; a cycle once a round.

    The children of a dict come in the order of their keys, whatever order they were put in.
    """
    found: list[list[Any] | dict[Any, Any]] = []
    _find_containers(value, set(), found)
    return found


def _find_containers(part: object, around: set[int], found: list[list[Any] | dict[Any, Any]]) -> None:
    if (type(part) is not list and type(part) is not dict) or id(part) in around:
        return
    if len(around) == MAX_DEPTH or len(found) == MAX_PARTS:
        return
    found.append(part)
    around.add(id(part))
    for child in _children(part):
        _find_containers(child, around, found)
    around.discard(id(part))


def _children(part: list[Any] | dict[Any, Any]) -> list[Any]:
    if type(part) is list:
        return part
    assert type(part) is dict
    keys = [key for key in part if type(key) is str]
    return [part[key] for key in sorted(keys)] if len(keys) == len(part) else list(part.values())


def sharing(values: Iterable[object]) -> list[list[int]]:
    """Return the pairs of values, by their positions, of which some list or dict is part of both.

    A value is paired with itself if a list or dict stands in it twice.
    """
    seen: dict[int, set[int]] = {}
    pairs: set[tuple[int, int]] = set()
    for position, value in enumerate(values):
        for part in containers(value):
            owners = seen.setdefault(id(part), set())
            pairs.update((owner, position) for owner in owners)
            owners.add(position)
    return [list(pair) for pair in sorted(pairs)]


def change(value: object, changes: Iterable[tuple[float, str, Any]]) -> None:
    """Change a value at chosen places.

    Each change is a place, from 0 (the outermost container) to 1 (the last one), a way, and a value: `add` it,
    `put` it in the place of a child, or `drop` a child.
    """
    for place, way, new in changes:
        parts = containers(value)
        if parts:
            _change(parts[int(place * len(parts))], way, new)


def _change(part: list[Any] | dict[Any, Any], way: str, new: Any) -> None:
    if type(part) is list:
        if way == "add" or not part:
            part.append(new)
        elif way == "put":
            part[-1] = new
        else:
            part.pop()
    elif type(part) is dict:
        keys = sorted(key for key in part if type(key) is str)
        if way == "add" or not keys:
            part["added"] = new
        elif way == "put":
            part[keys[0]] = new
        else:
            del part[keys[0]]

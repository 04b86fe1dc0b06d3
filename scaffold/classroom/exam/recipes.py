"""Makes values out of recipes. A recipe is JSON; most stand for themselves.

An object with the key `$` stands for something that JSON has no word for:

    points  points     a string by its code points, also such as UTF-8 can't write
    text    parts      strings and how often each is repeated
    int     hex        an integer of any size
    float   is         nan, inf, -inf
    dict    items      a dict by its pairs, whose keys may be anything
    made    as, of     an instance of one of the classes below, or what a call gives
    same    name, of   one object in several places: made where it is first met
    loop    length     a list or dict that is inside itself, after so many steps
    nested  depth, of  lists and dicts inside one another
"""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple


class Text(str):
    """A string that is equal to whatever it is asked about."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("message")


class Whole(enum.IntEnum):
    ONE = 1


class Real(float):
    pass


class Pair(NamedTuple):
    first: Any
    second: Any


class Names(list[Any]):
    pass


MADE: dict[str, Callable[[Any], Any]] = {
    "Text": Text,
    "Whole": lambda _: Whole.ONE,
    "Real": Real,
    "Pair": lambda items: Pair(*items),
    "Names": Names,
    "OrderedDict": OrderedDict,
    "MappingProxyType": MappingProxyType,
    "tuple": tuple,
    "set": set,
    "bytes": lambda text: text.encode(),
    "complex": lambda number: complex(0, number),
    "object": lambda _: object(),
    "function": lambda _: len,
}

SCALARS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "text": lambda recipe: "".join(text * times for text, times in recipe["parts"]),
    "points": lambda recipe: "".join(map(chr, recipe["points"])),
    "int": lambda recipe: int(recipe["hex"], 16),
    "float": lambda recipe: float(recipe["is"]),
    "loop": lambda recipe: _loop(recipe["length"]),
}


def build(recipe: Any) -> Any:
    """Make the value of a recipe, anew each time. Raises KeyError for a word that is none of the above."""
    return _Builder().build(recipe)


class _Builder:
    def __init__(self) -> None:
        self._same: dict[str, Any] = {}

    def build(self, recipe: Any) -> Any:
        if isinstance(recipe, list):
            return [self.build(item) for item in recipe]
        if not isinstance(recipe, dict):
            return recipe
        if "$" not in recipe:
            return {key: self.build(item) for key, item in recipe.items()}
        return self._special(recipe)

    def _special(self, recipe: dict[str, Any]) -> Any:
        kind = recipe["$"]
        if kind == "same":
            return self._one_for_all(recipe)
        if kind == "dict":
            return {self.build(key): self.build(item) for key, item in recipe["items"]}
        if kind == "made":
            return MADE[recipe["as"]](self.build(recipe["of"]))
        if kind == "nested":
            return _nested(recipe["depth"], self.build(recipe["of"]))
        return SCALARS[kind](recipe)

    def _one_for_all(self, recipe: dict[str, Any]) -> Any:
        if recipe["name"] not in self._same:
            self._same[recipe["name"]] = self.build(recipe["of"])
        return self._same[recipe["name"]]


def _loop(length: int) -> Any:
    first: list[Any] = []
    last: Any = first
    for _ in range(length - 1):
        last.append([])
        last = last[0]
    last.append(first)
    return first


def _nested(depth: int, value: Any) -> Any:
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return value

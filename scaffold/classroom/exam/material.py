"""What random operations are made of: ids, texts, JSON values, entries, and trees of entries.

Everything is drawn with `random()` alone, whose sequence Python promises to keep for a seed.
"""

from __future__ import annotations

import random
from collections.abc import MutableSequence, Sequence
from typing import Any, TypeVar

from scaffold.given import samples

T = TypeVar("T")
LETTERS = "bcdfghjkmpqrstvwxz"
DIGITS = "23456789"
ASCII_WORDS = ("milk", "notes", "branch", "every", "attempt", "a\tb", 'say "x"')
WORDS = (*ASCII_WORDS, "naïve", "Größe", "道", "木の枝", "слово", "🌳", "👩\u200d💻", "e\u0301")
STOP_REASONS = ("stop", "length", "toolUse", "error", "aborted")


class Chance:
    """A sequence of random choices, the same for the same words on every machine."""

    texts: Sequence[str] = WORDS  # of which texts are made

    def __init__(self, *words: str) -> None:
        self._random = random.Random(" ".join(words))  # noqa: S311 (the seed is the secret, and it is fresh)

    def part(self) -> float:
        """Return a number from 0 up to, but not including, 1."""
        return self._random.random()

    def below(self, limit: int) -> int:
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], number: int) -> list[T]:
        """Return so many of the items, each at most once, in a random order."""
        return self.shuffled(items)[:number]

    def shuffle(self, items: MutableSequence[T]) -> None:
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        copy = list(items)
        self.shuffle(copy)
        return copy

    def name(self) -> str:
        """Return a name that is in no other text by accident: letters and digits, a letter first."""
        return self.pick(LETTERS) + "".join(self.pick(LETTERS + DIGITS) for _ in range(6))

    def names(self, number: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < number:
            found[self.name()] = None
        return list(found)

    def text(self) -> str:
        return " ".join(self.pick(self.texts) for _ in range(self.between(1, 4))) + " " + self.name()

    def number(self) -> int | float:
        """Return a number that is not negative."""
        return self.pick((self.below(10**6), self.below(10**6) / 8, self.below(10**12)))

    def scalar(self) -> Any:
        return self.pick((None, True, False, self.number(), -self.number(), self.text(), ""))

    def value(self, depth: int = 2) -> Any:
        """Return a JSON value in which some list or dict stands, if `depth` is not 0."""
        if depth == 0:
            return self.scalar()
        children = [self.value(depth - 1), self.scalar(), self.value(0)]
        return children if self.part() < 1 / 2 else {self.name(): child for child in children}

    def changes(self, number: int = 3) -> list[list[Any]]:
        """Return changes for `values.change`: one of the outermost container, and some elsewhere."""
        places = [0.0, *(self.part() for _ in range(number - 1))]
        return [[place, self.pick(("add", "put", "drop")), self.name()] for place in places]


def note(chance: Chance, entry_id: str, parent_id: str | None) -> dict[str, Any]:
    entry: Any = samples.metadata_entry(entry_id, parent_id, chance.name(), chance.value())
    return {**entry, "timestamp": chance.number()}


def flat(entry_id: str, parent_id: str | None) -> dict[str, Any]:
    """Return a small note."""
    return dict(samples.metadata_entry(entry_id, parent_id, "k", 1))


def user(chance: Chance) -> dict[str, Any]:
    content = [samples.text(chance.text()) for _ in range(chance.between(1, 2))]
    return {"role": "user", "content": content, "timestamp": chance.number()}


def call(chance: Chance) -> dict[str, Any]:
    block: Any = samples.tool_call(chance.name(), chance.name(), chance.value())
    return block if chance.part() < 1 / 2 else {**block, "rawArguments": chance.text()}


def assistant(chance: Chance, calls: int | None = None) -> dict[str, Any]:
    calls = chance.below(3) if calls is None else calls
    content = [samples.text(chance.text()), *(call(chance) for _ in range(calls))]
    message = {
        "role": "assistant",
        "content": content,
        "provider": chance.name(),
        "model": chance.text(),
        "usage": {key: chance.number() for key in ("input", "output", "totalTokens")},
        "stopReason": chance.pick(STOP_REASONS),
        "timestamp": chance.number(),
    }
    return message if chance.part() < 1 / 2 else {**message, "errorMessage": chance.text()}


def result(chance: Chance, *, is_error: bool | None = None) -> dict[str, Any]:
    message = {
        "role": "toolResult",
        "toolCallId": chance.name(),
        "toolName": chance.name(),
        "content": [samples.text(chance.text())],
        "isError": chance.part() < 1 / 2 if is_error is None else is_error,
        "timestamp": chance.number(),
    }
    return message if chance.part() < 1 / 4 else {**message, "details": chance.value()}


def message_entry(chance: Chance, entry_id: str, parent_id: str | None, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": entry_id,
        "parentId": parent_id,
        "timestamp": chance.number(),
        "type": "message",
        "message": message,
    }


def entry(chance: Chance, entry_id: str, parent_id: str | None) -> dict[str, Any]:
    """Return an entry of any kind."""
    if chance.part() < 1 / 4:
        return note(chance, entry_id, parent_id)
    message = chance.pick((user, assistant, result))(chance)
    return message_entry(chance, entry_id, parent_id, message)


def tree(chance: Chance, size: int, more_roots: float = 0.0) -> list[dict[str, Any]]:
    """Return entries of all kinds, each parent before its children. `more_roots` is how often a new root comes."""
    entries: list[dict[str, Any]] = []
    for number, entry_id in enumerate(chance.names(size)):
        older = entries[max(0, number - 4) :]
        parent = None if not older or chance.part() < more_roots else chance.pick(older)["id"]
        entries.append(entry(chance, entry_id, parent))
    return entries


def chain(chance: Chance, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return one branch."""
    parents = [None, *ids[:-1]]
    return [entry(chance, entry_id, parent) for entry_id, parent in zip(ids, parents, strict=True)]


def small(value: str | float) -> dict[str, Any]:
    """Return the recipe of a float that is no number, or of an integer of any size."""
    return {"$": "float", "is": value} if isinstance(value, str) else {"$": "int", "hex": hex(int(value))}


def made(kind: str, of: Any = None) -> dict[str, Any]:
    """Return the recipe of an object that only looks like JSON."""
    return {"$": "made", "as": kind, "of": of}


def points(*codes: int) -> dict[str, Any]:
    """Return the recipe of a string of these code points."""
    return {"$": "points", "points": list(codes)}


ABSENT = object()


def changed(original: Any, path: str, value: Any) -> Any:
    """Return a copy in which the field at `path`, such as `message.content.0.text`, has another value, or none."""
    step, _, rest = path.partition(".")
    if isinstance(original, list):
        position = int(step)
        inner = changed(original[position], rest, value) if rest else value
        return [*original[:position], inner, *original[position + 1 :]]
    if rest:
        return {**original, step: changed(original[step], rest, value)}
    if value is ABSENT:
        return {key: item for key, item in original.items() if key != step}
    return {**original, step: value}

"""Lab 10.2: turn an unknown value into a trusted session entry, or say which field is wrong.

New: a check takes a value and returns a copy of it, or raises EntryError. The tables at the end say which check
belongs to which field. The path of an error is put together on its way out, so a good entry pays nothing for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, cast

from scaffold.given.entries import JsonValue, SessionEntry
from scaffold.given.errors import EntryError, kind_of

Check = Callable[[object], Any]
Fields = Mapping[str, Check]

LARGEST = sys.float_info.max  # of the finite numbers that a double can hold
MAX_DEPTH = 100  # arrays and objects inside one another; json.loads itself gives up near 1,000
OPTIONAL = {"rawArguments", "errorMessage", "details"}


def string(value: object) -> str:
    """Accept a string that UTF-8 can write, which is one without surrogate code points.

    Exact types here and below: an instance of a subclass can lie about what it equals.

    Task 10.2 a: strings
    """
    raise NotImplementedError("Lab 10.2: string is not written yet")


def name(value: object) -> str:
    """Accept a string that is not blank, and leave it untrimmed.

    Task 10.2 a: strings
    """
    raise NotImplementedError("Lab 10.2: name is not written yet")


def name_or_null(value: object) -> str | None:
    """Accept None, and a string that is not blank.

    Task 10.2 a: strings
    """
    raise NotImplementedError("Lab 10.2: name_or_null is not written yet")


def word(value: object, words: Collection[str]) -> str:
    """Accept one of these words.

    Task 10.2 a: strings
    """
    raise NotImplementedError("Lab 10.2: word is not written yet")


def number(value: object) -> float:
    """Accept a finite number in the range of a double. A boolean is no number.

    Task 10.2 b: numbers. A Python int has no limit, and `math.isfinite(10**400)` raises OverflowError.
    """
    raise NotImplementedError("Lab 10.2: number is not written yet")


def amount(value: object) -> float:
    """Accept a number that is not negative.

    Task 10.2 b: numbers
    """
    raise NotImplementedError("Lab 10.2: amount is not written yet")


def boolean(value: object) -> bool:
    """Accept True and False, but neither 0 nor 1.

    Task 10.2 b: numbers
    """
    raise NotImplementedError("Lab 10.2: boolean is not written yet")


def array(value: object, check: Check) -> list[Any]:
    """Copy a list, and no subclass, whose items pass the check. An item's step in the path is its index.

    Task 10.2 c: containers
    """
    raise NotImplementedError("Lab 10.2: array is not written yet")


def record(value: object, fields: Fields) -> dict[str, Any]:
    """Copy a dict, and no subclass, with exactly these fields, checked in this order. OPTIONAL ones may be absent.

    Task 10.2 c: containers. A field's step in the path is its key; look for unknown fields last.
    """
    raise NotImplementedError("Lab 10.2: record is not written yet")


def variant(value: object, tag: str, variants: Mapping[str, Fields]) -> dict[str, Any]:
    """Copy a record whose field `tag` says which of the variants it is.

    Task 10.2 c: containers
    """
    raise NotImplementedError("Lab 10.2: variant is not written yet")


def json_value(value: object, ancestors: frozenset[int] = frozenset()) -> JsonValue:
    """Copy any JSON value deeply. `ancestors` has the `id()` of each container around this value.

    An object that stands in two places side by side becomes two copies. Only inside itself is it a cycle.

    Task 10.2 d: scalars first; then a container, whose children have one ancestor more.
    """
    raise NotImplementedError("Lab 10.2: json_value is not written yet")


def parse_session_entry(value: object) -> SessionEntry:
    """Return a checked deep copy of a session entry, which shares nothing mutable with `value`.

    Raises EntryError (a ValueError) with the path of the first wrong field: id, parentId and timestamp come first,
    then `type`, then what that type asks for. (Chapter 10, step 2.)

    Task 10.2 e: the table METADATA_ENTRY for metadata, and MESSAGE_ENTRY for all else, which refuses other types.
    """
    raise NotImplementedError("Lab 10.2: parse_session_entry is not written yet")


TEXT: Fields = {"type": string, "text": string}
TOOL_CALL: Fields = {"type": string, "id": name, "name": name, "arguments": json_value, "rawArguments": string}
TEXTS = partial(array, check=partial(variant, tag="type", variants={"text": TEXT}))
BLOCKS = partial(array, check=partial(variant, tag="type", variants={"text": TEXT, "toolCall": TOOL_CALL}))
USAGE: Fields = {"input": amount, "output": amount, "totalTokens": amount}
USER: Fields = {"role": string, "content": TEXTS, "timestamp": number}
ASSISTANT: Fields = {
    "role": string,
    "content": BLOCKS,
    "provider": string,
    "model": string,
    "usage": partial(record, fields=USAGE),
    "stopReason": partial(word, words=["stop", "length", "toolUse", "error", "aborted"]),
    "errorMessage": string,
    "timestamp": number,
}
TOOL_RESULT: Fields = {
    "role": string,
    "toolCallId": name,
    "toolName": name,
    "content": TEXTS,
    "details": json_value,
    "isError": boolean,
    "timestamp": number,
}
MESSAGE = partial(variant, tag="role", variants={"user": USER, "assistant": ASSISTANT, "toolResult": TOOL_RESULT})
BASE: Fields = {
    "id": name,
    "parentId": name_or_null,
    "timestamp": number,
    "type": partial(word, words=["message", "metadata"]),
}
MESSAGE_ENTRY: Fields = {**BASE, "message": MESSAGE}
METADATA_ENTRY: Fields = {**BASE, "key": name, "value": json_value}

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
    if type(value) is not str:
        raise EntryError(f"must be a string, not {kind_of(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise EntryError("must not hold surrogate code points, which UTF-8 can't write") from None
    return value


def name(value: object) -> str:
    """Accept a string that is not blank, and leave it untrimmed.

    Task 10.2 a: strings
    """
    text = string(value)
    if not text.strip():
        raise EntryError("must not be blank")
    return text


def name_or_null(value: object) -> str | None:
    """Accept None, and a string that is not blank.

    Task 10.2 a: strings
    """
    return None if value is None else name(value)


def word(value: object, words: Collection[str]) -> str:
    """Accept one of these words.

    Task 10.2 a: strings
    """
    if type(value) is not str or value not in words:
        raise EntryError(f"must be {' or '.join(words)}, not {kind_of(value)}")
    return value


def number(value: object) -> float:
    """Accept a finite number in the range of a double. A boolean is no number.

    Task 10.2 b: numbers. A Python int has no limit, and `math.isfinite(10**400)` raises OverflowError.
    """
    if type(value) is not int and type(value) is not float:
        raise EntryError(f"must be a number, not {kind_of(value)}")
    if not -LARGEST <= value <= LARGEST:  # NaN is in no range
        raise EntryError("must be a finite number that fits a double")
    return value


def amount(value: object) -> float:
    """Accept a number that is not negative.

    Task 10.2 b: numbers
    """
    count = number(value)
    if count < 0:
        raise EntryError("must not be negative")
    return count


def boolean(value: object) -> bool:
    """Accept True and False, but neither 0 nor 1.

    Task 10.2 b: numbers
    """
    if type(value) is not bool:
        raise EntryError(f"must be true or false, not {kind_of(value)}")
    return value


def array(value: object, check: Check) -> list[Any]:
    """Copy a list, and no subclass, whose items pass the check. An item's step in the path is its index.

    Task 10.2 c: containers
    """
    if type(value) is not list:
        raise EntryError(f"must be an array, not {kind_of(value)}")
    copy: list[Any] = []
    try:
        for item in value:
            copy.append(check(item))
    except EntryError as error:
        raise error.under(len(copy)) from None
    return copy


def record(value: object, fields: Fields) -> dict[str, Any]:
    """Copy a dict, and no subclass, with exactly these fields, checked in this order. OPTIONAL ones may be absent.

    Task 10.2 c: containers. A field's step in the path is its key; look for unknown fields last.
    """
    if type(value) is not dict:
        raise EntryError(f"must be a plain object, not {kind_of(value)}")
    key = ""
    copy = {}
    try:
        for key, check in fields.items():
            if key in value:
                copy[key] = check(value[key])
            elif key not in OPTIONAL:
                raise EntryError("is missing")
    except EntryError as error:
        raise error.under(key) from None
    for key in value:
        if type(key) is not str or key not in fields:
            raise EntryError(f"has an unknown field {kind_of(key)}; known are {', '.join(fields)}")
    return copy


def variant(value: object, tag: str, variants: Mapping[str, Fields]) -> dict[str, Any]:
    """Copy a record whose field `tag` says which of the variants it is.

    Task 10.2 c: containers
    """
    kind = value.get(tag) if type(value) is dict else None
    if type(kind) is str and kind in variants:
        return record(value, variants[kind])
    return record(value, {tag: partial(word, words=variants)})


def json_value(value: object, ancestors: frozenset[int] = frozenset()) -> JsonValue:
    """Copy any JSON value deeply. `ancestors` has the `id()` of each container around this value.

    An object that stands in two places side by side becomes two copies. Only inside itself is it a cycle.

    Task 10.2 d: scalars first; then a container, whose children have one ancestor more.
    """
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return string(value)
    if type(value) is int or type(value) is float:
        return number(value)
    if type(value) is not list and type(value) is not dict:
        raise EntryError(f"can't be written to JSON: it is {kind_of(value)}")
    if id(value) in ancestors:
        raise EntryError("contains itself, and a cycle can't be written to JSON")
    if len(ancestors) == MAX_DEPTH:
        raise EntryError(f"is nested more than {MAX_DEPTH} levels deep")
    child = partial(json_value, ancestors=ancestors | {id(value)})
    if type(value) is list:
        return array(value, child)
    for key in value:
        try:
            string(key)
        except EntryError as error:
            raise EntryError(f"has a key that {error.problem}") from None
    return record(value, dict.fromkeys(value, child))


def parse_session_entry(value: object) -> SessionEntry:
    """Return a checked deep copy of a session entry, which shares nothing mutable with `value`.

    Raises EntryError (a ValueError) with the path of the first wrong field: id, parentId and timestamp come first,
    then `type`, then what that type asks for. (Chapter 10, step 2.)

    Task 10.2 e: the table METADATA_ENTRY for metadata, and MESSAGE_ENTRY for all else, which refuses other types.
    """
    is_metadata = type(value) is dict and value.get("type") == "metadata"
    return cast("SessionEntry", record(value, METADATA_ENTRY if is_metadata else MESSAGE_ENTRY))


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

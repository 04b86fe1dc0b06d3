"""`parse_session_entry` takes a value if and only if the rules, written a second time as a table, take it.

The table has no code in common with lab 10.2: it only says yes or no, and neither copies nor explains.
"""

from __future__ import annotations

import copy
import json
import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import expect
from solutions import parse_session_entry

pytestmark = pytest.mark.timeout(300)
SETTINGS = settings(
    max_examples=1_000,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

# The rules

Rule = Callable[[Any], bool]
LARGEST = 2**1024 - 2**971  # of the doubles


def text(value: Any) -> bool:
    return type(value) is str and not any("\ud800" <= character <= "\udfff" for character in value)


def name(value: Any) -> bool:
    return text(value) and value.strip() != ""


def finite(value: Any) -> bool:
    if type(value) is int:
        return abs(value) <= LARGEST
    return type(value) is float and math.isfinite(value)


def json_safe(value: Any, depth: int = 0) -> bool:
    if type(value) is list:
        return depth < 100 and all(json_safe(item, depth + 1) for item in value)
    if type(value) is dict:
        return depth < 100 and all(text(key) and json_safe(item, depth + 1) for key, item in value.items())
    return value is None or type(value) is bool or text(value) or finite(value)


def one_of(*words: str) -> Rule:
    return lambda value: type(value) is str and value in words


def listed(*rules: Rule) -> Rule:
    return lambda value: type(value) is list and all(any(rule(item) for rule in rules) for item in value)


def fields(**rules: Rule) -> Rule:
    """An object with these fields; one whose name ends in `_` may be absent."""
    known = {field.rstrip("_"): rule for field, rule in rules.items()}
    needed = {field for field in rules if not field.endswith("_")}
    return lambda value: (
        type(value) is dict
        and needed <= set(value) <= set(known)
        and all(type(key) is str and known[key](item) for key, item in value.items())
    )


def not_negative(value: Any) -> bool:
    return finite(value) and value >= 0


TEXT = fields(type=one_of("text"), text=text)
CALL = fields(type=one_of("toolCall"), id=name, name=name, arguments=json_safe, rawArguments_=text)
USER = fields(role=one_of("user"), content=listed(TEXT), timestamp=finite)
ASSISTANT = fields(
    role=one_of("assistant"),
    content=listed(TEXT, CALL),
    provider=text,
    model=text,
    usage=fields(input=not_negative, output=not_negative, totalTokens=not_negative),
    stopReason=one_of("stop", "length", "toolUse", "error", "aborted"),
    errorMessage_=text,
    timestamp=finite,
)
RESULT = fields(
    role=one_of("toolResult"),
    toolCallId=name,
    toolName=name,
    content=listed(TEXT),
    details_=json_safe,
    isError=lambda value: type(value) is bool,
    timestamp=finite,
)
BASE: dict[str, Rule] = {"id": name, "parentId": lambda value: value is None or name(value), "timestamp": finite}
MESSAGE = fields(
    **BASE, type=one_of("message"), message=lambda value: any(rule(value) for rule in (USER, ASSISTANT, RESULT))
)
METADATA = fields(**BASE, type=one_of("metadata"), key=name, value=json_safe)


def is_entry(value: Any) -> bool:
    return MESSAGE(value) or METADATA(value)


# Values: right ones, and right ones with one edit

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
NAMES = TEXTS.filter(str.strip)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
AMOUNTS = st.one_of(st.integers(0), st.floats(0, allow_infinity=False))
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)


def right(needed: dict[str, Any], optional: dict[str, Any] | None = None) -> Any:
    return st.fixed_dictionaries(needed, optional=optional or {})


TEXT_BLOCKS = right({"type": st.just("text"), "text": TEXTS})
CALL_BLOCKS = right(
    {"type": st.just("toolCall"), "id": NAMES, "name": NAMES, "arguments": VALUES}, {"rawArguments": TEXTS}
)
USERS = right({"role": st.just("user"), "content": st.lists(TEXT_BLOCKS, max_size=2), "timestamp": NUMBERS})
ASSISTANTS = right(
    {
        "role": st.just("assistant"),
        "content": st.lists(TEXT_BLOCKS | CALL_BLOCKS, max_size=3),
        "provider": TEXTS,
        "model": TEXTS,
        "usage": right({"input": AMOUNTS, "output": AMOUNTS, "totalTokens": AMOUNTS}),
        "stopReason": st.sampled_from(["stop", "length", "toolUse", "error", "aborted"]),
        "timestamp": NUMBERS,
    },
    {"errorMessage": TEXTS},
)
RESULTS = right(
    {
        "role": st.just("toolResult"),
        "toolCallId": NAMES,
        "toolName": NAMES,
        "content": st.lists(TEXT_BLOCKS, max_size=2),
        "isError": st.booleans(),
        "timestamp": NUMBERS,
    },
    {"details": VALUES},
)
BASES = {"id": NAMES, "parentId": st.none() | NAMES, "timestamp": NUMBERS}
ENTRIES = st.one_of(
    right({**BASES, "type": st.just("message"), "message": st.one_of(USERS, ASSISTANTS, RESULTS)}),
    right({**BASES, "type": st.just("metadata"), "key": NAMES, "value": VALUES}),
)


class Text(str):
    __slots__ = ()


class Number(float):
    __slots__ = ()


def nested(depth: int) -> Any:
    return [] if depth == 1 else [nested(depth - 1)]


ODD: list[Any] = [
    *[None, True, 0, 1, -1, 0.5, "", " ", "x", [], {}, (), set(), b"x", object(), len],
    *[math.nan, math.inf, -math.inf, 10**400, LARGEST, LARGEST + 1, -LARGEST - 1, Number(1), Text("text")],
    *["\ud800", "\ud83d\ude00", {1: 1}, {"\udfff": 1}, {None: 1}, {Text("k"): 1}, OrderedDict(a=1), [math.nan], [()]],
    *["text", "toolCall", "user", "assistant", "toolResult", "message", "metadata", ["message"], "stop", "tool"],
    *[nested(60), nested(150), {"type": "text", "text": "t"}, [{"type": "text", "text": "t"}]],
]


def places(value: Any, container: Any = None, key: Any = None) -> list[tuple[Any, Any]]:
    """Return each place in a value, as the container and the key or index in it."""
    found = [] if container is None else [(container, key)]
    children = value.items() if type(value) is dict else enumerate(value) if type(value) is list else []
    for step, child in list(children):
        found += places(child, value, step)
    return found


@st.composite
def edited(draw: Any) -> Any:
    """Return an entry with one edit: something replaced, removed, added or renamed, or an object of another class."""
    entry = copy.deepcopy(draw(ENTRIES))
    container, key = draw(st.sampled_from(places(entry)))
    edit = draw(st.sampled_from(["replace", "replace", "remove", "add", "rename", "another class"]))
    if edit == "replace" or type(container) is list:
        container[key] = draw(st.sampled_from(ODD))
    elif edit == "another class":
        return OrderedDict(entry)
    elif edit == "add":
        container[draw(st.sampled_from(["extra", "value", "message", "text", "rawArguments", "details", ""]))] = 1
    elif edit == "rename":
        container[draw(st.sampled_from([key.upper(), f"{key} ", Text(key), 1]))] = container.pop(key)
    else:
        del container[key]
    return entry


def accepted(value: Any) -> Any:
    """Return what is made of a value, or None if it is refused."""
    try:
        return parse_session_entry(value)
    except ValueError:
        return None


@SETTINGS
@given(ENTRIES)
def test_what_the_rules_take_is_taken_and_survives_the_file(entry: Any) -> None:
    assert is_entry(entry)
    result = accepted(entry)

    expect.same(result, entry, "an entry is taken as it is")
    expect.unshared(result, entry, "and copied")
    expect.same(json.loads(json.dumps(result)), result, "and comes back from JSON in the same types")


@SETTINGS
@given(edited())
def test_one_edit_away_the_rules_decide(value: Any) -> None:
    result = accepted(value)

    assert (result is not None) == is_entry(value)
    if result is not None:
        expect.same(json.loads(json.dumps(result)), result, "and comes back from JSON in the same types")

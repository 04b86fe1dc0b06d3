"""Lab 10.2: `parse_session_entry` lets in what is an entry, and says of all else which field is wrong."""

from __future__ import annotations

import copy
import enum
import re
from collections import OrderedDict
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

import expect
from scaffold.given import samples
from scaffold.given.samples import chapter_session, metadata_entry, retry_session

pytestmark = pytest.mark.lab_10_2

ABSENT = object()


def changed(entry: Any, path: str, value: Any) -> Any:
    """Return a copy of an entry in which the field at `path` (`message.content.0.text`) has another value, or none."""
    root = copy.deepcopy(entry)
    *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    part = root
    for step in parents:
        part = part[step]
    if value is ABSENT:
        del part[last]
    else:
        part[last] = value
    return root


def refused_at(session: Any, entry: Any, path: str, rule: str) -> None:
    """Check that an entry is refused by an error that names this path, or a longer one that ends in it.

    `message.content[0]` does not name `message.content`. Where a path that goes on is as good, as for a field that may
    not be there, the table says `message.*`.
    """
    steps = path.removesuffix(".*")
    error = expect.refused(lambda: session.parse_session_entry(entry), steps, rule=rule)
    end = r"(?!\w)" if path.endswith(".*") else r"(?!\w|\.\w|\[)"
    told = expect.told_by(error)
    is_named = not path or re.search(rf"(?<!\w){re.escape(steps.lower())}{end}", told)
    expect.holds(is_named, rule, f"an error whose path ends in {path}", f"the error says: {told}")


CALL = samples.tool_call("c1", "read", {"path": ["notes.txt"]})
USAGE = {"input": 12, "output": 5, "totalTokens": 17}
USER = samples.message_entry("u", None, samples.user("Hello"))
ASSISTANT = samples.message_entry("s", "u", samples.assistant(samples.text("Reading."), CALL))
RESULT = samples.message_entry("t", "s", samples.tool_result(CALL, "ok", {"lines": [1, 2]}, is_error=False))
NOTE = metadata_entry("n", "t", "label", {"a": [None, True, 1, 0.5, "x"]})
LOOP: list[Any] = []
LOOP.append(LOOP)
SHARED = {"x": [1]}

# 10.2 a

COMPLETE = {
    "a user message": USER,
    "an assistant message with a tool call": ASSISTANT,
    "a tool result with details": RESULT,
    "metadata": NOTE,
    **{f"the chapter's entry {entry['id']}": entry for entry in chapter_session()},
    **{f"the longer session's entry {entry['id']}": entry for entry in retry_session()},
    "an id keeps its spaces": changed(USER, "id", " u "),
    "a timestamp may be 0": changed(changed(USER, "timestamp", 0), "message.timestamp", 0),
    "a timestamp may be negative": changed(USER, "timestamp", -1),
    "a timestamp may have a fraction": changed(USER, "message.timestamp", 0.25),
    "a large integer fits a double's range": changed(USER, "timestamp", 2**60),
    "a very large integer fits it too": changed(NOTE, "value", 10**300),
    "content may be empty": changed(USER, "message.content", []),
    "text may be empty": changed(USER, "message.content.0.text", ""),
    "provider and model may be empty": changed(changed(ASSISTANT, "message.provider", ""), "message.model", ""),
    "usage may have fractions, and need not add up": changed(
        ASSISTANT, "message.usage", {"input": 0, "output": 0.5, "totalTokens": 7}
    ),
    "arguments may be a list": changed(ASSISTANT, "message.content.1.arguments", [1, "two"]),
    "arguments may be a string": changed(ASSISTANT, "message.content.1.arguments", "half of a {"),
    "arguments may be null": changed(ASSISTANT, "message.content.1.arguments", None),
    "rawArguments are kept": changed(ASSISTANT, "message.content.1.rawArguments", '{"path":'),
    "empty rawArguments are kept": changed(ASSISTANT, "message.content.1.rawArguments", ""),
    "an errorMessage is kept": changed(ASSISTANT, "message.errorMessage", "overloaded"),
    "an empty errorMessage is kept": changed(ASSISTANT, "message.errorMessage", ""),
    "details may be null, which is not the same as absent": changed(RESULT, "message.details", None),
    "details may be absent": changed(RESULT, "message.details", ABSENT),
    "a value may be null": changed(NOTE, "value", None),
    "one object may stand in two places": changed(NOTE, "value", {"first": SHARED, "second": SHARED, "list": [SHARED]}),
    "an empty key inside a value": changed(NOTE, "value", {"": {}}),
    "text in any script": changed(USER, "message.content.0.text", "naïve 道 🛣️ \u2028 \x00 \n"),
    "a letter and its accent stay two characters": changed(USER, "message.content.0.text", "e\u0301"),
}


@pytest.mark.parametrize(("rule", "entry"), expect.cases({rule: (entry,) for rule, entry in COMPLETE.items()}))
def test_complete_entries_are_accepted_and_copied(session: Any, rule: str, entry: Any) -> None:
    before = copy.deepcopy(entry)

    parsed = expect.accepted(lambda: session.parse_session_entry(entry), rule)

    expect.same(parsed, before, f"{rule}: the result equals the entry")
    expect.same(entry, before, f"{rule}: the entry is not changed")
    expect.unshared(parsed, entry, f"{rule}: the result is a new object all through")
    if "two places" in rule:
        value = parsed["value"]
        expect.unshared(value["first"], value["second"], f"{rule}, and becomes two copies")
        expect.unshared(value["first"], value["list"], f"{rule}, and becomes a copy in each")


# 10.2 b: an entry, and the path that the error must end in

WRONG = {
    "an entry is an object, not an array": ([USER], ""),
    "an entry is an object, not null": (None, ""),
    "an entry is an object, not a string": ("{}", ""),
    "an id is needed": (changed(USER, "id", ABSENT), "id"),
    "an id is not empty": (changed(USER, "id", ""), "id"),
    "an id is not blank": (changed(USER, "id", " \t"), "id"),
    "an id is a string": (changed(USER, "id", 7), "id"),
    "parentId is needed, even in a root": (changed(USER, "parentId", ABSENT), "parentId"),
    "parentId is not empty": (changed(USER, "parentId", ""), "parentId"),
    "parentId is not blank": (changed(USER, "parentId", "  "), "parentId"),
    "parentId is a string or null": (changed(USER, "parentId", 0), "parentId"),
    "parentId is not false": (changed(USER, "parentId", False), "parentId"),
    "a timestamp is needed": (changed(USER, "timestamp", ABSENT), "timestamp"),
    "a timestamp is a number": (changed(USER, "timestamp", "2026-12-01"), "timestamp"),
    "a timestamp is not null": (changed(USER, "timestamp", None), "timestamp"),
    "a timestamp is not NaN": (changed(USER, "timestamp", float("nan")), "timestamp"),
    "a timestamp is not infinite": (changed(USER, "timestamp", float("inf")), "timestamp"),
    "a timestamp is not minus infinity": (changed(NOTE, "timestamp", float("-inf")), "timestamp"),
    "a type is needed": (changed(USER, "type", ABSENT), "type"),
    "a type is one of the two": (changed(USER, "type", "compaction"), "type"),
    "a type is a string": (changed(USER, "type", ["message"]), "type"),
    "a type is not null": (changed(USER, "type", None), "type"),
    "a message entry has a message": (changed(USER, "message", ABSENT), "message"),
    "a message is an object": (changed(USER, "message", "Hello"), "message"),
    "a message entry has no value": ({**USER, "value": 1}, ""),
    "a metadata entry has no message": ({**NOTE, "message": USER["message"]}, ""),
    "an entry has no unknown field": ({**USER, "parentID": None}, ""),
    "a role is needed": (changed(USER, "message.role", ABSENT), "message.role"),
    "a role is one of the three": (changed(USER, "message.role", "system"), "message.role"),
    "a role is a string": (changed(USER, "message.role", ["user"]), "message.role"),
    "content is needed": (changed(USER, "message.content", ABSENT), "message.content"),
    "an assistant message has content": (changed(ASSISTANT, "message.content", ABSENT), "message.content"),
    "a tool result has content": (changed(RESULT, "message.content", ABSENT), "message.content"),
    "content is an array, not a string": (changed(USER, "message.content", "Hello"), "message.content"),
    "content is an array, not an object": (changed(USER, "message.content", {}), "message.content"),
    "a block is an object": (changed(USER, "message.content", ["Hello"]), "message.content[0]"),
    "the second block is checked": (changed(ASSISTANT, "message.content.1", None), "message.content[1]"),
    "a block's type is known": (changed(ASSISTANT, "message.content.0.type", "image"), "message.content[0].*"),
    "a block's type is a string": (changed(ASSISTANT, "message.content.0.type", ["text"]), "message.content[0].*"),
    "a block's type is needed": (changed(USER, "message.content.0.type", ABSENT), "message.content[0].*"),
    "text is needed": (changed(USER, "message.content.0.text", ABSENT), "message.content[0].text"),
    "text is a string": (changed(USER, "message.content.0.text", None), "message.content[0].text"),
    "a text block has no other field": (changed(USER, "message.content.0.bold", True), "message.content[0].*"),
    "a user calls no tools": (changed(USER, "message.content", [CALL]), "message.content[0].*"),
    "a tool result calls no tools": (changed(RESULT, "message.content", [CALL]), "message.content[0].*"),
    "a user message has no other field": (changed(USER, "message.name", "Ada"), "message.*"),
    "a user message has a timestamp": (changed(USER, "message.timestamp", ABSENT), "message.timestamp"),
    "a message's timestamp is finite": (changed(USER, "message.timestamp", float("inf")), "message.timestamp"),
    "an assistant message has no other field": (changed(ASSISTANT, "message.api", "chat"), "message.*"),
    "a provider is needed": (changed(ASSISTANT, "message.provider", ABSENT), "message.provider"),
    "a provider is a string": (changed(ASSISTANT, "message.provider", None), "message.provider"),
    "a model is needed": (changed(ASSISTANT, "message.model", ABSENT), "message.model"),
    "a model is a string": (changed(ASSISTANT, "message.model", 4), "message.model"),
    "usage is needed": (changed(ASSISTANT, "message.usage", ABSENT), "message.usage"),
    "usage is an object": (changed(ASSISTANT, "message.usage", [12, 5, 17]), "message.usage"),
    "usage counts the input": (changed(ASSISTANT, "message.usage.input", ABSENT), "message.usage.input"),
    "usage counts the output": (changed(ASSISTANT, "message.usage.output", None), "message.usage.output"),
    "usage has a total": (changed(ASSISTANT, "message.usage.totalTokens", ABSENT), "message.usage.totalTokens"),
    "the input is not negative": (changed(ASSISTANT, "message.usage.input", -1), "message.usage.input"),
    "the output is not negative": (changed(ASSISTANT, "message.usage.output", -1), "message.usage.output"),
    "the total is not negative": (changed(ASSISTANT, "message.usage.totalTokens", -1), "message.usage.totalTokens"),
    "usage is not NaN": (changed(ASSISTANT, "message.usage.input", float("nan")), "message.usage.input"),
    "usage has no other field": (changed(ASSISTANT, "message.usage.cost", 0.1), "message.usage.*"),
    "a stopReason is needed": (changed(ASSISTANT, "message.stopReason", ABSENT), "message.stopReason"),
    "a stopReason is one of the five": (changed(ASSISTANT, "message.stopReason", "tool_use"), "message.stopReason"),
    "a stopReason is a string": (changed(ASSISTANT, "message.stopReason", ["stop"]), "message.stopReason"),
    "an errorMessage is not null": (changed(ASSISTANT, "message.errorMessage", None), "message.errorMessage"),
    "an errorMessage is a string": (changed(ASSISTANT, "message.errorMessage", 503), "message.errorMessage"),
    "an assistant message has a timestamp": (changed(ASSISTANT, "message.timestamp", ABSENT), "message.timestamp"),
    "an assistant's timestamp is a number": (changed(ASSISTANT, "message.timestamp", "12:00"), "message.timestamp"),
    "a call has an id": (changed(ASSISTANT, "message.content.1.id", ABSENT), "message.content[1].id"),
    "a call's id is not empty": (changed(ASSISTANT, "message.content.1.id", ""), "message.content[1].id"),
    "a call's id is not blank": (changed(ASSISTANT, "message.content.1.id", " "), "message.content[1].id"),
    "a call's id is a string": (changed(ASSISTANT, "message.content.1.id", 7), "message.content[1].id"),
    "a call has a name": (changed(ASSISTANT, "message.content.1.name", ABSENT), "message.content[1].name"),
    "a call's name is a string": (changed(ASSISTANT, "message.content.1.name", ["read"]), "message.content[1].name"),
    "a call's name is not blank": (changed(ASSISTANT, "message.content.1.name", " "), "message.content[1].name"),
    "a call has arguments": (changed(ASSISTANT, "message.content.1.arguments", ABSENT), "message.content[1].arguments"),
    "rawArguments are not null": (
        changed(ASSISTANT, "message.content.1.rawArguments", None),
        "message.content[1].rawArguments",
    ),
    "rawArguments are a string": (
        changed(ASSISTANT, "message.content.1.rawArguments", {"path": "a"}),
        "message.content[1].rawArguments",
    ),
    "a call has no other field": (changed(ASSISTANT, "message.content.1.input", {}), "message.content[1].*"),
    "a result names its call": (changed(RESULT, "message.toolCallId", ABSENT), "message.toolCallId"),
    "a result's call id is not empty": (changed(RESULT, "message.toolCallId", ""), "message.toolCallId"),
    "a result's call id is not blank": (changed(RESULT, "message.toolCallId", " "), "message.toolCallId"),
    "a result's call id is a string": (changed(RESULT, "message.toolCallId", 7), "message.toolCallId"),
    "a result names its tool": (changed(RESULT, "message.toolName", ABSENT), "message.toolName"),
    "a result's tool name is not blank": (changed(RESULT, "message.toolName", " "), "message.toolName"),
    "a result's tool name is a string": (changed(RESULT, "message.toolName", 7), "message.toolName"),
    "a result says whether it is an error": (changed(RESULT, "message.isError", ABSENT), "message.isError"),
    "isError is a boolean, not null": (changed(RESULT, "message.isError", None), "message.isError"),
    "isError is a boolean, not a string": (changed(RESULT, "message.isError", "false"), "message.isError"),
    "a tool result has no other field": (changed(RESULT, "message.error", "no"), "message.*"),
    "a result has a timestamp": (changed(RESULT, "message.timestamp", ABSENT), "message.timestamp"),
    "a result's timestamp is a number": (changed(RESULT, "message.timestamp", "12:00"), "message.timestamp"),
    "a metadata key is needed": (changed(NOTE, "key", ABSENT), "key"),
    "a metadata key is not empty": (changed(NOTE, "key", ""), "key"),
    "a metadata key is not blank": (changed(NOTE, "key", "\n"), "key"),
    "a metadata key is a string": (changed(NOTE, "key", 7), "key"),
    "a metadata value is needed": (changed(NOTE, "value", ABSENT), "value"),
    "a function is not JSON, in arguments": (
        changed(ASSISTANT, "message.content.1.arguments", {"f": len}),
        "arguments.f",
    ),
    "infinity is not JSON, in details": (changed(RESULT, "message.details", {"x": [1, float("inf")]}), "details.x[1]"),
    "NaN is not JSON, in a value": (changed(NOTE, "value", [float("nan")]), "value[0]"),
    "a set is not JSON": (changed(NOTE, "value", {1, 2}), "value"),
    "bytes are not JSON": (changed(NOTE, "value", b"x"), "value"),
    "a plain object() is not JSON": (changed(NOTE, "value", [object()]), "value[0]"),
    "a cycle is not JSON": (changed(NOTE, "value", LOOP), "value[0].*"),
}


@pytest.mark.parametrize(("rule", "entry", "path"), expect.cases(WRONG))
def test_what_is_no_entry_is_refused_by_its_path(session: Any, rule: str, entry: Any, path: str) -> None:
    refused_at(session, entry, path, rule)


# What Python adds


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
    first: int
    second: int


class Names(list[Any]):
    pass


LOOKALIKES: dict[str, tuple[Any, str]] = {
    "a boolean is not a timestamp": (changed(USER, "timestamp", True), "timestamp"),
    "a boolean is not an amount of tokens": (changed(ASSISTANT, "message.usage.input", False), "message.usage.input"),
    "0 and 1 are not booleans": (changed(RESULT, "message.isError", 0), "message.isError"),
    "an OrderedDict is not a plain object": (OrderedDict(USER), ""),
    "an OrderedDict inside is not a plain object": (changed(NOTE, "value", [OrderedDict(a=1)]), "value[0]"),
    "an OrderedDict as a message is not a plain object": (
        changed(USER, "message", OrderedDict(USER["message"])),
        "message",
    ),
    "an OrderedDict as usage is not a plain object": (
        changed(ASSISTANT, "message.usage", OrderedDict(USAGE)),
        "message.usage",
    ),
    "an OrderedDict as a block is not a plain object": (
        changed(USER, "message.content.0", OrderedDict(samples.text("Hello"))),
        "message.content[0]",
    ),
    "a mapping proxy is not a plain object": (changed(NOTE, "value", MappingProxyType({})), "value"),
    "a subclass of list is not an array": (changed(USER, "message.content", Names()), "message.content"),
    "a subclass of list inside is not an array": (changed(NOTE, "value", Names()), "value"),
    "a tuple is not an array": (changed(NOTE, "value", (1, 2)), "value"),
    "a tuple is not content": (changed(USER, "message.content", ()), "message.content"),
    "a named tuple is not an array": (changed(RESULT, "message.details", Pair(1, 2)), "message.details"),
    "a subclass of str is not a type": (changed(USER, "type", Text("other")), "type"),
    "a subclass of str is not an id": (changed(USER, "id", Text("u")), "id"),
    "a subclass of str is not a role": (changed(USER, "message.role", Text("user")), "message.role"),
    "a subclass of str is not a stopReason": (changed(ASSISTANT, "message.stopReason", Text("x")), "stopReason"),
    "a subclass of str is not a block's type": (
        changed(USER, "message.content.0.type", Text("text")),
        "message.content[0].*",
    ),
    "a subclass of str is not a text": (changed(USER, "message.content.0.text", Text("x")), "message.content[0].text"),
    "a subclass of str inside is not a string": (changed(NOTE, "value", [Text("x")]), "value[0]"),
    "a subclass of int is not a number": (changed(NOTE, "value", Whole.ONE), "value"),
    "a subclass of int is not a timestamp": (changed(USER, "timestamp", Whole.ONE), "timestamp"),
    "a subclass of float is not a timestamp": (changed(USER, "timestamp", Real(1)), "timestamp"),
    "a subclass of float inside is not a number": (changed(NOTE, "value", [Real(0.5)]), "value[0]"),
    "a subclass of float is not an amount of tokens": (
        changed(ASSISTANT, "message.usage.input", Real(1)),
        "message.usage.input",
    ),
    "keys are strings": (changed(NOTE, "value", {1: "one"}), "value.*"),
    "keys are strings, not None": (changed(ASSISTANT, "message.content.1.arguments", {None: 1}), "arguments.*"),
    "keys are strings, not their subclasses": (changed(NOTE, "value", {Text("k"): 1}), "value.*"),
    "an entry's keys are strings": ({**USER, 1: 2}, ""),
    "an integer must fit a double": (changed(USER, "timestamp", 10**400), "timestamp"),
    "an integer inside must fit a double": (changed(NOTE, "value", [-(10**400)]), "value[0]"),
    "an integer of 5,000 digits must fit a double": (changed(NOTE, "value", 10**5000), "value"),
    "a complex number is not JSON": (changed(NOTE, "value", 1j), "value"),
}


@pytest.mark.parametrize(("rule", "entry", "path"), expect.cases(LOOKALIKES))
def test_python_values_that_only_look_like_json_are_refused(session: Any, rule: str, entry: Any, path: str) -> None:
    refused_at(session, entry, path, rule)


UNWRITABLE = {
    "no surrogate in an id": (changed(USER, "id", "\ud800"), "id"),
    "no surrogate in a text": (changed(USER, "message.content.0.text", "a\udc00b"), "message.content[0].text"),
    "no surrogate in a value": (changed(NOTE, "value", ["\udfff"]), "value[0]"),
    "no surrogate in a key of a value": (changed(NOTE, "value", {"\ud800": 1}), "value.*"),
    "no surrogate in a metadata key": (changed(NOTE, "key", "\ud800"), "key"),
    "no surrogate in a parentId": (changed(USER, "parentId", "\ud800"), "parentId"),
    "no surrogate in a call's id": (changed(ASSISTANT, "message.content.1.id", "\ud800"), "message.content[1].id"),
    "no surrogate in a call's name": (changed(ASSISTANT, "message.content.1.name", "\ud800"), "content[1].name"),
    "no surrogate in rawArguments": (
        changed(ASSISTANT, "message.content.1.rawArguments", "\ud800"),
        "message.content[1].rawArguments",
    ),
    "no surrogate in an errorMessage": (changed(ASSISTANT, "message.errorMessage", "\ud800"), "message.errorMessage"),
    "no surrogate in a model": (changed(ASSISTANT, "message.model", "\ud800"), "message.model"),
    "no surrogate in a result's call id": (changed(RESULT, "message.toolCallId", "\ud800"), "message.toolCallId"),
    "no surrogate in a tool's name": (changed(RESULT, "message.toolName", "\ud800"), "message.toolName"),
    "no surrogate in details": (changed(RESULT, "message.details", {"x": "\ud800"}), "message.details.x"),
    "no surrogate in a provider": (changed(ASSISTANT, "message.provider", "\udbff"), "message.provider"),
    "no surrogates, not even as a pair": (changed(NOTE, "value", "\ud83d\ude00"), "value"),
}


@pytest.mark.parametrize(("rule", "entry", "path"), expect.cases(UNWRITABLE))
def test_text_that_utf8_cannot_write_is_refused(session: Any, rule: str, entry: Any, path: str) -> None:
    refused_at(session, entry, path, rule)


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return value


@pytest.mark.parametrize(("depth", "fits"), [(60, True), (5_000, False), (20_000, False)])
def test_depth_has_a_limit(session: Any, depth: int, fits: bool) -> None:
    entry = metadata_entry("n", None, "deep", nested(depth))
    if fits:
        rule = f"{depth} levels are accepted"
        expect.same(expect.accepted(lambda: session.parse_session_entry(entry), rule), entry, rule)
    else:
        expect.refused(lambda: session.parse_session_entry(entry), rule=f"{depth} levels are refused by a ValueError")


FIRST = {
    "the id before the type": ({"id": "", "parentId": None, "timestamp": 1, "type": "compaction"}, "id"),
    "the parentId before the type": ({"id": "a", "parentId": 5, "timestamp": 1, "type": "compaction"}, "parentId"),
    "the timestamp before the message": (changed(changed(USER, "message", None), "timestamp", "x"), "timestamp"),
    "the type before the message": (changed(changed(USER, "message", None), "type", "x"), "type"),
}


@pytest.mark.parametrize(("rule", "entry", "path"), expect.cases(FIRST))
def test_the_first_wrong_field_is_named(session: Any, rule: str, entry: Any, path: str) -> None:
    refused_at(session, entry, path, f"what an entry is comes first: {rule}")

"""Lab 10.6: `messages_on_path` gives a model the complete messages of one branch."""

from __future__ import annotations

from typing import Any

import pytest

import expect
from scaffold.given import samples
from scaffold.given.samples import chapter_session, message_entry, metadata_entry, retry_session

pytestmark = pytest.mark.lab_10_6


def messages(entries: list[Any], *ids: str) -> list[Any]:
    by_id = {entry["id"]: entry for entry in entries}
    return [by_id[entry_id]["message"] for entry_id in ids]


def roles_of(found: Any) -> Any:
    """Return the roles of messages; what is no list of messages is returned as it is."""
    are_messages = isinstance(found, list) and all(isinstance(message, dict) and "role" in message for message in found)
    return [message["role"] for message in found] if are_messages else found


def alone(message: Any, **changes: Any) -> list[Any]:
    """Return a session of one entry, `x`, that holds the message with these changes."""
    changed: Any = {**message, **changes}
    return [message_entry("x", None, changed)]


CHAPTER, LONGER = chapter_session(), retry_session()
CALL = samples.tool_call("c", "read", "notes.txt")
RESULT = samples.tool_result(CALL, "Buy milk.", is_error=False)
TWICE: list[Any] = [message_entry("x", None, samples.user("Go on.")), message_entry("y", "x", samples.user("Go on."))]
# Messages of which a part looks superfluous, and is not.
WHOLE = {
    "a message without content": alone(samples.assistant(), content=[]),
    "an answer that was cut off": alone(samples.assistant(samples.text("I w")), stopReason="aborted"),
    "an answer that failed, with its errorMessage": alone(
        samples.assistant(samples.text("I w")), stopReason="error", errorMessage="overloaded"
    ),
    "an errorMessage that is empty": alone(samples.assistant(), stopReason="error", errorMessage=""),
    "the rawArguments of a call": alone(samples.assistant({**CALL, "rawArguments": '{"path":'})),
    "arguments that are null": alone(samples.assistant({**CALL, "arguments": None})),
    "details that are null": alone(RESULT, details=None),
    "details that are empty": alone(RESULT, details={}),
}

# 10.6 a

BRANCHES = {
    "the branch with the tool call": (CHAPTER, "r", messages(CHAPTER, "a", "b", "r")),
    "the other branch, without its metadata": (CHAPTER, "m", messages(CHAPTER, "a", "d")),
    "a root": (CHAPTER, "a", messages(CHAPTER, "a")),
    "metadata alone has no messages": ([metadata_entry("x", None, "k", 1)], "x", []),
    "the order of the file does not matter": (CHAPTER[::-1], "r", messages(CHAPTER, "a", "b", "r")),
    "an error of a tool, and both calls of one message": (
        LONGER,
        "answer",
        messages(LONGER, "ask", "try", "fail", "again", "two", "three", "answer"),
    ),
    "metadata in the middle": (LONGER, "ask2", messages(LONGER, "ask2")),
    "two messages that say the same": (TWICE, "y", messages(TWICE, "x", "y")),
    **{rule: (entries, "x", messages(entries, "x")) for rule, entries in WHOLE.items()},
}


@pytest.mark.parametrize(("rule", "entries", "leaf", "expected"), expect.cases(BRANCHES))
def test_messages_of_one_branch_are_complete(
    session: Any, rule: str, entries: list[Any], leaf: str, expected: list[Any]
) -> None:
    found = expect.accepted(lambda: session.messages_on_path(entries, leaf), rule)

    roles = [message["role"] for message in expected]
    expect.same(roles_of(found), roles, f"only the messages of this branch, in order: {rule}")
    expect.same(found, expected, f"nothing is taken out of a message: {rule}")


# 10.6 b


@pytest.mark.parametrize("leaf", ["r", "m"])
def test_messages_are_copies(session: Any, leaf: str) -> None:
    entries = chapter_session()
    rule = "the messages of one branch can be asked for twice"

    first = expect.accepted(lambda: session.messages_on_path(entries, leaf), rule)
    second = expect.accepted(lambda: session.messages_on_path(entries, leaf), rule)

    expect.same(second, first, rule)
    expect.same(entries, chapter_session(), "the entries are not changed")
    expect.unshared(first, entries, "the messages share nothing with the entries")
    expect.unshared(first, second, "two calls share nothing")


# What Python adds

ERRORS = {
    "an unknown leaf": (CHAPTER, "nobody", ("nobody",)),
    "a missing parent": ([metadata_entry("kid", "ghost", "k", 1)], "kid", ("kid", "ghost")),
    "an id that is used twice, even elsewhere": ([*CHAPTER, CHAPTER[4]], "r", ("m",)),
}


@pytest.mark.parametrize(("rule", "entries", "leaf", "ids"), expect.cases(ERRORS))
def test_errors_are_those_of_path_to(
    session: Any, rule: str, entries: list[Any], leaf: str, ids: tuple[str, ...]
) -> None:
    call = lambda: session.messages_on_path(entries, leaf)  # noqa: E731 (one line says it)
    expect.refused(call, *ids, rule=f"refused, as path_to refuses it: {rule}", kinds=(ValueError, LookupError))


# The bonus

STATS = {
    "the branch with the tool call": (CHAPTER, "r", {"depth": 3, "messages": 3, "toolCalls": 1, "errorResults": 0}),
    "the branch without": (CHAPTER, "m", {"depth": 3, "messages": 2, "toolCalls": 0, "errorResults": 0}),
    "a root": (CHAPTER, "a", {"depth": 1, "messages": 1, "toolCalls": 0, "errorResults": 0}),
    "a failed tool, and two calls in one message": (
        LONGER,
        "answer",
        {"depth": 8, "messages": 7, "toolCalls": 3, "errorResults": 1},
    ),
    "a call without a result": (CHAPTER, "b", {"depth": 2, "messages": 2, "toolCalls": 1, "errorResults": 0}),
    "an answer that failed, which is no result of a tool": (
        WHOLE["an answer that failed, with its errorMessage"],
        "x",
        {"depth": 1, "messages": 1, "toolCalls": 0, "errorResults": 0},
    ),
}


@pytest.mark.parametrize(("rule", "entries", "leaf", "expected"), expect.cases(STATS))
def test_branch_stats_counts_one_branch(session: Any, rule: str, entries: list[Any], leaf: str, expected: Any) -> None:
    stats = expect.accepted(lambda: session.branch_stats(entries, leaf), f"the figures of {rule}")

    expect.same(stats, expected, f"the figures of {rule}")

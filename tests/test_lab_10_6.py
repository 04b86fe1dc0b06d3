"""Lab 10.6: `messages_on_path` gives a model the complete messages of one branch."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import expect
from scaffold.given.samples import chapter_session, metadata_entry, retry_session

pytestmark = pytest.mark.lab_10_6


def messages(entries: list[Any], *ids: str) -> list[Any]:
    by_id = {entry["id"]: entry for entry in entries}
    return [by_id[entry_id]["message"] for entry_id in ids]


CHAPTER, LONGER = chapter_session(), retry_session()

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
}


@pytest.mark.parametrize(("rule", "entries", "leaf", "expected"), expect.cases(BRANCHES))
def test_messages_of_one_branch_are_complete(
    session: Any, rule: str, entries: list[Any], leaf: str, expected: list[Any]
) -> None:
    found = session.messages_on_path(entries, leaf)

    roles = [message.get("role") for message in found]
    expect.same(roles, [message["role"] for message in expected], f"only the messages of this branch, in order: {rule}")
    expect.same(found, expected, f"nothing is taken out of a message: {rule}")


# 10.6 b


@pytest.mark.parametrize("leaf", ["r", "m"])
def test_messages_are_copies(session: Any, leaf: str) -> None:
    entries = chapter_session()

    first = session.messages_on_path(entries, leaf)
    second = session.messages_on_path(entries, leaf)

    expect.unshared(first, entries, "the messages share nothing with the entries")
    expect.unshared(first, second, "two calls share nothing")
    kept = copy.deepcopy(second)
    for message in first:
        message["content"].clear()
    expect.same(entries, chapter_session(), "what is done to a message is not done to the entries")
    expect.same(second, kept, "what is done to a message is not done to another call's")


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
}


@pytest.mark.parametrize(("rule", "entries", "leaf", "expected"), expect.cases(STATS))
def test_branch_stats_counts_one_branch(session: Any, rule: str, entries: list[Any], leaf: str, expected: Any) -> None:
    expect.same(session.branch_stats(entries, leaf), expected, f"the figures of {rule}")

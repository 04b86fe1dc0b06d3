"""Lab 10.1: `path_to` follows the parents of a chosen leaf up to its root."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import expect
from scaffold.given.samples import chapter_session, message_entry, metadata_entry, user

pytestmark = pytest.mark.lab_10_1

ERRORS = (ValueError, LookupError)


def entry(entry_id: Any, parent_id: Any) -> dict[str, Any]:
    return dict(message_entry(entry_id, parent_id, user(f"I am {entry_id}")))


# 10.1 a: the chosen leaf decides, and only its chain is checked.
# A list is the path that is expected; a tuple holds what an error must name.
CHAINS = {
    "a sibling branch is left out": (chapter_session(), "r", ["a", "b", "r"]),
    "metadata is on the path": (chapter_session(), "m", ["a", "d", "m"]),
    "an entry with children can be the leaf": (chapter_session(), "b", ["a", "b"]),
    "a root is a path of one": (chapter_session(), "a", ["a"]),
    "a second root does not matter": ([entry("x", None), entry("a", None), entry("b", "a")], "b", ["a", "b"]),
    "the order of the list does not matter": (
        [entry("c", "b"), entry("b", "a"), entry("a", None)],
        "c",
        ["a", "b", "c"],
    ),
    "a broken branch elsewhere does not matter": ([entry("a", None), entry("lost", "gone")], "a", ["a"]),
    "a ring elsewhere does not matter": ([entry("a", None), entry("x", "y"), entry("y", "x")], "a", ["a"]),
    "an unknown leaf is named": (chapter_session(), "nobody", ("nobody",)),
    "an unknown leaf is named in an empty session too": ([], "nobody", ("nobody",)),
    "a missing parent is named with its child": ([entry("kid", "ghost")], "kid", ("kid", "ghost")),
    "a missing parent is named with its own child": ([entry("z", "kid"), entry("kid", "ghost")], "z", ("kid", "ghost")),
    "an entry that is its own parent is a ring": ([entry("ring-1", "ring-1")], "ring-1", ("ring-1",)),
    "a ring of two is named": (
        [entry("z", "ring-1"), entry("ring-1", "ring-2"), entry("ring-2", "ring-1")],
        "z",
        ("ring-",),
    ),
    "a ring of three is named": (
        [entry("ring-1", "ring-3"), entry("ring-2", "ring-1"), entry("ring-3", "ring-2")],
        "ring-2",
        ("ring-",),
    ),
}


@pytest.mark.parametrize(("rule", "entries", "leaf", "expected"), expect.cases(CHAINS))
def test_path_is_the_chain_of_the_chosen_leaf(
    session: Any, rule: str, entries: list[Any], leaf: str, expected: list[str] | tuple[str, ...]
) -> None:
    if isinstance(expected, tuple):
        expect.refused(lambda: session.path_to(entries, leaf), *expected, rule=rule, kinds=ERRORS)
    else:
        path = session.path_to(entries, leaf)

        expect.same([step["id"] for step in path], expected, f"{rule}; the path runs from the root to the leaf")
        by_id = {step["id"]: step for step in entries}
        expect.same(path, [by_id[step] for step in expected], f"{rule}; the entries on the path are complete")


# 10.1 b: every id counts, wherever it is; and nothing is shared


TWICE = entry("twice", None)
DUPLICATES = {
    "an id that is used twice on the path": ([entry("twice", None), entry("twice", None)], "twice"),
    "an id that is used twice elsewhere": ([entry("a", None), entry("twice", "a"), entry("twice", "a")], "a"),
    "an id that is used for two kinds of entry": (
        [entry("twice", None), metadata_entry("twice", None, "k", 1)],
        "twice",
    ),
    "the very same entry given twice": ([TWICE, TWICE], "twice"),
    "an id that is used twice where parents are broken": ([entry("a", None), *[entry("twice", "gone")] * 2], "a"),
}


@pytest.mark.parametrize(
    ("rule", "entries", "leaf"),
    expect.cases({**DUPLICATES, "the path is made of deep copies": (chapter_session(), "r")}),
)
def test_ids_are_unique_and_entries_are_copied(session: Any, rule: str, entries: list[Any], leaf: str) -> None:
    if rule in DUPLICATES:
        expect.refused(lambda: session.path_to(entries, leaf), "twice", rule=f"{rule} is refused by name", kinds=ERRORS)
        return
    before = copy.deepcopy(entries)

    path = session.path_to(entries, leaf)
    again = session.path_to(entries, leaf)

    expect.same(entries, before, "the given entries are not changed")
    expect.unshared(path, entries, rule)
    expect.unshared(path, again, f"{rule}, new ones for each call")
    path[2]["message"]["details"]["bytes"] = -1
    expect.same(entries, before, "what is done to the path is not done to the given entries")


# What Python adds


def test_a_long_chain_needs_no_recursion(session: Any) -> None:
    chain = [entry("0", None), *(entry(str(number), str(number - 1)) for number in range(1, 3_000))]

    path = session.path_to(chain, "2999")

    expect.same(len(path), 3_000, "a chain may be longer than Python's recursion limit")


UNREADABLE = {
    "an id that is a list": [entry("a", None), entry(["a"], None)],
    "a parentId that is a number": [entry("a", 1), entry("1", None)],
    "a parentId that is a list": [entry("a", ["b"])],
    "a parentId that is absent (a root says null)": [{"id": "a", "type": "metadata", "key": "k", "value": 1}],
}


@pytest.mark.parametrize(("rule", "entries"), expect.cases({key: (value,) for key, value in UNREADABLE.items()}))
def test_what_must_be_read_is_checked(session: Any, rule: str, entries: list[Any]) -> None:
    kinds = (*ERRORS, TypeError)
    expect.refused(lambda: session.path_to(entries, "a"), rule=f"{rule} is refused", kinds=kinds)

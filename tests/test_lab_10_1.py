"""Lab 10.1: `path_to` follows the parents of a chosen leaf up to its root."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import pytest

import expect
from scaffold.given.samples import chapter_session, message_entry, metadata_entry, user

pytestmark = pytest.mark.lab_10_1

ERRORS = (ValueError, LookupError)


def entry(entry_id: Any, parent_id: Any) -> dict[str, Any]:
    return dict(message_entry(entry_id, parent_id, user(f"I am {entry_id}")))


def ids(path: Any) -> Any:
    """Return the ids of a path; what is no list of objects is returned as it is."""
    is_path = isinstance(path, list) and all(isinstance(step, dict) for step in path)
    return [step.get("id") for step in path] if is_path else path


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
    "only the id is read of an entry elsewhere": ([entry("a", None), {"id": "elsewhere"}], "a", ["a"]),
    "a space makes another id": ([entry("a", None), entry(" a", "a"), entry("a ", " a")], "a ", ["a", " a", "a "]),
    "capitals make another id": ([entry("a", None), entry("A", "a")], "A", ["a", "A"]),
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
        path = expect.accepted(lambda: session.path_to(entries, leaf), rule)

        expect.same(ids(path), expected, f"{rule}; the path runs from the root to the leaf")
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
PART: Any = {"x": [1]}
COPIED = {
    "the path is made of deep copies": (chapter_session()[:3], "r"),
    "a part that two entries share becomes two copies": (
        [metadata_entry("a", None, "k", PART), metadata_entry("b", "a", "k", PART)],
        "b",
    ),
}


@pytest.mark.parametrize(("rule", "entries", "leaf"), expect.cases({**DUPLICATES, **COPIED}))
def test_ids_are_unique_and_entries_are_copied(session: Any, rule: str, entries: list[Any], leaf: str) -> None:
    if rule in DUPLICATES:
        expect.refused(lambda: session.path_to(entries, leaf), "twice", rule=f"{rule} is refused by name", kinds=ERRORS)
        return
    before = copy.deepcopy(entries)

    path = expect.accepted(lambda: session.path_to(entries, leaf), rule)
    expect.same(entries, before, "the given list and its entries are not changed")
    again = expect.accepted(lambda: session.path_to(entries, leaf), rule)

    expect.same(path, before, f"{rule}; the entries on the path are complete")
    expect.unshared(path, entries, f"{rule}: the path and the given entries share nothing")
    expect.unshared(path, again, f"{rule}: two calls share nothing")
    for step, later in pairwise(path):
        expect.unshared(step, later, f"{rule}: the entries on the path share nothing")


# What Python adds


def test_a_long_chain_needs_no_recursion(session: Any) -> None:
    chain = [entry("0", None), *(entry(str(number), str(number - 1)) for number in range(1, 3_000))]

    rule = "a chain may be longer than Python's recursion limit"
    path = expect.accepted(lambda: session.path_to(chain, "2999"), rule)

    expect.holds(ids(path) == [str(number) for number in range(3_000)], rule, "the 3,000 ids from 0 to 2999", ids(path))


UNREADABLE = {
    "an id that is a list": [entry("a", None), entry(["a"], None)],
    "an id that is a number": [entry("a", None), entry(1, None)],
    "a parentId that is a number": [entry("a", 1), entry("1", None)],
    "a parentId that is a list": [entry("a", ["b"])],
    "a parentId that is 0 (a root says null)": [entry("a", 0)],
    "a parentId that is false (a root says null)": [entry("a", False)],
    "a parentId that is empty (a root says null)": [entry("a", "")],
    "a parentId that is absent (a root says null)": [{"id": "a", "type": "metadata", "key": "k", "value": 1}],
}


@pytest.mark.parametrize(("rule", "entries"), expect.cases({key: (value,) for key, value in UNREADABLE.items()}))
def test_what_must_be_read_is_checked(session: Any, rule: str, entries: list[Any]) -> None:
    kinds = (*ERRORS, TypeError)
    expect.refused(lambda: session.path_to(entries, "a"), rule=f"{rule} is refused", kinds=kinds)

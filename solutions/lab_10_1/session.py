"""Lab 10.1: find the branch that ends in a chosen leaf."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from scaffold.given.entries import SessionEntry
from scaffold.given.errors import TreeError, kind_of, quoted


def index_by_id(entries: Iterable[SessionEntry]) -> dict[str, SessionEntry]:
    """Return the entries by id. Raises TreeError for an id that is used twice, or that is not a string.

    Task 10.1 a: look at every entry, whether or not it is on the chosen path.
    """
    by_id: dict[str, SessionEntry] = {}
    for entry in entries:
        entry_id = entry.get("id") if type(entry) is dict else None
        if type(entry_id) is not str:
            raise TreeError(f"every entry needs an id that is a string; one has {kind_of(entry_id)}")
        if entry_id in by_id:
            raise TreeError(f"the id {quoted(entry_id)} is used twice; every entry needs its own", entry_id)
        by_id[entry_id] = entry
    return by_id


def parent_of(entry: SessionEntry) -> str | None:
    """Return the id of the entry's parent, or None for a root.

    Raises TreeError for anything else: a root says so with null, and an absent `parentId` is damage.

    Task 10.1 b
    """
    parent_id = entry.get("parentId", False)
    if parent_id is not None and type(parent_id) is not str:
        problem = f"entry {quoted(entry['id'])} needs a parentId that is a string or null"
        raise TreeError(problem, entry["id"])
    return parent_id


def path_to(entries: Iterable[SessionEntry], leaf_id: str) -> list[SessionEntry]:
    """Return the entries from the root to `leaf_id`, root first, as deep copies that share nothing with the input.

    Parents are followed on the chosen path only: other roots, and damaged branches elsewhere, do not matter.

    Raises TreeError, which names the ids: an unknown leaf, a child whose parent is missing, an entry of a cycle, or
    an id that `index_by_id` refuses. (Chapter 10, step 1.)

    Task 10.1 c: walk from the leaf to the root, then turn the path round and copy it.
    """
    by_id = index_by_id(entries)
    if type(leaf_id) is not str or leaf_id not in by_id:
        raise TreeError(f"no entry has the id {kind_of(leaf_id)}; choose a leaf of this session", str(leaf_id))
    current = by_id[leaf_id]
    seen = {leaf_id}
    reverse_path = [current]
    while (parent_id := parent_of(current)) is not None:
        child = current["id"]
        if parent_id in seen:
            problem = f"the parents of {quoted(leaf_id)} form a cycle: {quoted(child)} names {quoted(parent_id)} again"
            raise TreeError(problem, child, parent_id)
        if parent_id not in by_id:
            problem = f"entry {quoted(child)} names the parent {quoted(parent_id)}, which is missing"
            raise TreeError(problem, child, parent_id)
        current = by_id[parent_id]
        seen.add(parent_id)
        reverse_path.append(current)
    return [copy.deepcopy(entry) for entry in reversed(reverse_path)]

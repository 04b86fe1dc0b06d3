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
    raise NotImplementedError("Lab 10.1: index_by_id is not written yet")


def parent_of(entry: SessionEntry) -> str | None:
    """Return the id of the entry's parent, or None for a root.

    Raises TreeError for anything else: a root says so with null, and an absent `parentId` is damage.

    Task 10.1 b
    """
    raise NotImplementedError("Lab 10.1: parent_of is not written yet")


def path_to(entries: Iterable[SessionEntry], leaf_id: str) -> list[SessionEntry]:
    """Return the entries from the root to `leaf_id`, root first, as deep copies that share nothing with the input.

    Parents are followed on the chosen path only: other roots, and damaged branches elsewhere, do not matter.

    Raises TreeError, which names the ids: an unknown leaf, a child whose parent is missing, an entry of a cycle, or
    an id that `index_by_id` refuses. (Chapter 10, step 1.)

    Task 10.1 c: walk from the leaf to the root, then turn the path round and copy it.
    """
    raise NotImplementedError("Lab 10.1: path_to is not written yet")

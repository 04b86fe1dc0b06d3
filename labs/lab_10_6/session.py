"""Lab 10.6: from a branch of the tree back to the messages that a model goes on with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from scaffold.given.entries import AgentMessage, SessionEntry

from ..lab_10_1.session import path_to


def messages_on_path(entries: Iterable[SessionEntry], leaf_id: str) -> list[AgentMessage]:
    """Return the complete messages on the path to `leaf_id`, root first, as copies.

    Metadata is on the path, but is no message. Nothing is taken out of a message: a tool result without its call id,
    its `isError` or its `details` could not be matched to its call again.

    Raises what `path_to` raises. (Chapter 10, step 6.)

    Task 10.6 a
    """
    raise NotImplementedError("Lab 10.6: messages_on_path is not written yet")


class BranchStats(TypedDict):
    """What a branch is made of. `depth` counts entries, metadata among them."""

    depth: int
    messages: int
    toolCalls: int
    errorResults: int


def branch_stats(entries: Iterable[SessionEntry], leaf_id: str) -> BranchStats:
    """Return the figures of the branch that ends in `leaf_id`. Raises what `path_to` raises.

    Task 10.6 b: the bonus
    """
    raise NotImplementedError("Lab 10.6: branch_stats is not written yet")

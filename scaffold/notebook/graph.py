"""What a picture of a session shows: the tree behind a list of entries, the rows that fit, and a lane for each branch.

Nothing here judges a session. Where a parent is missing, an id stands twice or parents form a ring, it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scaffold.notebook.words import counted


class Graph:
    """The tree behind a list of entries. An entry is known by its index in the list.

    `parents` holds the index of each entry's parent, or None for a root and for an entry whose parent is missing;
    `missing` holds the ids of those missing parents, by entry. Where an id stands twice, the first entry has it, and
    the others are in `doubles`.
    """

    def __init__(self, entries: Sequence[Any]) -> None:
        self.entries = entries
        self.ids = [_id_of(entry) for entry in entries]
        self._index: dict[str, int] = {}
        self.doubles: set[int] = set()
        for number, entry_id in enumerate(self.ids):
            if self._index.setdefault(entry_id, number) != number:
                self.doubles.add(number)
        self.parents: list[int | None] = [None] * len(entries)
        self.missing: dict[int, str] = {}
        self.children: list[list[int]] = [[] for _ in entries]
        for number, entry in enumerate(entries):
            self._link(number, entry.get("parentId") if type(entry) is dict else None)

    def _link(self, number: int, parent_id: object) -> None:
        if parent_id is None:
            return
        parent = self._index.get(parent_id) if type(parent_id) is str else None
        self.parents[number] = parent
        if parent is None:
            self.missing[number] = str(parent_id)
        else:
            self.children[parent].append(number)

    def find(self, entry_id: str) -> int | None:
        """Return the entry with this id, or None."""
        return self._index.get(entry_id)

    def leaves(self) -> list[int]:
        """Return the entries without children."""
        return [number for number, children in enumerate(self.children) if not children]

    def path(self, leaf: int) -> list[int]:
        """Return the way from the root, or from where a ring or a missing parent ends it, to an entry."""
        way, seen, current = [leaf], {leaf}, self.parents[leaf]
        while current is not None and current not in seen:
            way.append(current)
            seen.add(current)
            current = self.parents[current]
        return way[::-1]

    def trouble(self, leaf: int) -> str:
        """Return what is wrong with the path to an entry, in words; "" if nothing is."""
        top = self.path(leaf)[0]
        if top in self.missing:
            return f"the parent of {self.ids[top]} is {self.missing[top]}, and there is no such entry"
        if self.parents[top] is not None:
            return f"the parents of {self.ids[leaf]} form a ring: {self.ids[top]} is met again"
        return ""


def _id_of(entry: object) -> str:
    entry_id = entry.get("id") if type(entry) is dict else None
    return entry_id if type(entry_id) is str else "?"


@dataclass(frozen=True)
class Row:
    """One row of a picture: an entry, or a fold in the place of several that stand one after the other in the file."""

    entries: tuple[int, ...]

    @property
    def is_fold(self) -> bool:
        return len(self.entries) > 1


def folded(graph: Graph, row: Row) -> str:
    """Say what a fold holds."""
    leaves = sum(not graph.children[number] for number in row.entries)
    return f"{counted(len(row.entries), 'entry', 'entries')} folded, {counted(leaves, 'leaf', 'leaves')}"


_END_OF_PATH = 8  # entries before the leaf that are always shown


def rows_of(graph: Graph, path: Sequence[int], at_most: int) -> list[Row]:
    """Return the rows of a picture in file order: each entry, or in a big session the telling ones and folds between.

    `at_most` entries are chosen; between any two of them there is one fold, or the entry itself if it is the only one.
    """
    size = len(graph.entries)
    if size <= at_most:
        return [Row((number,)) for number in range(size)]
    weights = _weights(graph, path)
    shown = set(sorted(range(size), key=lambda number: (-weights[number], number))[:at_most])
    rows: list[Row] = []
    hidden: list[int] = []
    for number in range(size):
        if number in shown:
            if hidden:
                rows.append(Row(tuple(hidden)))
                hidden = []
            rows.append(Row((number,)))
        else:
            hidden.append(number)
    if hidden:
        rows.append(Row(tuple(hidden)))
    return rows


def _weights(graph: Graph, path: Sequence[int]) -> list[float]:
    """Say how telling each entry is: the ends of the path, its last forks and what leaves it there, and so on."""
    weights = [float(len(children) > 1) + 0.5 * (not children) for children in graph.children]
    for number in (0, 1, len(weights) - 1):
        weights[number] = max(weights[number], 2.0)
    forks = 0
    for distance, number in enumerate(reversed(path)):
        weights[number] = 3.0 + 1 / (1 + distance)
        if distance < _END_OF_PATH:
            weights[number] = 8.0
        if len(graph.children[number]) > 1:
            forks += 1
            for telling in (number, *graph.children[number]):
                weights[telling] = max(weights[telling], 4.0 + 1 / forks)
    for number, weight in zip((*path[:1], *path[-1:]), (9.0, 10.0), strict=False):
        weights[number] = weight
    return weights


@dataclass(frozen=True)
class Edge:
    """A line from one row to another. `is_long` says that folded entries lie between them."""

    parent_row: int
    child_row: int
    is_long: bool
    on_path: bool


@dataclass(frozen=True)
class Layout:
    """Where the rows of a picture stand: a lane for each row (0 is leftmost), and the edges between them."""

    lanes: tuple[int, ...]
    edges: tuple[Edge, ...]

    @property
    def width(self) -> int:
        """The number of lanes."""
        return 1 + max(self.lanes, default=0)


def lay_out(graph: Graph, rows: Sequence[Row], path: Sequence[int]) -> Layout:
    """Give each row a lane: a branch keeps its lane, and the chosen path goes straight down at the left."""
    row_of = {row.entries[0]: number for number, row in enumerate(rows) if not row.is_fold}
    on_path = set(path)
    edges = list(_edges(graph, row_of, on_path))
    heirs = _heirs(edges)
    lanes = [0] * len(rows)
    taken: list[list[tuple[int, int]]] = []  # for each lane, the rows that its branches lie in
    path_rows = {row_of[number] for number in path if number in row_of}
    branches = sorted(
        _branches(edges, heirs, row_of), key=lambda branch: (path_rows.isdisjoint(branch.rows), branch.rows[0])
    )
    for branch in branches:
        lane = next((n for n, spans in enumerate(taken) if not any(_meet(branch.span, s) for s in spans)), len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append(branch.span)
        for row in branch.rows:
            lanes[row] = lane
    return Layout(tuple(lanes), tuple(edges))


def _edges(graph: Graph, row_of: dict[int, int], on_path: set[int]) -> Iterator[Edge]:
    """Yield the line from each shown entry up to its nearest ancestor that is shown."""
    for number, row in row_of.items():
        seen = {number}
        parent = graph.parents[number]
        while parent is not None and parent not in row_of and parent not in seen:
            seen.add(parent)
            parent = graph.parents[parent]
        if parent is not None and parent in row_of and parent != number:
            yield Edge(row_of[parent], row, len(seen) > 1, number in on_path and parent in on_path)


def _heirs(edges: Sequence[Edge]) -> dict[int, int]:
    """Return the child that goes on in its parent's lane: of those below it the one on the path, or else the first.

    An entry above its parent is alone in its lane, or the lane would turn back over rows that it has passed.
    """
    alone = {edge.child_row for edge in edges if edge.child_row < edge.parent_row}
    heirs: dict[int, Edge] = {}
    for edge in edges:
        if alone & {edge.parent_row, edge.child_row}:
            continue
        heir = heirs.get(edge.parent_row)
        if heir is None or (edge.on_path and not heir.on_path):
            heirs[edge.parent_row] = edge
    return {row: edge.child_row for row, edge in heirs.items()}


@dataclass(frozen=True)
class _Branch:
    """Rows that follow one another in one lane, and the span of rows in which nothing else may use the lane."""

    rows: tuple[int, ...]
    span: tuple[int, int]


def _branches(edges: Sequence[Edge], heirs: dict[int, int], row_of: dict[int, int]) -> Iterator[_Branch]:
    parents = {edge.child_row: edge for edge in edges}
    heads = [row for row in row_of.values() if row not in parents or heirs.get(parents[row].parent_row) != row]
    placed: set[int] = set()
    for head in [*heads, *row_of.values()]:  # a ring has no head, and begins anywhere
        if head in placed:
            continue
        rows = [head]
        placed.add(head)
        while (heir := heirs.get(rows[-1])) is not None and heir not in placed:
            rows.append(heir)
            placed.add(heir)
        start = parents[head].parent_row if head in parents else head
        towards = 1 if start < head else -1 if start > head else 0
        span = (min(*rows, start + towards), max(*rows, start + towards))
        yield _Branch(tuple(rows), span)


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]

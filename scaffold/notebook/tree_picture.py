"""SessionTree: a session drawn like the graph of a version control system, one row an entry, in file order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scaffold.notebook.drawing import drawn
from scaffold.notebook.faces import Display, scrolled
from scaffold.notebook.graph import Graph, folded, rows_of
from scaffold.notebook.words import NAMES, counted, cut, words_for

AT_MOST = 40  # entries in a picture; a bigger session is folded


class SessionTree(Display):
    """A session as a tree, with the path to a leaf made bold.

    `entries` is a list of entries in file order, and may be damaged. `path` is a list of ids, or of entries such as
    `path_to` returns; without it, none is bold. `at_most` is the number of entries that are shown; of a bigger session,
    less telling ones are folded.
    """

    def __init__(self, entries: Sequence[Any], path: Iterable[Any] = (), *, at_most: int = AT_MOST) -> None:
        if at_most < 1:
            raise ValueError(f"a picture shows at least 1 entry, not {at_most}")
        self._graph = Graph(entries)
        self._path = [self._number_of(step) for step in path]
        self._at_most = at_most

    def _number_of(self, step: Any) -> int:
        entry_id = step.get("id") if isinstance(step, dict) else step
        number = self._graph.find(entry_id) if isinstance(entry_id, str) else None
        if number is None:
            raise ValueError(f"the path has the step {entry_id!r}, and no entry of the session has that id")
        return number

    def svg(self) -> str:
        return drawn(self._graph, self._path, rows_of(self._graph, self._path, self._at_most), self._summary())

    def text(self) -> str:
        graph, on_path = self._graph, set(self._path)
        lines = [self._summary()]
        for row in rows_of(graph, self._path, self._at_most):
            if row.is_fold:
                lines.append(f"         ({folded(graph, row)})")
            else:
                lines.append(_in_words(graph, row.entries[0], on_path))
        if self._path:
            lines.append(f"* on the path to {graph.ids[self._path[-1]]}")
        return "\n".join(lines)

    def widget(self) -> Any:
        import ipywidgets  # noqa: PLC0415 (only a live notebook needs it)

        picture = ipywidgets.HTML(scrolled(self.svg(), 560))
        size = len(self._graph.entries)
        if size <= self._at_most:
            return picture
        unfold = ipywidgets.ToggleButton(False, description=f"Show all {counted(size, 'entry', 'entries')}")
        unfold.layout.width = "auto"

        def redraw(change: dict[str, Any]) -> None:
            whole = SessionTree(self._graph.entries, [self._graph.ids[n] for n in self._path], at_most=size)
            picture.value = scrolled((whole if change["new"] else self).svg(), 560)

        unfold.observe(redraw, "value")
        return ipywidgets.VBox([unfold, picture])

    def _summary(self) -> str:
        graph = self._graph
        forks = sum(len(children) > 1 for children in graph.children)
        parts = [
            counted(len(graph.entries), "entry", "entries"),
            counted(forks, "fork"),
            counted(len(graph.leaves()), "leaf", "leaves"),
        ]
        return "a session of " + ", ".join(parts)


def _in_words(graph: Graph, number: int, on_path: set[int]) -> str:
    """Return one entry as a line of text: place, id, parent, kind and content."""
    words = words_for(graph.entries[number])
    parent = graph.parents[number]
    if number in graph.missing:
        origin = f"(parent {graph.missing[number]} is missing)"
    elif parent is None:
        origin = "(root)"
    else:
        origin = f"(after {graph.ids[parent]})"
    mark = "*" if number in on_path else " "
    double = " this id stands twice" if number in graph.doubles else ""
    return _cut_line(f"{number + 1:>5} {mark} {graph.ids[number]} {origin}{double}  {NAMES[words.kind]}: ", words.what)


def _cut_line(start: str, rest: str) -> str:
    """Return a line of at most 110 columns."""
    return (start + cut(rest, max(20, 110 - len(start)))).rstrip()

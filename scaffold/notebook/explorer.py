"""TreeExplorer: choose a leaf, and see its path, its messages, and where it stands in the file."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scaffold.notebook.faces import Display, scrolled
from scaffold.notebook.graph import Graph
from scaffold.notebook.lines import PhysicalLine, physical_lines
from scaffold.notebook.tree_picture import SessionTree
from scaffold.notebook.words import NAMES, counted, cut, text_of, words_for

_MESSAGES = 40  # of a path, the last ones: what a model would see nearest to its answer
_MESSAGE_LENGTH = 600  # characters of each


class TreeExplorer(Display):
    """A session to walk about in.

    `source` is a list of entries, or the path of a session file. `leaf` is the id of the entry that is chosen at first:
    the last one, if none is given. Any entry can be chosen, also one with children. A file is read once, and all lines
    that can be read are shown, also of a file that no store would open; what is wrong with it is said above.
    """

    def __init__(self, source: Sequence[Any] | str | os.PathLike[str], leaf: str | None = None) -> None:
        self._lines: list[PhysicalLine] = []
        self._troubles: list[str] = []
        if isinstance(source, str | os.PathLike):
            lines = physical_lines(Path(source).read_bytes())
            self._lines = [line for line in lines if line.status == "committed"]
            self._troubles = [_trouble(line) for line in lines if line.status not in {"committed", "blank"}]
            source = [line.value for line in self._lines]
        self._graph = Graph(source)
        self._chosen = len(source) - 1
        if leaf is not None:
            self.choose(leaf)

    def choose(self, leaf: str) -> None:
        """Choose the entry with this id. Raises ValueError if there is none."""
        number = self._graph.find(leaf)
        if number is None:
            raise ValueError(f"no entry has the id {leaf!r}; choose one of this session")
        self._chosen = number

    def svg(self) -> str:
        return self._tree(self._chosen).svg()

    def text(self) -> str:
        if self._chosen < 0:
            return "\n".join(["a session without entries", *self._troubles])
        place, trouble = self._place(self._chosen), self._graph.trouble(self._chosen)
        known = [*self._troubles, trouble] if trouble else self._troubles
        return "\n".join([*(f"! {each}" for each in known), place, self._tree(self._chosen).text()])

    def widget(self) -> Any:
        import ipywidgets  # noqa: PLC0415 (only a live notebook needs it)

        if self._chosen < 0:
            return ipywidgets.HTML(f"<pre>{html.escape(self.text())}</pre>")
        return _Panel(self).box

    def found(self, word: str, *, leaves_only: bool) -> list[tuple[str, int]]:
        """Return the entries whose id or content holds a word, each with its name in a list to choose from."""
        graph = self._graph
        numbers = graph.leaves() if leaves_only else range(len(graph.entries))
        named = ((self._name(number), number) for number in numbers)
        return [(name, number) for name, number in named if word.lower() in name.lower()]

    def _name(self, number: int) -> str:
        words = words_for(self._graph.entries[number])
        return f"{self._graph.ids[number]}  {NAMES[words.kind]}: {cut(words.what, 60)}"

    def _tree(self, number: int) -> SessionTree:
        graph = self._graph
        path = graph.path(number) if number >= 0 else []
        return SessionTree(graph.entries, [graph.ids[step] for step in path])

    def _place(self, number: int) -> str:
        """Say where an entry stands, and how deep."""
        depth = counted(len(self._graph.path(number)), "entry", "entries")
        if not self._lines:
            return f"{self._graph.ids[number]}: number {number + 1} of the list; its path has {depth}"
        line = self._lines[number]
        end = line.offset + line.size
        where = f"line {line.number:,}, bytes {line.offset:,} to {end:,} ({line.size:,} with the newline)"
        return f"{self._graph.ids[number]}: {where}; its path has {depth}"

    def shown(self, number: int) -> str:
        """Return what is shown of an entry, as HTML."""
        trouble = self._graph.trouble(number)
        warnings = [*self._troubles, f"this path can't be restored: {trouble}"] if trouble else self._troubles
        notes = "".join(f"<li>⚠ {html.escape(each)}</li>" for each in warnings)
        return (
            (f"<ul>{notes}</ul>" if notes else "")
            + f"<p><b>{html.escape(self._place(number))}</b></p>"
            + scrolled(self._tree(number).svg(), 420)
            + scrolled(self._messages(number), 320)
        )

    def _messages(self, number: int) -> str:
        """Return the messages on the path to an entry, as HTML: what a model would be given."""
        entries = [self._graph.entries[step] for step in self._graph.path(number)]
        messages = [entry["message"] for entry in entries if type(entry) is dict and type(entry.get("message")) is dict]
        left_out = max(0, len(messages) - _MESSAGES)
        rows = [f"<p><i>the first {left_out:,} messages are not shown</i></p>"] if left_out else []
        for message in messages[left_out:]:
            words = words_for({"message": message})
            said = text_of(message)
            said = words.what if words.kind == "call" else said
            ending = f" …({counted(len(said), 'character')})" if len(said) > _MESSAGE_LENGTH else ""
            shown = html.escape(said[:_MESSAGE_LENGTH] + ending)
            rows.append(
                f'<p style="margin:6px 0 0"><b>{html.escape(NAMES[words.kind])}</b></p>'
                f'<pre style="white-space:pre-wrap; margin:0; line-height:1.4">{shown}</pre>'
            )
        return f"<p><b>{counted(len(messages), 'message')} on the path:</b></p>" + "".join(rows)


def _trouble(line: PhysicalLine) -> str:
    if line.status == "torn":
        return f"line {line.number:,} is a torn tail: a reader warns, and leaves it out"
    what = "holds more than one record" if line.status == "fused" else line.problem
    return f"line {line.number:,} {what}: a reader stops here with an error; the picture leaves the line out"


class _Panel:
    """The live explorer: a list to choose from, and what is shown of the choice."""

    def __init__(self, explorer: TreeExplorer) -> None:
        import ipywidgets  # noqa: PLC0415 (only a live notebook needs it)

        self._explorer = explorer
        start = explorer._chosen  # noqa: SLF001 (the panel is a part of the explorer)
        self._scope = ipywidgets.ToggleButtons(options=["leaves", "all entries"], tooltips=["", ""])
        self._scope.style.button_width = "auto"
        self._word = ipywidgets.Text(placeholder="find an id or a word", continuous_update=False)
        self._list = ipywidgets.Select(options=[], rows=8)
        self._list.layout.width = "auto"  # 100 % would be beside its margin, and too wide
        self._view = ipywidgets.HTML(explorer.shown(start))
        self._fill(start)
        self._scope.observe(lambda _: self._fill(self._list.value), "value")
        self._word.observe(lambda _: self._fill(self._list.value), "value")
        self._list.observe(self._show, "value")
        choice = ipywidgets.HBox([self._scope, self._word])
        choice.layout.flex_flow = "row wrap"
        self.box = ipywidgets.VBox([choice, self._list, self._view])
        self.box.add_class("session-tree-explorer")

    def _fill(self, chosen: int | None) -> None:
        found = self._explorer.found(self._word.value, leaves_only=self._scope.value == "leaves")
        numbers = [number for _, number in found]
        self._list.options = found
        self._list.value = chosen if chosen in numbers else numbers[-1] if numbers else None

    def _show(self, change: dict[str, Any]) -> None:
        number = change["new"]
        if number is not None:
            self._view.value = self._explorer.shown(number)

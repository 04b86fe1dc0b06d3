"""Draws the rows of a session: lanes, marks and words."""

from __future__ import annotations

from collections.abc import Sequence

from scaffold.notebook.graph import Edge, Graph, Layout, Row, folded, lay_out
from scaffold.notebook.paper import COLUMN, INK, PALE_INK, Paper
from scaffold.notebook.words import NAMES, Kind, cut, words_for

_WIDTH, _ROW, _TOP = 860, 24, 12
_LANES_WIDTH, _LANE = 200, 18  # all lanes together, and one lane, at the most
_ID_COLUMNS, _WHO_COLUMNS = 13, 12
_BAND, _ALARM = "#fbefc6", "#b3261e"

# Each kind has a shape and a name, so the colour is only a third sign.
_COLOURS: dict[Kind, str] = {
    "user": "#1f5fbf",
    "assistant": "#1d7a46",
    "call": "#1d7a46",
    "result": "#7a3fa8",
    "error": _ALARM,
    "note": PALE_INK,
    "other": PALE_INK,
}


def drawn(graph: Graph, path: Sequence[int], rows: Sequence[Row], title: str) -> str:
    """Return the picture of these rows as SVG. `path` is made bold."""
    layout = lay_out(graph, rows, path)
    paper = Paper(_WIDTH, title)
    paper.height = _TOP * 2 + _ROW * len(rows) + _ROW
    lane = min(_LANE, _LANES_WIDTH / layout.width)
    numbers = COLUMN * (1 + len(str(len(graph.entries))))
    pen = _Pen(paper, left=20 + numbers, lane=lane, layout=layout)
    on_path = set(path)
    for place, row in enumerate(rows):
        if not row.is_fold and row.entries[0] in on_path:
            paper.shape("rect", x=6, y=pen.y(place) - _ROW / 2, width=_WIDTH - 12, height=_ROW, fill=_BAND)
    for edge in sorted(layout.edges, key=lambda edge: edge.on_path):
        pen.edge(edge)
    words_at = pen.left + lane * layout.width + 10
    for place, row in enumerate(rows):
        if row.is_fold:
            pen.fold(place, words_at, folded(graph, row))
        else:
            pen.entry(graph, row.entries[0], place, words_at, on_path=row.entries[0] in on_path)
    pen.legend(pen.y(len(rows)), with_path=bool(path))
    return paper.svg()


class _Pen:
    """Draws rows and edges at their places."""

    def __init__(self, paper: Paper, left: float, lane: float, layout: Layout) -> None:
        self._paper = paper
        self.left = left
        self._lane = lane
        self._layout = layout

    def x(self, row: int) -> float:
        return self.left + self._lane * (self._layout.lanes[row] + 0.5)

    def y(self, row: int) -> float:
        return _TOP + _ROW * (row + 0.5)

    def edge(self, edge: Edge) -> None:
        (x1, y1), (x2, y2) = ((self.x(row), self.y(row)) for row in (edge.parent_row, edge.child_row))
        bend = y1 + (_ROW if y2 > y1 else -_ROW)
        middle = (y1 + bend) / 2
        way = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {bend:.1f}L{x2:.1f} {y2:.1f}"
        look: dict[str, float | str] = {"stroke": INK, "stroke_width": 3.5 if edge.on_path else 1.3, "fill": "none"}
        if edge.is_long:
            look["stroke_dasharray"] = "2 4" if not edge.on_path else "5 4"
        self._paper.shape("path", d=way, **look)

    def entry(self, graph: Graph, number: int, row: int, words_at: float, *, on_path: bool) -> None:
        words, base = words_for(graph.entries[number]), self.y(row) + 4.5
        weight = "bold" if on_path else "normal"
        colour = _COLOURS[words.kind]
        self._paper.text(12 + self.left - 20 - 4, base, str(number + 1), fill=PALE_INK, text_anchor="end")
        if number in graph.missing:
            x, y = self.x(row), self.y(row)
            self._paper.shape(
                "path", d=f"M{x:.1f} {y - 11:.1f}L{x:.1f} {y:.1f}", stroke="#b3261e", stroke_dasharray="2 2"
            )
        _draw_mark(self._paper, words.kind, (self.x(row), self.y(row)), filled=on_path)
        self._paper.text(words_at, base, cut(graph.ids[number], _ID_COLUMNS), font_weight=weight)
        who_at = words_at + COLUMN * (_ID_COLUMNS + 1)
        self._paper.text(who_at, base, NAMES[words.kind], fill=colour, font_weight=weight)
        what_at = who_at + COLUMN * (_WHO_COLUMNS + 1)
        trouble = f"parent {graph.missing[number]} is missing! " if number in graph.missing else ""
        trouble += "this id stands twice! " if number in graph.doubles else ""
        what = cut(trouble + words.what, int((_WIDTH - what_at - 10) / COLUMN))
        self._paper.text(what_at, base, what, fill=_ALARM if trouble else INK)

    def fold(self, row: int, words_at: float, words: str) -> None:
        self._paper.text(words_at, self.y(row) + 4.5, f"⋮ {words}", fill=PALE_INK, font_style="italic")

    def legend(self, y: float, *, with_path: bool) -> None:
        x = 18.0
        kinds: tuple[Kind, ...] = ("user", "assistant", "call", "result", "error", "note")
        for kind in kinds:
            _draw_mark(self._paper, kind, (x, y), filled=False)
            self._paper.text(x + 13, y + 4, NAMES[kind], font_size=11, fill=PALE_INK)
            x += 29 + 6.7 * len(NAMES[kind])
        if with_path:
            _draw_mark(self._paper, "user", (x + 8, y), filled=True)
            self._paper.text(x + 21, y + 4, "filled, bold: the path", font_size=11, fill=PALE_INK)


def _draw_mark(paper: Paper, kind: Kind, at: tuple[float, float], *, filled: bool) -> None:
    """Draw the shape of a kind: a circle for people, a square for models, a diamond for tools, a triangle for notes.

    A model that calls a tool has a bar beside its square, and a tool that failed has a cross in its diamond.
    """
    (x, y), colour = at, _COLOURS[kind]
    look: dict[str, float | str] = {"fill": colour if filled else "#ffffff", "stroke": colour, "stroke_width": 2}
    if kind == "user":
        paper.shape("circle", cx=x, cy=y, r=5.5, **look)
    elif kind in {"assistant", "call"}:
        paper.shape("rect", x=x - 5, y=y - 5, width=10, height=10, **look)
        if kind == "call":
            paper.shape("path", d=f"M{x + 5:.1f} {y:.1f}h4", stroke=colour, stroke_width=2.5)
    elif kind in {"result", "error"}:
        paper.shape("path", d=f"M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z", **look)
        if kind == "error":
            cross = "#ffffff" if filled else colour
            paper.shape(
                "path", d=f"M{x - 2.5:.1f} {y - 2.5:.1f}l5 5m0 -5l-5 5", stroke=cross, stroke_width=1.6, fill="none"
            )
    else:
        paper.shape("path", d=f"M{x:.1f} {y - 6:.1f}l6 10.5h-12z", **look)

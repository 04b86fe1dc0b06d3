"""FileBytes: the physical lines of a session file, with what is committed, blank, torn, fused or damaged marked."""

from __future__ import annotations

import html
import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scaffold.notebook.faces import Display, scrolled
from scaffold.notebook.lines import PhysicalLine, Status, physical_lines
from scaffold.notebook.paper import COLUMN, INK, PALE_INK, Paper
from scaffold.notebook.words import counted, cut, visible

AT_MOST = 24  # lines in a picture
_ENDS = 3  # of these, at the beginning and at the end of a long file
WIDTH = 860  # pixels
_ROW, _TOP = 24.0, 10.0
_CONTENT_COLUMNS = 82
_LONG = 1_000  # bytes of a record, of which both ends are more than a line can show
_HEX_BYTES = 4_096  # of one line, in the live view

_LOOK: dict[Status, tuple[str, str, str]] = {  # a mark, the colour of the mark and words, the colour of the ground
    "committed": ("✓", "#1d7a46", "#fdfcf8"),
    "blank": ("·", PALE_INK, "#f1efe8"),
    "torn": ("…", "#9a5b00", "#fdecd2"),
    "fused": ("⚡", "#b3261e", "#fbdcd8"),
    "damaged": ("✗", "#b3261e", "#fbdcd8"),
}


class FileBytes(Display):
    """A session file as its bytes are: physical lines with their numbers, byte offsets and commit marks (⏎).

    `source` is the path of a file, or its bytes. It is read once. `at_most` is the number of lines that are shown: of a
    longer file the first, the last, and all that are not simply committed, as far as there is room.
    """

    def __init__(self, source: bytes | str | os.PathLike[str], *, at_most: int = AT_MOST) -> None:
        self._data = source if isinstance(source, bytes) else Path(source).read_bytes()
        self._lines = physical_lines(self._data)
        self._at_most = at_most

    def svg(self) -> str:
        paper = Paper(WIDTH, self._summary())
        paper.height = _TOP + self.draw(paper, _TOP) + 4
        return paper.svg()

    def draw(self, paper: Paper, top: float) -> float:
        """Draw the lines onto a sheet that is WIDTH wide, and return the height that they take."""
        y = top
        for line in _choice(self._lines, self._at_most):
            y += _draw_fold(paper, y, line) if isinstance(line, int) else _draw_line(paper, y, line)
        paper.text(14, y + 17, self._summary(), font_size=11, fill=PALE_INK)
        return y + _ROW - top

    def text(self) -> str:
        lines = [f"{'line':>6} {'byte':>9}"]
        for line in _choice(self._lines, self._at_most):
            if isinstance(line, int):
                lines.append(f"{'':>16}  ({counted(line, 'committed line')} folded)")
                continue
            lines.append(f"{line.number:>6} {line.offset:>9,}  {' ‖ '.join(piece.text for piece in _pieces(line))}")
            if line.status not in {"committed", "blank"}:
                lines.append(f"{'':>16}  ^ {_remark(line)}")
        return "\n".join([*lines, self._summary()])

    def widget(self) -> Any:
        import ipywidgets  # noqa: PLC0415 (only a live notebook needs it)

        picture = ipywidgets.HTML(scrolled(self.svg(), 420))
        if not self._lines:
            return picture
        options = [(f"line {line.number}: {line.status}", line.number - 1) for line in self._lines]
        chosen = ipywidgets.Dropdown(options=[("choose a line", -1), *options], description="Bytes of")
        dump = ipywidgets.HTML()

        def show(change: dict[str, Any]) -> None:
            dump.value = "" if change["new"] < 0 else _hex_dump(self._lines[change["new"]])

        chosen.observe(show, "value")
        return ipywidgets.VBox([picture, chosen, dump])

    def _summary(self) -> str:
        lines = [line for line in self._lines if line.status not in {"committed", "blank"}]
        size = f"{counted(len(self._data), 'byte')} in {counted(len(self._lines), 'line')}"
        return "; ".join([size, *(f"line {line.number} {_brief(line)}" for line in lines[:4])])


@dataclass(frozen=True)
class _Piece:
    """A part of a line as it is shown, and the number of the record that it belongs to."""

    text: str
    record: int


def _pieces(line: PhysicalLine) -> list[_Piece]:
    """Return a line as text, each record of a fused one apart, and the commit mark at its end.

    What does not fit is taken from the middle, and of a fused line from the middle of each record.
    """
    cuts = [0, *line.seams, len(line.content)]
    records = [line.content[start:end] for start, end in itertools.pairwise(cuts)]
    rooms = _rooms([len(_readable(record)) for record in records], _CONTENT_COLUMNS - 3 * len(line.seams))
    pieces = [_Piece(_shortened(record, room), n) for n, (record, room) in enumerate(zip(records, rooms, strict=True))]
    if line.is_committed:
        pieces[-1] = _Piece(pieces[-1].text + "⏎", pieces[-1].record)
    return pieces


def _rooms(sizes: list[int], room: int) -> list[int]:
    """Share out the columns of a line: a short record takes what it needs, and the others what is left."""
    rooms = [0] * len(sizes)
    for done, number in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        rooms[number] = min(sizes[number], room // (len(sizes) - done))
        room -= rooms[number]
    return rooms


def _shortened(content: bytes, room: int) -> str:
    """Return bytes as text of at most `room` columns: the beginning, what was left out, and the end."""
    shown = _readable(content)
    if len(shown) <= room:
        return shown
    left_out = f" …({counted(len(content), 'byte')})… "
    half = max(6, (room - len(left_out)) // 2)
    return shown[:half] + left_out + shown[-half:]


def _readable(content: bytes) -> str:
    """Return bytes as text; of a long record, only enough of both ends."""
    ends = content if len(content) <= _LONG else content[: _LONG // 2] + content[-_LONG // 2 :]
    return visible(ends.decode("utf-8", "backslashreplace"))


def _brief(line: PhysicalLine) -> str:
    return {"torn": "is a torn tail", "fused": "is fused", "damaged": "is damaged"}[line.status]


def _remark(line: PhysicalLine) -> str:
    if line.status == "torn":
        return "torn tail: no newline, so it was never committed"
    if line.status == "fused":
        where = " and ".join(f"byte {line.offset + seam:,}" for seam in line.seams)
        return f"fused line: another record begins at {where}, and one newline commits both"
    return f"damaged line: it {line.problem}"


def _choice(lines: list[PhysicalLine], at_most: int) -> Iterator[PhysicalLine | int]:
    """Yield the lines to show, and in the place of each gap the number of lines in it."""
    odd = [line.number for line in lines if line.status != "committed"]
    around = [number + step for number in odd for step in (-1, 1)]
    ends = len(lines) if len(lines) <= at_most else _ENDS
    order = [1, len(lines), *odd, *around, *(n for k in range(ends) for n in (1 + k, len(lines) - k))]
    wanted = [number for number in dict.fromkeys(order) if 1 <= number <= len(lines)]
    yield from _with_gaps([lines[number - 1] for number in sorted(wanted[:at_most])], len(lines))


def _with_gaps(shown: Iterable[PhysicalLine], size: int) -> Iterator[PhysicalLine | int]:
    before = 0
    for line in shown:
        if line.number > before + 1:
            yield line.number - before - 1
        yield line
        before = line.number
    if before < size:
        yield size - before


def _draw_fold(paper: Paper, y: float, number: int) -> float:
    paper.text(140, y + 17, f"⋮ {counted(number, 'line')} folded", fill=PALE_INK, font_style="italic")
    return _ROW


def _draw_line(paper: Paper, y: float, line: PhysicalLine) -> float:
    """Draw a line, and return the height that it takes."""
    mark, colour, ground = _LOOK[line.status]
    odd = line.status not in {"committed", "blank"}
    height = _ROW * 2 if odd else _ROW
    border: dict[str, float | str] = {"stroke": colour, "stroke_dasharray": "5 3"} if odd else {}
    paper.shape("rect", x=6, y=y + 1, width=WIDTH - 12, height=height - 2, rx=3, fill=ground, **border)
    base = y + 16.5
    paper.text(48, base, str(line.number), text_anchor="end", fill=INK, font_weight="bold")
    paper.text(112, base, f"{line.offset:,}", text_anchor="end", fill=PALE_INK, font_size=11)
    paper.text(122, base, mark, fill=colour, font_weight="bold")
    x = 140.0
    for piece in _pieces(line):
        if piece.record:
            paper.shape("path", d=f"M{x + 7:.1f} {y + 4:.1f}v{_ROW - 8}", stroke=colour, stroke_width=3)
            x += 14
        text, committed = piece.text.removesuffix("⏎"), piece.text.endswith("⏎")
        paper.text(x, base, text, font_size=12, fill=colour if piece.record else INK)
        x += COLUMN * 12 / 13 * len(text)
        if committed:
            paper.text(x + 3, base, "⏎", fill="#1d7a46", font_weight="bold")
    if odd:
        paper.text(140, base + _ROW - 3, cut(_remark(line), 98), font_size=11.5, fill=colour)
    return height


def _hex_dump(line: PhysicalLine) -> str:
    """Return the bytes of a line as hexadecimal numbers and as characters, sixteen in a row."""
    content = (line.content + b"\n" * line.is_committed)[:_HEX_BYTES]
    rows = []
    for start in range(0, len(content), 16):
        part = content[start : start + 16]
        characters = "".join(each if each.isprintable() and each.isascii() else "·" for each in part.decode("latin-1"))
        rows.append(f"{line.offset + start:>10,}  {part.hex(' '):<47}  {characters}")
    if line.size > _HEX_BYTES:
        rows.append(f"... and {line.size - _HEX_BYTES:,} bytes more")
    return scrolled(f"<pre>{html.escape(chr(10).join(rows))}</pre>", 300)

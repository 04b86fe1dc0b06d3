"""`similarity.html` and `similarity.csv`: which submissions are alike, and where. They are for the instructor alone.

The page has the passages of a pair side by side, each with a few lines around it. No student gets any of it: the texts
are those of others, and of the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scaffold.classroom.model import ClassReport, Lines, Pair, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import NAME, cell, line, stem
from scaffold.classroom.report.standalone import render
from scaffold.classroom.report.tables import BYTE_ORDER_MARK, as_csv

PAIRS = 200  # on the page
LINES = 300  # of a pair, on each side
CONTEXT = 2  # lines before and after a passage
WIDTH = 200  # characters of a line
REFERENCE = "the reference"
_COLUMNS = (
    *("rank", "lab", "first", "first_name", "second", "second_name", "second_is", "share_of_first", "share_of_second"),
    *("passages", "longest", "first_from", "first_to", "second_from", "second_to"),
)


def similarity_page(report: ClassReport) -> str:
    """Return the page."""
    similar = report.similar
    rows = {row.student.id: row for row in report.rows}
    texts = _Texts(report)
    pairs = [_pair(number, pair, rows, texts) for number, pair in enumerate(similar.pairs[:PAIRS], 1)]
    return render(
        "similar.html.j2",
        styles=("page.css", "table.css", "similar.css"),
        scripts=("table.js", "similar.js"),
        title=line(report.title, NAME),
        at_least=_percent(similar.at_least),
        found=similar.found,
        listed=len(similar.pairs),
        pairs=pairs,
        labs=list(dict.fromkeys(pair["lab"] for pair in sorted(pairs, key=lambda pair: words.in_order(pair["lab"])))),
    )


def similarity_csv(report: ClassReport) -> str:
    """Return the table of all pairs that were kept, with the lines of the longest passage of each."""
    names = {row.student.id: words.name_of(row.student) for row in report.rows}
    return BYTE_ORDER_MARK + as_csv([_COLUMNS, *_table(report.similar.pairs, names.get)])


def _table(pairs: Sequence[Pair], name: Callable[[str, str], str]) -> Iterator[list[str]]:
    for rank, pair in enumerate(pairs, 1):
        other = ["", "", "reference"] if pair.second is None else [pair.second, name(pair.second, ""), "student"]
        longest = pair.longest
        yield [
            str(rank),
            cell(pair.lab),
            cell(pair.first),
            cell(name(pair.first, "")),
            *map(cell, other),
            *(f"{share:.4f}" for share in (pair.share_of_first, pair.share_of_second)),
            str(len(pair.passages)),
            str(longest.length if longest else 0),
            *([str(each) for each in longest.first_lines + longest.second_lines] if longest else [""] * 4),
        ]


class _Texts:
    """The lines of what was compared, each cut and made visible once it is asked for."""

    def __init__(self, report: ClassReport) -> None:
        self._texts = report.similar.texts
        self._lines: dict[tuple[str | None, str], list[str]] = {}

    def excerpt(self, side: str | None, lab: str, lines: Lines, most: int) -> dict[str, Any]:
        """Return a passage, or its first lines, with some around it."""
        key = side, lab
        if key not in self._lines:
            self._lines[key] = self._texts.get(key, "").split("\n")
        first, last = lines
        shown = min(last, first + most - 1)
        before, after = max(1, first - CONTEXT), shown + CONTEXT if shown == last else shown
        numbered = enumerate(self._lines[key][before - 1 : after], before)
        return {
            "first": first,
            "last": last,
            "cut": last - shown,
            "lines": [(number, _visible(text), first <= number <= last) for number, text in numbered],
        }


def _visible(text: str) -> str:
    """Return a line of code, cut. A return at its end belongs to the end of the line."""
    return line(text.removesuffix("\r").expandtabs(4), WIDTH)


def _pair(number: int, pair: Pair, rows: dict[str, Row], texts: _Texts) -> dict[str, Any]:
    passages = list(_passages(pair, texts))
    return {
        "number": number,
        "lab": line(pair.lab, NAME),
        "first": _person(pair.first, rows),
        "second": _person(pair.second, rows),
        "share_of_first": pair.share_of_first,
        "share_of_second": pair.share_of_second,
        "longest": pair.longest.length if pair.longest else 0,
        "count": len(pair.passages),
        "passages": passages,
        "left_out": len(pair.passages) - len(passages),
    }


def _person(side: str | None, rows: dict[str, Row]) -> dict[str, Any]:
    if side is None:
        return {"name": REFERENCE, "id": "", "stem": ""}
    name = words.name_of(rows[side].student) if side in rows else side
    return {"name": line(name, NAME), "id": line(side, NAME), "stem": stem(side)}


def _passages(pair: Pair, texts: _Texts) -> Iterator[dict[str, Any]]:
    """Yield the passages, until there are enough lines."""
    left = LINES
    for passage in pair.passages:
        if left <= 0:
            return
        yield {
            "first": texts.excerpt(pair.first, pair.lab, passage.first_lines, left),
            "second": texts.excerpt(pair.second, pair.lab, passage.second_lines, left),
        }
        left -= passage.length


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"

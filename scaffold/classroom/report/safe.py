"""Makes foreign text safe for the place that it is written to. Names, ids and messages may come from students.

`line`, `joined` and `paragraph` cut a text and show what can't be seen. `cell` is for a CSV, `code_span` and `fenced`
are for Markdown; HTML, XML and JSON are escaped by those who write them. `stem` is for names of files.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

NAME = 200  # characters of a name, an id or a title that are kept
LINE = 500  # of a reason, a flag or a problem
MESSAGE = 2_000  # of what a failed test says
DIFFERENCE = 4_000  # of what the exam saw
_LINES = 200  # of a paragraph

_LEADS = "=+\\-@\uff1d\uff0b\uff0d\uff20"  # what begins a formula; the last four are full-width forms of the others
_FORMULA = re.compile(rf'(?:^|(?<=;))(?=[\s"]*[{_LEADS}])')
_JOINER = re.compile("(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")  # Persian words and emojis are written with it
_PLAIN_STEM = re.compile(r"(?!.*-[0-9a-f]{20}$)[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9_-])?")
_STEM = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")  # no file may be called so on Windows


def visible(text: str) -> str:
    """Return a text in which what can't be seen, turns the line round, or moves a cursor is written as an escape."""
    if text.isprintable():
        return text
    joiners = {found.start() for found in _JOINER.finditer(text)}
    return "".join(
        each
        if each.isprintable() or place in joiners or unicodedata.category(each) == "Zs"
        else each.encode("unicode_escape").decode("ascii")
        for place, each in enumerate(text)
    )


def line(text: str, limit: int = LINE) -> str:
    """Return a text as one line of about `limit` characters; the end of a line in it is seen as an escape."""
    shown = visible(text[:limit])
    return shown if len(text) <= limit else f"{shown}… ({len(text):,} characters)"


def joined(text: str, limit: int = LINE) -> str:
    """Return a text of several lines as one, with a space where a line ended."""
    return line(" ".join(text[: 10 * limit].split()), limit)


def paragraph(text: str, limit: int = MESSAGE) -> str:
    """Return a text of several lines, cut, without blank lines at its ends."""
    lines = text[:limit].replace("\r\n", "\n").replace("\t", "    ").strip("\n").split("\n")
    shown = [visible(each) for each in lines[:_LINES]]
    if len(text) > limit or len(lines) > _LINES:
        shown.append(f"… ({len(text):,} characters)")
    return "\n".join(shown)


def cell(text: str, limit: int = NAME) -> str:
    """Return a text for a cell of a CSV, which no spreadsheet takes for a formula: an apostrophe goes before one.

    Where a spreadsheet separates by semicolons, a cell begins after each of them, whatever the quotes say.
    """
    return _FORMULA.sub("'", line(text, limit))


def code_span(text: str, limit: int = LINE) -> str:
    """Return a text as a code span of Markdown, in which nothing is a link, a mention, or HTML."""
    inside = line(text, limit) or " "
    fence = "`" * (_longest_run(inside) + 1)
    pad = " " if inside[0] in "` " or inside[-1] in "` " else ""  # one space at each end is taken away again
    return f"{fence}{pad}{inside}{pad}{fence}" if inside.strip() else f"{fence}{inside}{fence}"


def fenced(text: str, limit: int = MESSAGE) -> str:
    """Return a text as a code block of Markdown, with a fence longer than any that the text may hold."""
    inside = paragraph(text, limit)
    fence = "`" * max(3, _longest_run(inside) + 1)
    return f"{fence}text\n{inside}\n{fence}"


def stem(student_id: str) -> str:
    """Return the name of a student's files, without an ending.

    It is a name on every system, and no other id has it, also where case does not count. A plain id is its own; any
    other is what is left of it, and a hash. So it stays what it is when other students come or go.
    """
    if _PLAIN_STEM.fullmatch(student_id) and not _DEVICES.fullmatch(student_id):
        return student_id
    digest = hashlib.sha256(student_id.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    letters = unicodedata.normalize("NFKD", student_id[:NAME]).encode("ascii", "ignore").decode("ascii").lower()
    left = re.sub("[^a-z0-9]+", "-", letters).strip("-")[:40].strip("-")
    return f"{left or 'student'}-{digest}"


def is_stem(text: str) -> bool:
    """Tell whether a text can have been made by `stem`."""
    return _STEM.fullmatch(text) is not None


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)

"""Lab 10.4: read a session from text. New: the newline is the commit mark."""

from __future__ import annotations

import json
import re
from typing import Any

from scaffold.given.entries import RecoveredSession, SessionEntry
from scaffold.given.errors import LineError, quoted

from ..lab_10_2.session import parse_session_entry


def is_blank(line: str) -> bool:
    r"""Tell whether a line is blank: it has nothing but JSON's white space, which is space, tab and `\r`.

    `str.strip()` without an argument would also take a no-break space or a form feed, which JSON refuses.

    Task 10.4 a
    """
    raise NotImplementedError("Lab 10.4: is_blank is not written yet")


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs. Raises ValueError for a key that stands twice, where `json` keeps the last.

    Task 10.4 b: the decoder below calls this for each object.
    """
    raise NotImplementedError("Lab 10.4: unique_keys is not written yet")


DECODER = json.JSONDecoder(object_pairs_hook=unique_keys)
COMMITTED_LINE = re.compile(r"(.*)\n")  # one way to go from line to line; `.` is every character but \n


def parse_line(line: str, number: int) -> SessionEntry:
    """Return the entry of a committed line. Raises LineError with its number, caused by the original error.

    `json` raises JSONDecodeError, a plain ValueError (an integer of 5,000 digits) or RecursionError. The text of a
    JSONDecodeError counts lines of its own, which would stand beside ours: take its `msg` and `colno`.

    Task 10.4 c
    """
    raise NotImplementedError("Lab 10.4: parse_line is not written yet")


def recover_jsonl(text: str) -> RecoveredSession:
    r"""Return the committed entries in the order of the text, and a warning if it has a torn tail.

    A line is committed by its `\n`, and by that alone. A committed line is never skipped: its children may follow. What
    stands after the last `\n` is never parsed, even if it could be: it is ignored with a warning that gives its
    physical line, or without if it is blank. Whether ids are unique and parents exist is not asked here.

    Raises LineError (a ValueError) for the first committed line that is damaged. (Chapter 10, step 4.)

    Task 10.4 d: split on `\n` only. `str.splitlines` would cut a record at a U+2028 inside its text.
    """
    raise NotImplementedError("Lab 10.4: recover_jsonl is not written yet")

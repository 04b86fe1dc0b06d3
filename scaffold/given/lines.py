"""Physical lines of a session file."""

from __future__ import annotations


def line_of_entry(data: bytes, index: int) -> int:
    r"""Return the physical line, counted from 1, of the entry with this index: blank lines are counted, not indexed.

    Raises IndexError if the file has fewer committed entries.
    """
    committed = data.split(b"\n")[:-1]
    return [number for number, line in enumerate(committed, start=1) if line.strip(b" \t\r")][index]

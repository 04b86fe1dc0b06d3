"""Tells the physical lines of a session file apart, as far as that can be seen from the bytes alone.

This is a viewer's look: it says what a line is, also where a reader would stop, and it checks no entry.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["committed", "blank", "torn", "fused", "damaged"]

_BLANK = b" \t\r"
_BRACES_TRIED = 5_000  # counted from the end of the line


@dataclass(frozen=True)
class PhysicalLine:
    r"""One line of a file.

    `number` counts from 1, and `offset` is the byte at which the line begins, counted from 0. `content` is without the
    newline. `seams` are the bytes of a fused line, counted within it, at which another record begins. `value` is what
    a committed line holds, as JSON. `problem` says why a damaged one can't be read.
    """

    number: int
    offset: int
    content: bytes
    status: Status
    seams: tuple[int, ...] = ()
    value: Any = None
    problem: str = ""

    @property
    def is_committed(self) -> bool:
        """Whether the line ends in a newline."""
        return self.status != "torn"

    @property
    def size(self) -> int:
        """The bytes of the line, with its newline."""
        return len(self.content) + self.is_committed


def physical_lines(data: bytes) -> list[PhysicalLine]:
    """Return the lines of a file. What stands behind the last newline, if anything, is the last one, and torn."""
    *committed, tail = data.split(b"\n")
    lines, offset = [], 0
    for number, content in enumerate(committed, start=1):
        lines.append(_committed(number, offset, content))
        offset += len(content) + 1
    if tail:
        lines.append(PhysicalLine(len(committed) + 1, offset, tail, "torn"))
    return lines


def _committed(number: int, offset: int, content: bytes) -> PhysicalLine:
    if not content.strip(_BLANK):
        return PhysicalLine(number, offset, content, "blank")
    try:
        return PhysicalLine(number, offset, content, "committed", value=json.loads(content.decode()))
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 at byte {error.start}"
    except (ValueError, RecursionError) as error:
        problem = f"is not JSON: {getattr(error, 'msg', type(error).__name__)}"
    if seams := _seams(content):
        return PhysicalLine(number, offset, content, "fused", seams, problem="holds more than one record")
    return PhysicalLine(number, offset, content, "damaged", problem=problem)


def _seams(content: bytes) -> tuple[int, ...]:
    """Return the bytes of a line at which further records begin; none if it is damaged in another way.

    A record is glued to a whole one, or to half of one. So look for an object that ends where the line, or the next
    record, ends; the objects within a record end earlier.
    """
    text = content.decode("latin-1")  # a character a byte, and JSON's own characters stay what they are
    decoder = json.JSONDecoder()
    end_of_record, seams = len(text.rstrip()), []
    start = len(text)
    for _ in range(_BRACES_TRIED):
        start = text.rfind("{", 0, start)
        if start <= 0:
            break
        try:
            _, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if end == end_of_record:
            end_of_record = start
            seams.append(start)
    return tuple(reversed(seams))

"""How reports travel: each in a frame, so that half a report is told from a whole one.

Whoever holds the pipe can write anything to it. Frames give no proof of who wrote them.
"""

from __future__ import annotations

import os
import struct
from typing import Final, Literal

Kind = Literal[b"r", b"s", b"e", b"m", b"x"]
REPORT: Final = b"r"
STARTED: Final = b"s"
ENDED: Final = b"e"
OUT_OF_MEMORY: Final = b"m"
NOT_STARTED: Final = b"x"
_HEAD = struct.Struct(">cI")
_COST = 256  # bytes that a frame costs whoever takes it, however short it is
_KINDS = {REPORT, STARTED, ENDED, OUT_OF_MEMORY, NOT_STARTED}


def write_frame(file: int, kind: Kind, content: bytes = b"") -> None:
    """Write one frame to a pipe. Raises OSError; struct.error for 4 GiB or more."""
    rest = memoryview(_HEAD.pack(kind, len(content)) + content)
    while rest:
        rest = rest[os.write(file, rest) :]


class Frames:
    """Takes the bytes of a pipe as they come, and keeps what is whole.

    `total` counts all bytes, and what each frame costs besides. After the first that begin no frame, `broken` is true
    and nothing more is kept.
    """

    def __init__(self) -> None:
        self.reports: list[bytes] = []
        self.marks: list[tuple[bytes, bytes]] = []  # all frames but reports
        self.total = 0
        self.broken = False
        self._rest = bytearray()

    def take(self, data: bytes) -> None:
        self.total += len(data)
        if self.broken:
            return
        self._rest += data
        start = 0
        while len(self._rest) - start >= _HEAD.size:
            kind, size = _HEAD.unpack_from(self._rest, start)
            if kind not in _KINDS:
                self.broken = True
                self._rest.clear()
                return
            end = start + _HEAD.size + size
            if len(self._rest) < end:
                break
            self._keep(kind, bytes(self._rest[start + _HEAD.size : end]))
            start = end
        del self._rest[:start]

    def _keep(self, kind: bytes, content: bytes) -> None:
        self.total += _COST
        if kind == REPORT:
            self.reports.append(content)
        else:
            self.marks = [*self.marks[:8], (kind, content)]  # an honest run has three at the most

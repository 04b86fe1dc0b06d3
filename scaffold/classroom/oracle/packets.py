"""How messages travel between a stand-in and the oracle: in packets, each with the number of its message.

A message may be broken off anywhere: a limit of time raises its error wherever the code is just then. So a packet is
sent or received as a whole or not at all (SOCK_SEQPACKET), and a message of which some packets are missing is dropped
when the next one begins.
"""

from __future__ import annotations

import select
import socket
import struct
from typing import NamedTuple

PIECE = 32 * 1024  # bytes of a packet; any system's default buffer holds several
_HEAD = struct.Struct(">Q?")  # the number, and whether this is the last packet of the message


class Message(NamedTuple):
    """A whole message."""

    number: int
    content: bytes


class BrokenLineError(Exception):
    """What came is no message, or one that is too long."""


class Line:
    """One end of a connection. Closes its socket in the end."""

    def __init__(self, end: socket.socket) -> None:
        end.settimeout(None)
        self._end = end
        self._number = -1
        self._pieces: list[bytes] = []

    def close(self) -> None:
        self._end.close()

    def send(self, message: Message, *, drop: bool = False) -> None:
        """Send a message of at least one byte. Raises OSError if nobody is there to take it.

        With `drop`, what comes in meanwhile is read and dropped: an answer that nobody waits for any more. Otherwise
        both sides could wait for each other to read.
        """
        number, content = message
        for start in range(0, len(content), PIECE):
            piece = content[start : start + PIECE]
            packet = _HEAD.pack(number, start + PIECE >= len(content)) + piece
            if not drop:
                self._end.send(packet)
                continue
            while not self._sent_at_once(packet):
                ready, _, _ = select.select([self._end], [self._end], [])
                if ready and not self._end.recv(_HEAD.size + PIECE):
                    raise BrokenPipeError("the other end is closed")

    def _sent_at_once(self, packet: bytes) -> bool:
        try:
            self._end.send(packet, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        return True

    def receive(self, most: int | None = None) -> Message | None:
        """Return the next message, or None when the other end is closed.

        Raises BrokenLineError for what is no packet, and for a message of more than `most` bytes; OSError.
        """
        while packet := self._end.recv(_HEAD.size + PIECE):
            if len(packet) <= _HEAD.size:
                raise BrokenLineError("a packet holds nothing")
            number, is_last = _HEAD.unpack_from(packet)
            if number != self._number:
                self._number, self._pieces = number, []
            self._pieces.append(packet[_HEAD.size :])
            if most is not None and len(self._pieces) * PIECE > most + PIECE:
                raise BrokenLineError(f"a message has more than {most:,} bytes")
            if is_last:
                content = b"".join(self._pieces)
                self._number, self._pieces = -1, []
                return Message(number, content)
        return None

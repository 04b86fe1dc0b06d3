"""Watches one inmate from the outside: what it says, and whether it keeps its limits. It never waits for it alone."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass

from scaffold.classroom.sandbox.frames import Frames
from scaffold.classroom.sandbox.limits import JailLimits

_FIRST_LOOK, _LOOK_EVERY = 0.02, 0.05  # seconds until memory is counted, and between two counts
_PIECE = 65_536


@dataclass(frozen=True)
class Rules:
    """What ends an inmate from outside. `breach` counts what takes longer to count, and names the limit it breaks."""

    limits: JailLimits
    breach: Callable[[], str]
    kill_after: int | None = None


class Watch:
    """Reads the two pipes of an inmate, no further than the limits. Closes them in the end."""

    def __init__(self, inmate: int, reports: int, printed: int, rules: Rules) -> None:
        self.frames = Frames()
        self.printed = bytearray()
        self._rules = rules
        self._reports = reports
        self._printed = printed
        self._end = os.pidfd_open(inmate)
        self._poll = select.poll()
        for file in (reports, printed, self._end):
            self._poll.register(file, select.POLLIN)
            os.set_blocking(file, False)

    def until_end(self) -> str:
        """Wait until the inmate ends by itself, and return nothing; or until it must be ended, and return why."""
        now = time.monotonic()
        deadline, look = now + self._rules.limits.seconds, now + _FIRST_LOOK
        while now < deadline:
            ready = {file for file, _ in self._poll.poll(max(0.0, min(look, deadline) - now) * 1000)}
            why = self._read(ready - {self._end})
            if why or self._end in ready:
                return why
            now = time.monotonic()
            if now >= look:
                if why := self._rules.breach():
                    return why
                look = time.monotonic() + _LOOK_EVERY
        return "timed out"

    def finish(self) -> str:
        """Read what is left, when all who could write are gone. Return "output" if there was too much in all."""
        for file in (self._reports, self._printed):
            while not self._is_too_much() and _has_more(file):
                self._read({file})
        for file in (self._reports, self._printed, self._end):
            os.close(file)
        return "output" if self._is_too_much() else ""

    def _read(self, ready: set[int]) -> str:
        """Read one piece from each pipe that has something. Return why that was one too many, or nothing."""
        for file in ready:
            data = self._piece(file)
            if not data:
                self._poll.unregister(file)
            elif file == self._reports:
                self.frames.take(data)
            else:
                self.printed += data[: self._rules.limits.printed + 1 - len(self.printed)]
        if self._is_too_much():
            return "output"
        enough = self._rules.kill_after
        return "killed" if enough is not None and len(self.frames.reports) >= enough else ""

    def _is_too_much(self) -> bool:
        limits = self._rules.limits
        return self.frames.total > limits.reports or len(self.printed) > limits.printed

    def _piece(self, file: int) -> bytes:
        try:
            return os.read(file, _PIECE)
        except BlockingIOError:
            return b""


def _has_more(file: int) -> bool:
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return any(event & select.POLLIN for _, event in poll.poll(0))

"""What a run of tests reports: events, as lines of JSON, and how they are understood again.

Whoever wrote the code under test can write to where the report goes. So a line is believed only as far as it has the
form of an event of this job, and what the events say together is judged in `verdict.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

# What the events of a run say, besides their name and the number of the job.
_FACTS: dict[str, dict[str, type]] = {
    "collected": {"tests": list},
    "started": {"test": str},
    "finished": {"test": str, "outcome": str, "kind": str, "message": str, "where": str, "printed": str},
    "done": {"threads": list},
    "ended": {"code": int, "processes": list},
}


class Report:
    """A stream of events; `write` takes each line of it."""

    def __init__(self, write: Callable[[bytes], None], job: int = 0) -> None:
        self._write = write
        self.job = job

    def send(self, event: str, **facts: object) -> None:
        self._write(json.dumps({"event": event, "job": self.job, **facts}).encode() + b"\n")


def understood(line: bytes, job: int = 0) -> list[dict[str, Any]]:
    """Return the event of a line; nothing if it is no event of this job."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return []
    if not isinstance(event, dict) or event.get("job") != job:
        return []
    facts = _FACTS.get(str(event.get("event")))
    fits = facts is not None and all(isinstance(event.get(name), kind) for name, kind in facts.items())
    return [event] if fits else []

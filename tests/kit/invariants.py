"""What must hold for a session file and its writer, whatever happens to them: once in words, once in code.

1. The file holds exactly the bytes that were there, then the line of each append that succeeded, in order. A failed
   write may have added the beginning of its line, and is the last thing that this store has written.
2. An append is acknowledged if and only if its whole line was written; whether its caller still waits does not matter.
3. A store that met a failed write is tainted: all that is called from then on fails with that same error object.
4. A store that was opened on a torn tail needs repair: it is read, and never written to.
5. A closed store takes nothing, and no store leaves its state.
6. A store can be opened if and only if each committed line is an entry that can follow those before it. It then has
   exactly these entries, and a warning if there is a torn tail.

`Model` foretells all of this from the operations alone. It shares no code with the store.
"""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass
from typing import Any

SHORT = 9  # bytes that a failing append leaves behind


def line_of(entry: Any) -> bytes:
    """Return the committed line that a store must write for an entry."""
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


@dataclass
class ModelStore:
    """What is known of one store. `fault` names its failed write."""

    ids: set[str]
    needs_repair: bool
    closed: bool = False
    fault: int | None = None

    @property
    def state(self) -> str:
        if self.fault is not None:
            return "tainted"
        return "needs-repair" if self.needs_repair else "ready"

    def refusal(self, entry: dict[str, Any]) -> str:
        """Return why an entry is refused before anything is written; "" if it is not."""
        if self.fault is not None:
            return f"fault {self.fault}"
        if self.needs_repair:
            return "needs repair"
        if self.closed:
            return "closed"
        fits = entry["id"] not in self.ids and entry["parentId"] in self.ids | {None}
        return "" if fits else "refused"


@dataclass
class Model:
    """A file, and the store that is open on it, if one is. No bytes means that there is no file."""

    data: bytes | None = None
    store: ModelStore | None = None

    def open(self) -> None:
        """Open a store, if the file allows it."""
        self.data = self.data or b""
        *lines, tail = self.data.split(b"\n")
        entries = [_entry(line) for line in lines]
        ids: set[str] = set()
        for entry in entries:
            if entry is None or entry["id"] in ids or entry["parentId"] not in ids | {None}:
                self.store = None
                return
            ids.add(entry["id"])
        self.store = ModelStore(ids, needs_repair=tail != b"")

    def append(self, line: bytes, fails: str = "") -> str:
        """Append a line; with `fails`, the write stops half-way ("short") or before its first byte ("error").

        Return what comes of it: "appended", or which error it is.
        """
        store = self.store
        assert store is not None
        refusal = store.refusal(json.loads(line))
        if refusal:
            return refusal
        if self.data is not None and not fails:
            self.data += line
            store.ids.add(json.loads(line)["id"])
            return "appended"
        store.fault = errno.ENOENT if self.data is None else errno.ENOSPC if fails == "short" else errno.EIO
        if self.data is not None and fails == "short":
            self.data += line[:SHORT]
        return f"fault {store.fault}"

    def readable(self) -> list[str] | None:
        """Return the ids that the file's committed lines have, or None if one of them is damaged."""
        entries = [_entry(line) for line in (self.data or b"").split(b"\n")[:-1]]
        return None if None in entries else [entry["id"] for entry in entries if entry is not None]


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None

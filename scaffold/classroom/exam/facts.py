"""Turns what was seen of an operation into facts, in which right solutions do not differ.

A line of the file may be written with spaces or without, a backup may have any name, and whoever was cancelled may
have been served all the same. And what a driver says of files does not count: the trusted side has looked at them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from scaffold.classroom.exam.errors import is_answer, is_report, told_by
from scaffold.classroom.exam.operation import Operation
from scaffold.classroom.exam.repairs import LATE, LONG_AGO
from scaffold.classroom.exam.stage import Seen
from scaffold.classroom.exam.values import encode

Files = Mapping[str, Seen]


def facts_of(operation: Operation, seen: Any, files: Files) -> Any:
    """Return the facts of an operation, as JSON. `seen` may be anything that JSON can hold."""
    if operation["do"] == "program":
        return _of_program(operation, seen, files)
    if operation["do"] == "repair":
        return _of_repair(operation, seen, files)
    if "_accepted" in operation:
        return {"accepted": isinstance(seen, dict) and "value" in seen}
    if operation["do"] == "two errors" and isinstance(seen, dict) and isinstance(seen.get("errors"), list):
        told = [told_by(error["$error"]) for error in seen["errors"] if is_report(error)]
        return {**seen, "they differ": len(set(told)) == len(seen["errors"])}
    if "_only_copies" in operation and isinstance(seen, dict) and not is_report(seen):
        return _of_copies(operation, seen)
    return seen


def _of_copies(operation: Operation, seen: dict[str, Any]) -> Any:
    """Return whether the copies are apart, whatever else is in them: there must be something that was copied."""
    first, changed = seen.get("first"), seen.get("changed")
    times = [each["timestamp"] for entry in operation["arguments"][0] for each in (entry, entry.get("message", entry))]
    found = [each for each in first if isinstance(each, dict)] if isinstance(first, list) else []
    return {
        "something of the input is there": any(each.get("timestamp") in times for each in found),
        "the first is changed": json.dumps(first) != json.dumps(changed),
        "the others are not": [json.dumps(seen.get(name)) == json.dumps(first) for name in ("second", "third")],
        "the input is not": seen.get("input kept"),
        "what two of them share": seen.get("shared"),
    }


def _of_program(operation: Operation, seen: Any, files: Files) -> Any:
    said = seen.get("said") if isinstance(seen, dict) else None
    written = [bytes.fromhex(step[1]) for step in operation["steps"] if step[0] == "write"]
    begin = written[-1] if written else b""
    facts: dict[str, Any] = {"seen": seen}
    if isinstance(said, list):
        facts = {**seen, "said": [_of_step(operation, step, begin) for step in said]}
    if "file" in operation and "_any_file" not in operation:
        found = files.get(operation["file"])
        facts["file"] = _of_file(found.data, begin) if found is not None and found.kind == "file" else None
    return facts


def _of_step(operation: Operation, said: Any, begin: bytes) -> Any:
    if not isinstance(said, dict):
        return said
    if isinstance(said.get("$file"), str):
        return {"file": _of_claimed_file(said["$file"], begin)}
    optional = operation.get("_optional")
    if optional is not None and isinstance(said.get("read"), list):
        return {"read": [entry for entry in said["read"] if not isinstance(entry, dict) or entry.get("id") != optional]}
    return said


def _of_claimed_file(claim: str, begin: bytes) -> Any:
    try:
        return _of_file(bytes.fromhex(claim), begin)
    except ValueError:
        return claim


def _of_file(data: bytes, begin: bytes) -> Any:
    """Return what a file holds. How its JSON is spaced, and in which order its keys are, is left to the writer."""
    rest = data.removeprefix(begin)
    *lines, tail = rest.split(b"\n")
    return {
        "begins as before": data.startswith(begin),
        "lines": [_of_line(line) for line in lines],
        "tail": len(tail),
    }


def _of_line(line: bytes) -> Any:
    try:
        return encode(json.loads(line.decode()))
    except (ValueError, RecursionError):
        return {"no JSON": hashlib.sha256(line).hexdigest()}


def _of_repair(operation: Operation, seen: Any, files: Files) -> Any:
    if not isinstance(seen, dict) or not isinstance(seen.get("ends"), list) or not seen["ends"]:
        return seen
    repaired = _Repaired(operation, seen, files)
    match operation.get("disk", {}).get("is"):
        case None:
            return repaired.plain()
        case "failing":
            return repaired.after_a_failed_step()
        case "spoiling":
            return repaired.after_spoiling()
        case "shared":
            return repaired.after_a_change()
    return {**repaired.always(), "repaired": repaired.is_done, "ends": seen["ends"], "noticed": seen.get("disk")}


class _Repaired:
    """The files after a repair, and what must hold of them at any moment."""

    def __init__(self, operation: Operation, seen: dict[str, Any], files: Files) -> None:
        folder = operation["folder"]
        sessions = f"{folder}/sessions/"
        inside = {name: file for name, file in files.items() if name.startswith(sessions)}
        self.operation, self.ends, self.noticed = operation, seen["ends"], seen.get("disk")
        self.kept = bytes.fromhex(operation["kept"])
        self.torn = self.kept + bytes.fromhex(operation["tail"])
        self.file = inside.pop(f"{sessions}session.jsonl", None)
        self.now = self.file.data if self.file and self.file.kind == "file" else None
        self.others = sorted((file.data for file in inside.values()), key=lambda data: (len(data), data))
        self.all_files = [file for name, file in files.items() if name.startswith(f"{folder}/") and file.kind == "file"]
        self.link = files.get(f"{folder}/links/link.jsonl")
        self.old = files.get(f"{folder}/old")
        self.is_done = self.now == self.kept

    def always(self) -> dict[str, bool]:
        """Return what holds at any moment, whatever the disk does."""
        return {
            "the file is whole": self.now in (self.torn, self.kept),
            "nobody writes into the old bytes": self.old is not None and self.old.data == self.torn,
            "the backup is complete before the file is replaced": not self.is_done or self.others == [self.torn],
        }

    def plain(self) -> dict[str, Any]:
        mode = self.operation.get("mode", 0o777)
        facts = {
            "file": None if self.now is None else self.now.hex(),
            "other files": [data.hex() for data in self.others],
            "at most one other file": len(self.others) <= 1,
            "something was done": self.now != self.torn or self.others != [],
            "not written": "old" in self.operation and self.file is not None and self.file.changed == LONG_AGO,
            "mode": self.file.mode if self.file and "mode" in self.operation else None,
            "none is more public": all(file.mode & 0o777 & ~mode == 0 for file in self.all_files),
            "link": self.link.kind if self.link else None,
        }
        return {"ends": self.ends, **{name: facts[name] for name in self.operation["_looks_at"]}}

    def after_a_failed_step(self) -> dict[str, Any]:
        end = self.ends[-1]
        error = end["$error"] if is_report(end) else None
        looks_failed = error is not None and (
            error.get("made by the disk") is not False or error.get("name") == "RepairRefusedError"
        )
        alone = len(self.others) <= 1 and self.kept not in self.others
        return {
            **self.always(),
            "a success has repaired": error is not None or (end == "done" and self.is_done),
            "a late error does not look like a failed repair": not (self.is_done and looks_failed),
            "a failure leaves no new file": self.is_done or alone,
            "without a fault it is repaired": self.noticed is True or (end == "done" and self.is_done),
        }

    def after_spoiling(self) -> dict[str, Any]:
        return {**self.always(), "it is repaired, or an error": self.is_done or is_answer(self.ends[-1])}

    def after_a_change(self) -> dict[str, Any]:
        """Return whether somebody else's change was left alone; a repair may have no such moment."""
        if self.noticed is False and self.ends == ["done"] and self.now != self.torn:
            return {"what somebody wrote is there": True, "an error says so": True, "no new file": True}
        change = self.operation["disk"]["change"]
        left = self.torn + LATE if change.startswith("append") else b"x" * len(self.torn)
        return {
            "what somebody wrote is there": self.now == left,
            "an error says so": is_answer(self.ends[-1]),
            "no new file": len(self.others) <= 1,
        }

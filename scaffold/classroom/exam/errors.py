"""Compares errors: what a submission raises with what the reference raises, as the rules of the labs ask.

A right solution may use classes and words of its own. It must raise an error of the right built-in kind, which names
what the reference's error names: ids, the path of a field, the number of a line, the kind of damage, the cure. A fact
may stand in the error's text or in one of its attributes, in any case and any order.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from scaffold.classroom.exam.operation import Operation

_BAD_VALUE = {"ValueError"}
_NO_PATH = {"ValueError", "LookupError"}
_OUT_OF_PLACE = {"ValueError", "LookupError", "RuntimeError"}
_ANY = {"Exception"}
_UNREADABLE = "test_what_must_be_read_is_checked"
_WORDS = {"NeedsRepairError": "repair", "ClosedError": "clos"}
_DAMAGE = {"is not JSON": "json", "is not a session entry": "session entry"}


def same_error(operation: Operation, seen: Any, wanted: dict[str, Any]) -> bool:
    """Tell whether a reported error is as good as the reference's."""
    if not is_answer(seen):
        return False
    error = seen["$error"]
    if "object" in wanted and error.get("object") != wanted["object"]:
        return False
    if "_cause" in operation and (error.get("cause") is None) != (wanted["cause"] is None):
        return False
    return not _kinds(operation, wanted["name"]).isdisjoint(error["types"]) and _names(
        operation, told_by(error), wanted
    )


def is_answer(seen: Any) -> bool:
    """Tell whether something is an error that a submission means as its answer, and not one for what is not written."""
    return is_report(seen) and "missing" not in seen["$error"] and "NotImplementedError" not in seen["$error"]["types"]


def is_report(seen: Any) -> bool:
    """Tell whether something is a report of an error, as a driver makes it."""
    if not isinstance(seen, dict) or not isinstance(seen.get("$error"), dict):
        return False
    error = seen["$error"]
    types, text, facts = error.get("types"), error.get("text"), error.get("facts")
    return (
        isinstance(types, list)
        and all(isinstance(name, str) for name in types)
        and isinstance(text, str)
        and isinstance(facts, dict)
    )


def told_by(error: dict[str, Any]) -> str:
    """Return what an error says in its text and in its attributes, in lower case."""
    facts = [f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in error["facts"].items()]
    return " ".join([error["text"], *facts]).lower()


def _kinds(operation: Operation, name: str) -> set[str]:
    if operation["item"] == _UNREADABLE:
        return _NO_PATH | {"TypeError"}
    match name:
        case "EntryError":
            return _BAD_VALUE
        case "TreeError":
            return _OUT_OF_PLACE if operation["do"] == "program" else _NO_PATH
        case "LineError":
            return _OUT_OF_PLACE if operation["do"] == "program" else _BAD_VALUE
    return _ANY


def _names(operation: Operation, told: str, wanted: dict[str, Any]) -> bool:
    name, facts = wanted["name"], wanted["facts"]
    if name in _WORDS and _WORDS[name] not in told:
        return False
    if operation.get("_names") is False or operation["item"] == _UNREADABLE:
        return True
    if name == "EntryError" and operation["lab"] == "10.2" and "_any_path" not in operation:
        return _names_path(operation, told, facts["path"])
    if name == "TreeError":
        return _names_ids(operation, told, facts["ids"]["items"])
    if name == "LineError":
        return _names_damage(operation, told, wanted)
    return name != "NeedsRepairError" or _names_line(told, facts["line"])


def _names_path(operation: Operation, told: str, path: str) -> bool:
    """Tell whether an error names a path that ends as this one does; one with `_open` may go on."""
    steps = path.removeprefix("entry").removeprefix(".").lower()
    for _ in range(operation.get("_up", 0)):
        steps = steps.rpartition(".")[0]
    end = r"(?!\w)" if "_open" in operation else r"(?!\w|\.\w|\[)"
    return not steps or re.search(rf"(?<!\w){re.escape(steps)}{end}", told) is not None


def _names_ids(operation: Operation, told: str, ids: list[str]) -> bool:
    if "_one_of" in operation:
        return any(name.lower() in told for name in operation["_one_of"])
    return all(name.lower() in told for name in ids)


def _names_damage(operation: Operation, told: str, wanted: dict[str, Any]) -> bool:
    cause = wanted["cause"]
    if cause is not None and cause["name"] == "TreeError":
        return _names_ids(operation, told, cause["facts"]["ids"]["items"])
    if "_cause" not in operation and not _names_line(told, wanted["facts"]["line"]):
        return False
    damage = next((word for begin, word in _DAMAGE.items() if wanted["facts"]["problem"].startswith(begin)), "")
    return operation["do"] not in {"call", "two errors"} or "_any_damage" in operation or damage in told


def _names_line(told: str, line: int) -> bool:
    """Tell whether an error gives this line number, as a word of its own, and no other line number."""
    separated = "".join(character if character.isalnum() else " " for character in told.replace("lines", "line"))
    words = separated.split()
    after_line = {word for before, word in pairwise(words) if before == "line" and word.isdecimal()}
    return str(line) in words and after_line <= {str(line)}

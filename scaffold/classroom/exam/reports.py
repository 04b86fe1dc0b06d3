"""What the driver reports of an error: facts, from which the judge takes those that the rules ask for."""

from __future__ import annotations

import builtins
import json
from typing import Any

from scaffold.classroom.exam.values import encode, mro_of, type_name
from scaffold.grading.failure import MissingNameError, NotLoadableError

MAX_TEXT = 1_000
MAX_FACT = 2_000
MAX_FACTS = 20

_BUILTIN = {kind: name for name, kind in vars(builtins).items() if isinstance(kind, type)}
_attributes_of = BaseException.__dict__["__dict__"].__get__
_cause_of = BaseException.__dict__["__cause__"].__get__


class Objects:
    """Numbers the errors that were seen, so that the judge can tell whether two are the same object."""

    def __init__(self, *first: BaseException) -> None:
        self._seen: list[BaseException] = list(first)

    def number(self, error: BaseException) -> int:
        for number, other in enumerate(self._seen):
            if other is error:
                return number
        self._seen.append(error)
        return len(self._seen) - 1


def error_report(error: BaseException, objects: Objects | None = None, *, with_cause: bool = True) -> dict[str, Any]:
    """Return the facts of an error: the built-in classes that it is of, its text, its attributes, and its cause."""
    facts: dict[str, Any] = {
        "types": [_BUILTIN[kind] for kind in mro_of(error) if kind in _BUILTIN],
        "name": type_name(error),
        "text": _text_of(error),
        "facts": _facts_of(error),
    }
    if type(error) is MissingNameError or type(error) is NotLoadableError:
        facts["missing"] = True
    if objects is not None:
        facts["object"] = objects.number(error)
    if with_cause:
        cause = _cause_of(error)
        facts["cause"] = None if cause is None else error_report(cause, with_cause=False)["$error"]
    return {"$error": facts}


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        return ""
    return encoded(text[:MAX_TEXT]) if type(text) is str else ""


def encoded(text: str) -> str:
    """Return a text that UTF-8 can write."""
    return text.encode(errors="replace").decode()


def _facts_of(error: BaseException) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    attributes = _attributes_of(error)
    if type(attributes) is not dict:
        return facts
    for name, value in list(attributes.items())[:MAX_FACTS]:
        fact = encode(value)
        if type(name) is str and len(json.dumps(fact)) <= MAX_FACT:
            facts[encoded(name)] = fact
    return facts

"""Says in a few words what an entry is: for the pictures, and for those who can't see them.

What is shown may be damaged, so nothing here relies on the types of `scaffold.given.entries`.
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["user", "assistant", "call", "result", "error", "note", "other"]

NAMES: dict[Kind, str] = {
    "user": "user",
    "assistant": "assistant",
    "call": "calls tool",
    "result": "tool result",
    "error": "tool error",
    "note": "note",
    "other": "?",
}
_ENOUGH = 2_000  # characters: nobody sees more of a text in one line, and some texts have megabytes


@dataclass(frozen=True)
class Words:
    """An entry in words: its kind, and one line about its content, not yet cut to a width."""

    kind: Kind
    what: str


def words_for(entry: Any) -> Words:
    """Return the words for an entry, or for whatever stands in its place."""
    if type(entry) is not dict:
        return Words("other", _as_json(entry))
    if entry.get("type") == "metadata":
        return Words("note", f"{entry.get('key')} = {_as_json(entry.get('value'))}")
    message = entry.get("message")
    return _words_for_message(message) if type(message) is dict else Words("other", "")


def _words_for_message(message: dict[str, Any]) -> Words:
    said, role = text_of(message), message.get("role")
    if role == "toolResult":
        return Words("error" if message.get("isError") else "result", f"{message.get('toolName')}: {said}")
    if role == "assistant":
        calls = [f"→ {call.get('name')} {_as_json(call.get('arguments'))}" for call in blocks_of(message, "toolCall")]
        if calls:
            return Words("call", " ".join(filter(None, [said, *calls])))
        return Words("assistant", said or str(message.get("errorMessage", "")))
    return Words("user" if role == "user" else "other", said)


def text_of(message: dict[str, Any]) -> str:
    """Return the text blocks of a message, one after the other."""
    return "\n".join(str(block.get("text", "")) for block in blocks_of(message, "text"))


def blocks_of(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the content blocks of one type."""
    content = message.get("content")
    blocks = content if type(content) is list else []
    return [block for block in blocks if type(block) is dict and block.get("type") == kind]


def cut(text: str, width: int) -> str:
    """Return a text as one line of at most `width` columns, in which also odd characters can be seen.

    A wide character takes two columns, and a combining one takes none.
    """
    line = visible(" ".join(text[:_ENOUGH].split()))
    if columns(line) <= width:
        return line
    kept, used = [], 1  # the ellipsis
    for character in line:
        used += columns(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def visible(text: str) -> str:
    """Return a text in which what can't be seen, or would turn the line round, is written as an escape.

    An emoji is often several characters joined by one that can't be seen (U+200D); that one stays.
    """
    return "".join(
        each if each.isprintable() or each == "\u200d" else each.encode("unicode_escape").decode() for each in text
    )


def columns(text: str) -> int:
    """Return how many columns a text takes in a font of fixed width."""
    return sum(
        0 if unicodedata.category(each) in {"Mn", "Me", "Cf"} else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def counted(number: int, thing: str, things: str = "") -> str:
    """Return `1 entry`, `1,000 entries`."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:_ENOUGH]
    except (TypeError, ValueError, RecursionError):
        return f"a Python {type(value).__name__}"

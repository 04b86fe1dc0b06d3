"""Makes realistic sessions of any size. The same arguments give the same session, on every machine."""

from __future__ import annotations

import random
from typing import Literal

from scaffold.given import samples
from scaffold.given.entries import AgentMessage, JsonValue, SessionEntry

Shape = Literal["chain", "bushy", "deep"]

# How often an entry goes back to an older one, and how many entries it goes back at the most.
_GO_BACK: dict[Shape, tuple[float, int]] = {"chain": (0.0, 1), "bushy": (0.2, 40), "deep": (0.02, 5)}
_NOTES, _CALLS, _FAILURES, _ODD_WORDS = 0.05, 0.5, 0.1, 0.03  # how often these come

_WORDS = [
    "the",
    "branch",
    "keeps",
    "every",
    "attempt",
    "and",
    "its",
    "file",
    "grows",
    "at",
    "the",
    "end",
    "only",
    "read",
    "search",
    "line",
    "parent",
    "leaf",
]
_ODD = [
    "Größe",
    "naïve",
    "señal",
    "слово",
    "дерево",
    "λόγος",
    "δέντρο",
    "שורה",
    "שלום",
    "سطر",
    "كلمة",
    "道",
    "枝",
    "叶子",
    "文件",
    "木の枝",
    "나무",
    "🌳",
    "🍃",
    "👩\u200d💻",
    "🏳️\u200d🌈",
    "é",
    "\u2028",
    "\xa0",
    "\\",
    '"',
    "\t",
    "\n",
]


def make_session(size: int, *, seed: int = 0, shape: Shape = "bushy", words: int = 40) -> list[SessionEntry]:
    """Return a session of `size` entries in file order, whose texts have about `words` words each.

    A chain is one branch. A bushy session goes back often and far, a deep one seldom and not far. Users ask, models
    answer or call tools, tools answer or fail, and here and there is a note.
    """
    chance = random.Random(f"{seed} {shape}")  # noqa: S311 (no secret)
    often, far = _GO_BACK[shape]
    entries: list[SessionEntry] = []
    for number in range(size):
        parent = entries[-1] if entries else None
        if parent is not None and chance.random() < often:
            parent = entries[max(0, number - 1 - chance.randrange(far))]
        entries.append(_child_of(parent, f"{seed:x}-{number:06x}", chance, words))
        entries[-1]["timestamp"] = samples.NOON + 1_000 * number
    return entries


def _child_of(parent: SessionEntry | None, entry_id: str, chance: random.Random, words: int) -> SessionEntry:
    parent_id = parent["id"] if parent is not None else None
    if chance.random() < _NOTES:
        return samples.metadata_entry(entry_id, parent_id, "label", _value(chance, 3))
    message = parent["message"] if parent is not None and parent["type"] == "message" else None
    return samples.message_entry(entry_id, parent_id, _reply_to(message, entry_id, chance, words))


def _reply_to(message: AgentMessage | None, entry_id: str, chance: random.Random, words: int) -> AgentMessage:
    text = _text(chance, words)
    if message is None:
        return samples.user(text)
    if message["role"] == "assistant":
        calls = [block for block in message["content"] if block["type"] == "toolCall"]
        if not calls:
            return samples.user(text)
        return samples.tool_result(calls[0], text, _value(chance, 2), is_error=chance.random() < _FAILURES)
    if chance.random() > _CALLS:
        return samples.assistant(samples.text(text))
    call = samples.tool_call(f"call-{entry_id}", chance.choice(["read", "search", "write"]), _value(chance, 3))
    return samples.assistant(samples.text(text), call)


def _text(chance: random.Random, words: int) -> str:
    return " ".join(_word(chance) for _ in range(1 + chance.randrange(2 * words)))


def _word(chance: random.Random) -> str:
    return chance.choice(_ODD if chance.random() < _ODD_WORDS else _WORDS)


def _value(chance: random.Random, depth: int) -> JsonValue:
    scalars: list[JsonValue] = [None, True, chance.randrange(10**6), chance.random(), _word(chance)]
    if depth == 0:
        return chance.choice(scalars)
    children = [_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return chance.choice([*scalars, children, {_word(chance): child for child in children}])

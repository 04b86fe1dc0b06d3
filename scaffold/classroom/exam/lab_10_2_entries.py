"""The entries that the operations of lab 10.2 are made of."""

from __future__ import annotations

from typing import Any

from scaffold.classroom.exam.material import (
    ASCII_WORDS,
    Chance,
    assistant,
    call,
    changed,
    message_entry,
    note,
    result,
    user,
)
from scaffold.given import samples

Entry = dict[str, Any]


class Entries:
    """One entry of each kind: plain ones, in which nothing is odd, or some with all their optional fields.

    Plain ones are for the items about errors: who gets an odd field wrong must not lose those as well.
    """

    def __init__(self, chance: Chance, *, plain: bool = True) -> None:
        if plain:
            chance.texts = ASCII_WORDS
        reply, answer = (
            (plain_reply(chance), plain_answer(chance)) if plain else (odd_reply(chance), odd_answer(chance))
        )
        ids = chance.names(4)
        self._by_kind = {
            "u": message_entry(chance, ids[0], None, user(chance)),
            "s": message_entry(chance, ids[1], ids[0], reply),
            "t": message_entry(chance, ids[2], ids[1], answer),
            "n": note(chance, ids[3], ids[2]),
        }
        if plain:
            self._by_kind["n"]["value"] = {chance.name(): [chance.text(), chance.below(99)]}

    def __getitem__(self, kind: str) -> Entry:
        return self._by_kind[kind]

    def with_(self, field: str, value: Any) -> Entry:
        kind, _, path = field.partition(".")
        return changed(self._by_kind[kind], path, value)  # type: ignore[no-any-return]


def plain_reply(chance: Chance) -> dict[str, Any]:
    tool = samples.tool_call(chance.name(), chance.name(), {chance.name(): [chance.text()]})
    reply: dict[str, Any] = dict(samples.assistant(samples.text(chance.text()), tool))
    read, written = chance.between(1, 999), chance.between(1, 999)
    usage = {"input": read, "output": written, "totalTokens": read + written}
    return {**reply, "provider": chance.name(), "model": chance.name(), "usage": usage}


def plain_answer(chance: Chance) -> dict[str, Any]:
    tool = samples.tool_call(chance.name(), chance.name(), None)
    return dict(samples.tool_result(tool, chance.text(), {chance.name(): [1, chance.below(99)]}, is_error=False))


def odd_reply(chance: Chance) -> dict[str, Any]:
    reply = {**assistant(chance, 0), "errorMessage": chance.text()}
    return {**reply, "content": [*reply["content"], {**call(chance), "rawArguments": chance.text()}]}


def odd_answer(chance: Chance) -> dict[str, Any]:
    return {**result(chance), "details": chance.value()}

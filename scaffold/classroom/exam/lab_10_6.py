"""Operations of lab 10.6: the messages of branches in random forests, and their figures."""

from __future__ import annotations

from typing import Any

from scaffold.classroom.exam.material import (
    STOP_REASONS,
    Chance,
    assistant,
    changed,
    flat,
    message_entry,
    note,
    result,
    tree,
    user,
)
from scaffold.classroom.exam.operation import Operation, accepted


def conversation(chance: Chance, *, repeated: bool = False) -> list[Any]:
    """Return one branch with messages of all kinds: calls and failures, and notes among them."""
    ids = chance.names(9)
    asked = user(chance)
    again = asked if repeated else user(chance)
    messages = [asked, assistant(chance, 2), result(chance, is_error=True), result(chance, is_error=False), None]
    messages += [{**assistant(chance, 1), "stopReason": "error", "errorMessage": ""}, again, assistant(chance, 0)]
    entries: list[Any] = [note(chance, ids[0], None)]
    for entry_id, parent, message in zip(ids[1:], ids, messages, strict=False):
        entries.append(
            note(chance, entry_id, parent) if message is None else message_entry(chance, entry_id, parent, message)
        )
    return entries


def with_siblings(chance: Chance, line: list[Any]) -> list[Any]:
    """Return the branch and others, in no order."""
    parents = [chance.pick(line)["id"] for _ in range(4)]
    others = [
        message_entry(chance, name, parent, user(chance)) for name, parent in zip(chance.names(4), parents, strict=True)
    ]
    return chance.shuffled([*line, *others, *tree(chance, 4, more_roots=1 / 2)])


def ask(name: str, entries: list[Any], leaf: str, **notes: Any) -> Operation:
    return {"do": "call", "name": name, "arguments": [entries, leaf], **notes}


def complete(chance: Chance) -> list[Operation]:
    line = conversation(chance, repeated=True)
    entries = with_siblings(chance, line)
    leaves = [line[-1]["id"], line[0]["id"], *(item["id"] for item in chance.some(line[1:-1], 3))]
    return [
        *(ask("messages_on_path", entries, leaf) for leaf in leaves),
        *(ask("messages_on_path", [item], item["id"]) for item in alone(chance)),
    ]


def alone(chance: Chance) -> list[Any]:
    """Return messages of which a part looks superfluous."""
    name = chance.name()
    reply = message_entry(chance, name, None, assistant(chance, 1))
    answer = message_entry(chance, name, None, result(chance))
    values: list[Any] = [None, {}, [], False]
    return [
        flat(name, None),
        changed(reply, "message.content", []),
        *(changed(reply, "message.stopReason", reason) for reason in STOP_REASONS[2:]),
        *(changed(reply, "message.errorMessage", text) for text in ("", chance.text())),
        *(changed(reply, "message.content.1.arguments", value) for value in values),
        *(changed(reply, "message.content.1.rawArguments", text) for text in ("", '{"path":')),
        *(changed(answer, "message.details", value) for value in (*values, chance.value())),
        *(changed(answer, "message.content", []), changed(answer, "message.isError", True)),
    ]


def copies(chance: Chance) -> list[Operation]:
    line = conversation(chance)
    return [
        {
            "do": "path twice",
            "name": "messages_on_path",
            "arguments": [entries, line[-1]["id"]],
            "changes": [[[place, "add", chance.name()] for place in (0.0, chance.part())] for _ in range(2)],
            "_only_copies": True,
        }
        for entries in (line, with_siblings(chance, line))
    ]


def errors(chance: Chance) -> list[Operation]:
    line, missing = conversation(chance), chance.name()
    entries, leaf = with_siblings(chance, line), line[-1]["id"]
    elsewhere = next(item for item in chance.shuffled(entries) if item not in line)
    lost = flat(chance.name(), missing)
    return [
        *(accepted(ask("messages_on_path", entries, item["id"])) for item in (line[-1], line[1])),
        ask("messages_on_path", entries, chance.name()),
        ask("messages_on_path", [], chance.name()),
        ask("messages_on_path", [*entries, lost], lost["id"]),
        ask("messages_on_path", [*entries, elsewhere], leaf),
        ask("messages_on_path", [*entries, flat(line[2]["id"], None)], leaf),
    ]


def figures(chance: Chance) -> list[Operation]:
    line = conversation(chance)
    entries = with_siblings(chance, line)
    odd = chance.pick(alone(chance))
    return [*(ask("branch_stats", entries, item["id"]) for item in line), ask("branch_stats", [odd], odd["id"])]


ITEMS = {
    "test_messages_of_one_branch_are_complete": complete,
    "test_messages_are_copies": copies,
    "test_errors_are_those_of_path_to": errors,
    "test_branch_stats_counts_one_branch": figures,
}

"""Operations of lab 10.2: entries of all kinds, and entries in which one field is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scaffold.classroom.exam.lab_10_2_entries import Entries, Entry
from scaffold.classroom.exam.material import (
    ABSENT,
    STOP_REASONS,
    Chance,
    call,
    changed,
    made,
    points,
    small,
    user,
)
from scaffold.classroom.exam.operation import Operation, accepted

# The fields by their kind: `u` stands for a user's message, `s` for an assistant's, `t` for a tool's, `n` for a note.
NAMES = (
    *("u.id", "s.message.content.1.id", "s.message.content.1.name"),
    *("t.message.toolCallId", "t.message.toolName", "n.key"),
)
STRINGS = (
    *("u.message.content.0.text", "t.message.content.0.text", "s.message.provider", "s.message.model"),
    *("s.message.errorMessage", "s.message.content.1.rawArguments"),
)
NUMBERS = ("u.timestamp", "n.timestamp", "u.message.timestamp", "s.message.timestamp", "t.message.timestamp")
AMOUNTS = ("s.message.usage.input", "s.message.usage.output", "s.message.usage.totalTokens")
ARRAYS = ("u.message.content", "s.message.content", "t.message.content")
OBJECTS = ("u.message", "s.message.usage", "u.message.content.0")
WORDS = ("u.type", "u.message.role", "s.message.stopReason")
VALUES = ("n.value", "t.message.details", "s.message.content.1.arguments")
NEEDED = (
    *NAMES[:2],
    *("u.parentId", "n.parentId", "s.message.content.1.name", "t.message.toolCallId", "t.message.toolName", "n.key"),
    *(STRINGS[0], "s.message.provider", "s.message.model", *NUMBERS, *AMOUNTS, *ARRAYS, *WORDS),
    *("u.message", "s.message.usage", "t.message.isError", "n.value", "s.message.content.1.arguments"),
)
WITH_FIELDS = ("u.message", "s.message", "t.message", "s.message.usage", "u.message.content.0", "s.message.content.1")


def parse(entry: Any, **notes: Any) -> Operation:
    return {"do": "call", "name": "parse_session_entry", "arguments": [entry], **notes}


def controls(entries: Entries, kinds: str = "ustn") -> list[Operation]:
    """Return entries with which nothing is wrong, among those with which something is."""
    return [accepted(parse(entries[kind])) for kind in kinds]


def complete(chance: Chance) -> list[Operation]:
    """Entries that are accepted, down to the last field that may be odd."""
    entries, other = Entries(chance, plain=False), Entries(chance, plain=False)
    name, shared = chance.name(), {"$": "same", "name": "x", "of": {chance.name(): [chance.scalar()]}}
    odd_times = (0, -chance.below(10**6) - 1, 0.25 * chance.part())
    fit = [
        *(entries[kind] for kind in "ustn"),
        other.with_("u.id", f" {name} "),
        other.with_("n.key", f"\t{name}"),
        *(timed(other, number) for number in odd_times),
        *(other.with_(field, number) for field, number in zip(chance.shuffled(NUMBERS), odd_times, strict=False)),
        other.with_("n.value", [2**60 + chance.below(99), small(10**300 + chance.below(99))]),
        *(other.with_(field, []) for field in ARRAYS),
        *(other.with_(field, "") for field in STRINGS),
        *(other.with_(field, ABSENT) for field in (*STRINGS[4:], "t.message.details")),
        *(other.with_(field, None) for field in VALUES),
        *(other.with_(field, chance.pick([[], {}, "", 0, False, chance.text()])) for field in VALUES),
        *(other.with_(chance.pick(AMOUNTS), number) for number in (0, 0.5)),
        *(other.with_("s.message.stopReason", word) for word in STOP_REASONS),
        other.with_("n.value", {"": {"": chance.scalar()}}),
        other.with_("u.message.content.0.text", f"{name} \u2028 \x00 \n e\u0301 🛣️"),
    ]
    return [
        *({"do": "parse", "entry": entry, "changes": chance.changes(2)} for entry in fit),
        *(
            {"do": "parse", "entry": other.with_(field, value), "changes": chance.changes()}
            for field in VALUES
            for value in ({"one": shared, "two": shared, "many": [shared, [shared]]}, [shared, shared])
        ),
    ]


def timed(entries: Entries, number: float) -> Entry:
    """Return a user's entry with this time stamp, and in its message too."""
    return changed(entries.with_("u.timestamp", number), "message.timestamp", number)  # type: ignore[no-any-return]


def wrong(chance: Chance) -> list[Operation]:
    """Entries with one field that is missing, of another kind, or out of its limits."""
    entries = Entries(chance)
    return [
        *controls(entries),
        *(parse(entry) for entry in ([entries["u"]], None, chance.text(), chance.below(99))),
        *(parse(entries.with_(field, ABSENT)) for field in NEEDED),
        *(parse(entries.with_(field, value)) for field, value in wrong_fields(chance)),
        *(parse(entries.with_(f"{field}.{chance.name()}", chance.scalar()), _open=True) for field in WITH_FIELDS),
        *blocks(chance, entries),
        parse({**entries["u"], "value": chance.scalar()}),
        parse({**entries["n"], "message": user(chance)}),
        parse({**entries["u"], "parentID": None}),
        *(parse(entries.with_(field, value)) for field in VALUES for value in no_json(chance)),
        parse(entries.with_("n.value", {"$": "loop", "length": chance.between(1, 3)}), _open=True),
        parse(entries.with_("t.message.details", [{"$": "loop", "length": 1}]), _open=True),
    ]


def wrong_fields(chance: Chance) -> Iterator[tuple[str, Any]]:
    blank = chance.pick((" ", " \t", "\n", "  "))
    numbers = [small("nan"), small("inf"), small("-inf")]
    for field in (*NAMES, "n.parentId", "u.parentId"):
        yield from ((field, value) for value in ("", blank, chance.pick([chance.below(99), [chance.name()]])))
    yield from ((("u.parentId", 0), ("u.parentId", False), ("u.parentId", {})))
    for field in STRINGS:
        yield from ((field, value) for value in (None, chance.pick([chance.below(999), {}, [chance.text()]])))
    for field in (*NUMBERS, *AMOUNTS):
        yield from ((field, value) for value in (chance.pick([None, chance.text()]), chance.pick(numbers)))
    yield from (("u.timestamp", value) for value in numbers)
    yield from (("s.message.usage.output", value) for value in numbers)
    yield from ((field, -1 - chance.below(999)) for field in AMOUNTS)
    for field in ARRAYS:
        yield (field, chance.pick([None, chance.text(), {}]))
        yield (f"{field}.0", chance.pick([None, chance.text(), []]))
    yield ("s.message.content.1", chance.pick([None, chance.text(), []]))
    yield from ((field, value) for field in ("u.message", "s.message.usage") for value in (None, chance.text(), [1, 2]))
    for field in WORDS:
        word = chance.pick(("message", "user", "stop"))
        yield from ((field, value) for value in (chance.name(), [word], chance.pick([None, {word: 1}, "Message"])))
    yield from ((("t.message.isError", None), ("t.message.isError", "false"), ("t.message.isError", [])))


def blocks(chance: Chance, entries: Entries) -> list[Operation]:
    """Blocks that don't belong where they stand. How far the path goes into the block is left open."""
    tool = call(chance)
    return [
        *(parse(entries.with_(f"{kind}.message.content", [tool]), _open=True, _up=1) for kind in "ut"),
        *(
            parse(entries.with_(f"{kind}.message.content.0.type", value), _open=True, _up=1)
            for kind in "us"
            for value in (ABSENT, chance.pick(("image", chance.name())), ["text"], None)
        ),
    ]


def no_json(chance: Chance) -> list[Any]:
    odd = [made("function"), made("set", [chance.below(9)]), made("bytes", chance.name()), made("object")]
    infinite = chance.pick([small("inf"), small("nan"), small("-inf")])
    return [chance.pick(odd), {chance.name(): chance.pick(odd)}, {chance.name(): [chance.scalar(), infinite]}]


def lookalikes(chance: Chance) -> list[Operation]:
    """Values that Python takes for JSON, and JSON does not."""
    entries = Entries(chance)
    huge = chance.pick((1, -1)) * 10 ** chance.between(310, 600)
    text, real = made("Text", chance.name()), made("Real", 1 + chance.below(99))
    inner = [text, real, made("Whole"), made("Names", []), made("tuple", [1, 2]), made("Pair", [1, 2]), small(huge)]
    inner += [made("OrderedDict", {chance.name(): 1}), made("MappingProxyType", {}), made("complex", 1)]
    inner += [small(10 ** chance.between(4_400, 5_000))]
    fields = [
        *(("u.timestamp", value) for value in (True, real, made("Whole"), small(huge))),
        *((field, value) for field in AMOUNTS for value in (False, real)),
        *(("t.message.isError", value) for value in (0, 1, 1.0)),
        *((field, text) for field in ("u.id", "u.message.content.0.text")),
        *(("u.message.role", made("Text", word)) for word in ("user", chance.name())),
        *(("u.type", made("Text", word)) for word in ("message", chance.name())),
        *(("s.message.stopReason", made("Text", word)) for word in ("stop", chance.name())),
        *(("u.message.content", made(kind, [])) for kind in ("Names", "tuple")),
        *((field, made("OrderedDict", part(entries, field))) for field in OBJECTS),
        *((chance.pick(VALUES), value) for value in inner),
        *(("n.value", [chance.scalar(), value]) for value in inner),
    ]
    keys = [1, None, text, True]
    return [
        *controls(entries, "un"),
        *(parse(entries.with_(field, value)) for field, value in fields),
        *(parse(made("OrderedDict", entries[kind])) for kind in "un"),
        parse(entries.with_("s.message.content.0.type", made("Text", "text")), _open=True, _up=1),
        *(parse(entries.with_(chance.pick(VALUES), odd_key(key)), _open=True) for key in keys),
        parse({"$": "dict", "items": [*(list(pair) for pair in entries["u"].items()), [chance.below(9), 2]]}),
    ]


def part(entries: Entries, field: str) -> Any:
    """Return what stands in a field."""
    value: Any = entries[field[0]]
    for step in field.split(".")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def odd_key(key: Any) -> dict[str, Any]:
    return {"$": "dict", "items": [[key, 1]]}


def unwritable(chance: Chance) -> list[Operation]:
    """Surrogates, in each field that is a text, and in keys."""
    entries = Entries(chance)

    def half() -> dict[str, Any]:
        return points(ord("a"), chance.between(0xD800, 0xDFFF), ord("b"))

    pair = points(0xD83D, chance.between(0xDE00, 0xDE4F))
    return [
        *controls(entries, "un"),
        *(parse(entries.with_(field, half())) for field in (*NAMES, *STRINGS, "n.parentId")),
        *(parse(entries.with_(field, value)) for field in VALUES for value in (half(), {"x": half()})),
        *(parse(entries.with_(field, odd_key(half())), _open=True) for field in VALUES),
        *(parse(entries.with_("n.value", value)) for value in (pair, [pair], [half()])),
    ]


def deep(chance: Chance) -> list[Operation]:
    entries = Entries(chance)
    fits = [{"$": "nested", "depth": depth, "of": chance.scalar()} for depth in (chance.between(30, 59), 60)]
    too_deep = [{"$": "nested", "depth": depth, "of": 1} for depth in (chance.between(1_500, 3_000), 5_000)]
    return [
        *(parse(entries.with_("n.value", value)) for value in fits),
        *(parse(entries.with_("n.value", value), _any_path=True) for value in too_deep),
    ]


def first(chance: Chance) -> list[Operation]:
    """Entries with two wrong fields, of which the first is to be named."""
    entries = Entries(chance)
    bad = {"id": "", "parentId": chance.below(99), "timestamp": chance.text(), "type": chance.name(), "message": None}
    pairs = [(one, other) for one in ("id", "parentId", "timestamp") for other in ("type", "message")]
    pairs += [("type", "message")]
    both = [changed(changed(entries["u"], one, bad[one]), other, bad[other]) for one, other in pairs]
    return [*controls(entries, "un"), *(parse(entry) for entry in both)]


ITEMS = {
    "test_complete_entries_are_accepted_and_copied": complete,
    "test_what_is_no_entry_is_refused_by_its_path": wrong,
    "test_python_values_that_only_look_like_json_are_refused": lookalikes,
    "test_text_that_utf8_cannot_write_is_refused": unwritable,
    "test_depth_has_a_limit": deep,
    "test_the_first_wrong_field_is_named": first,
}

"""Operations of lab 10.4: texts of whole lines, torn tails, and damaged lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scaffold.classroom.exam.material import Chance, chain, flat, note
from scaffold.classroom.exam.operation import Operation, accepted

SEPARATORS = ((",", ":"), (", ", ": "), (" ,", " :"))
SEPARATING = "\u2028\u2029\u0085"  # str.splitlines cuts here too
BOM = "\ufeff"
NO_BLANKS = ("\u00a0", "\f", "\v", "\ufeff", "\u2028", "\u3000", "\x1c", "\x85")  # for JSON; Python strips most of them


def recover(text: Any, **notes: Any) -> Operation:
    return {"do": "call", "name": "recover_jsonl", "arguments": [text], **notes}


def line(chance: Chance, item: Any) -> str:
    return json.dumps(item, ensure_ascii=False, separators=chance.pick(SEPARATORS)) + "\n"


def lines(chance: Chance, number: int) -> list[str]:
    """Return so many lines of one branch."""
    return [line(chance, item) for item in chain(chance, chance.names(number))]


def blank(chance: Chance) -> str:
    return "".join(chance.pick(" \t\r") for _ in range(chance.below(3)))


def among_blanks(chance: Chance, some: Sequence[str], *, empty: bool = False) -> str:
    """Return the lines with a blank line, or more, before each of them; with `empty`, only empty ones."""
    between = "\n" if empty else blank(chance) + "\n"
    return "".join(between * chance.between(1, 2) + one for one in some)


def whole(chance: Chance) -> list[Operation]:
    some = lines(chance, 3)
    padded = [f" \t{one[:-1]} \r\n" for one in some]
    texts = [
        *("", "\n\n\n", "   ", blank(chance) + "\n" + blank(chance)),
        *("".join(some), "".join(some[::-1]), some[1], some[0] * 2, "".join(padded)),
        *(among_blanks(chance, some), among_blanks(chance, some) + " \t\r", some[0] + "\n" + some[1] + "  \n"),
    ]
    return [recover(text) for text in texts]


def tails(chance: Chance) -> list[Operation]:
    some, last = lines(chance, 2), line(chance, note(chance, chance.name(), None))
    torn = [last[: chance.between(2, len(last) - 3)], last[:-1], last[:-1] + " ", "BAD", "null", "\0\0", *NO_BLANKS[:5]]
    torn += [json.dumps({"id": chance.name()}), " {", chance.pick(NO_BLANKS) + last[:-1]]
    return [
        *(recover("".join(some) + tail) for tail in torn),
        *(recover(among_blanks(chance, some, empty=True) + tail) for tail in chance.some(torn, 3)),
        *(recover("\n" * chance.below(3) + tail) for tail in (torn[0], torn[1])),
    ]


def controls(chance: Chance) -> list[Operation]:
    """Return texts without damage, among those with some."""
    return [accepted(recover("".join(lines(chance, number)))) for number in (1, 2)]


def damage(chance: Chance) -> list[Operation]:
    good, last = lines(chance, 2), line(chance, note(chance, chance.name(), None))
    shape, unknown = json.dumps({"id": chance.name(), "parentId": None}) + "\n", flat(chance.name(), None)
    no_json = ["BAD\n", f"{chance.name()}\n", last[: chance.between(2, len(last) - 3)] + "\n", last[:-1] + last]
    no_entry = [
        shape,
        "[]\n",
        "null\n",
        line(chance, {**unknown, chance.name(): 1}),
        line(chance, {**unknown, "key": ""}),
    ]
    odd = [character + "\n" for character in NO_BLANKS if character not in SEPARATING + BOM] + [
        "\u00a0" + last,
        last[:-1] + "\u3000\n",
    ]
    both = [chance.pick(no_json), chance.pick(no_entry)]
    return [
        *controls(chance),
        *(recover(before + bad + after) for bad in no_json + no_entry for before, after in around(chance, good)),
        *(recover(good[0] + one + other) for one, other in (both, both[::-1])),
        *(recover(good[0] + bad + last[:20]) for bad in both),
        *(recover(good[0] + bad + good[1], _any_damage=True) for bad in odd),
    ]


def around(chance: Chance, good: Sequence[str]) -> list[tuple[str, str]]:
    """Return what may stand before and after a damaged line."""
    return [
        chance.pick((("", ""), ("", good[1]), (good[0], ""), (good[0], good[1]))),
        (among_blanks(chance, good[:1]) + chance.pick(("\n", " \t\n", "  \n\r\n")), chance.pick(("", good[1]))),
    ]


def kinds_of_damage(chance: Chance) -> list[Operation]:
    shape = json.dumps({"id": chance.name(), "parentId": None}) + "\n"
    pairs = [[["BAD\n"], [shape]], [[f"{chance.name()}\n"], [shape]]]
    alike: list[Operation] = [
        {"do": "two errors", "name": "recover_jsonl", "arguments": pair, "_cause": 1} for pair in pairs
    ]
    return [*controls(chance), *alike, *(recover(text, _cause=True) for text in ("BAD\n", shape))]


def separators(chance: Chance) -> list[Operation]:
    """Characters at which `str.splitlines` cuts, inside a text. JSON wants the others escaped."""
    texts = []
    for character in SEPARATING:
        odd = {**flat(chance.name(), None), "value": chance.name() + character + chance.name()}
        texts.append(json.dumps(odd, ensure_ascii=False) + "\n" + among_blanks(chance, lines(chance, 1), empty=True))
    return [recover(text) for text in texts]


def read_too_kindly(chance: Chance) -> list[Operation]:
    """JSON that Python's decoder takes and JSON does not know, or which no entry may hold."""
    key, name, digits = chance.name(), chance.name(), chance.pick("123456789")
    values: list[list[Any]] = [
        *(["NaN", 1], ["-Infinity", 1], ["Infinity", 1], [f"1e{chance.between(309, 999)}", 1]),
        *([digits, chance.between(310, 500)], [digits, chance.between(4_400, 5_200)]),
        [f'{{"{key}": 1, "{key}": {chance.below(9)}}}', 1],
        *(['"\\ud83d"', 1], ['"a\tb"', 1], [f'{{"\\ud800{key}": 1}}', 1]),
    ]
    depth = chance.between(700, 900)
    parts = [[value] for value in values]
    parts += [[["[", deep], ["]", deep]] for deep in (depth, 50_000)]
    good = "".join(lines(chance, chance.between(1, 3)))
    around_value = line(chance, {**flat(name, None), "value": "HERE"}).split('"HERE"')
    made = [[[good, 1], [around_value[0], 1], *value, [around_value[1], 1]] for value in parts]
    twice = line(chance, flat(name, None)).replace('"id"', f'"id":"{key}","id"', 1)
    made += [[[good, 1], [odd, 1]] for odd in (twice, "\ufeff" + line(chance, flat(name, None)))]
    return controls(chance) + [recover({"$": "text", "parts": text}, _any_damage=True) for text in made]


ITEMS = {
    "test_committed_lines_become_entries": whole,
    "test_a_torn_tail_is_never_an_entry": tails,
    "test_a_damaged_line_is_named_by_its_number": damage,
    "test_an_error_tells_what_kind_of_damage_it_is": kinds_of_damage,
    "test_lines_end_at_newlines_only": separators,
    "test_json_that_python_reads_too_kindly_is_refused": read_too_kindly,
}

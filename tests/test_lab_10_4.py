"""Lab 10.4: `recover_jsonl` takes committed lines only, and never passes over a damaged one."""

from __future__ import annotations

import json
from typing import Any

import pytest

import expect
from scaffold.given.samples import message_entry, metadata_entry, user

pytestmark = pytest.mark.lab_10_4

A = metadata_entry("a", None, "note", 1)
B = message_entry("b", "a", user("Hello"))
C = metadata_entry("c", "b", "note", {"deep": [None]})
ORPHAN = metadata_entry("lost", "gone", "note", 1)


def line(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False) + "\n"


def torn(number: int) -> list[Any]:
    return [{"code": "unterminated_tail", "line": number}]


# 10.4 a: a text of whole lines, and its entries

WHOLE = {
    "an empty text has no entries": ("", []),
    "each committed line is an entry": (line(A) + line(B) + line(C), [A, B, C]),
    "the order is that of the lines": (line(C) + line(A), [C, A]),
    "an empty line is no entry": ("\n" + line(A) + "\n\n" + line(B), [A, B]),
    "a line of spaces, tabs and CRs is no entry": ("  \t\n" + line(A) + "\r\n \r \n", [A]),
    "blank lines alone are no entries": ("\n\n\n", []),
    "white space around the JSON does not matter": (" \t" + line(A).replace("\n", " \r\n"), [A]),
    "whether parents exist is not asked here": (line(ORPHAN), [ORPHAN]),
    "whether ids are unique is not asked here": (line(A) + line(A), [A, A]),
    "a blank tail is no torn tail": (line(A) + " \t\r", [A]),
    "spaces alone are no torn tail": ("   ", []),
}


@pytest.mark.parametrize(("rule", "text", "entries"), expect.cases(WHOLE))
def test_committed_lines_become_entries(session: Any, rule: str, text: str, entries: list[Any]) -> None:
    recovered = expect.accepted(lambda: session.recover_jsonl(text), rule)

    expect.same(recovered, {"entries": entries, "warnings": []}, rule)


# 10.4 b: what stands after the last newline, and the physical line on which it stands

TAILS = {
    "half a record": (line(A) + line(B)[:20], [A], 2),
    "a complete record": (line(A) + line(B).rstrip("\n"), [A], 2),
    "a record of the wrong shape": (line(A) + '{"id":"b"}', [A], 2),
    "what is no JSON": (line(A) + "BAD", [A], 2),
    "null": (line(A) + "null", [A], 2),
    "NUL characters": (line(A) + "\0\0\0", [A], 2),
    "a no-break space, which is no blank in JSON": (line(A) + "\u00a0", [A], 2),
    "a form feed, which is no blank in JSON": (line(A) + "\f", [A], 2),
    "a vertical tab, which is no blank in JSON": (line(A) + "\v", [A], 2),
    "a BOM": (line(A) + "\ufeff", [A], 2),
    "a U+2028, which is no newline": (line(A) + "\u2028", [A], 2),
    "a tail and nothing else": ('{"id":', [], 1),
    "a complete record and nothing else": (line(A).rstrip("\n"), [], 1),
    "a tail after blank lines, which count": ("\n\n" + "{", [], 3),
    "a tail after many lines": (line(A) + "\n" + line(B) + "\n" + line(C) + " {", [A, B, C], 6),
}


@pytest.mark.parametrize(("rule", "text", "entries", "number"), expect.cases(TAILS))
def test_a_torn_tail_is_never_an_entry(session: Any, rule: str, text: str, entries: list[Any], number: int) -> None:
    ignored = f"a tail without its newline is ignored, with a warning: {rule}"
    recovered = expect.accepted(lambda: session.recover_jsonl(text), ignored)

    expect.same(recovered, {"entries": entries, "warnings": torn(number)}, ignored)


# 10.4 c: a committed line that is damaged, its physical number, and what the error must say of it

WRONG_SHAPE = '{"id":"b","parentId":null}\n'
DAMAGED = {
    "what is no JSON": ("BAD\n", 1, "json"),
    "what is no JSON, after a good line": (line(A) + "BAD\n", 2, "json"),
    "what is no JSON, between good lines": (line(A) + "BAD\n" + line(B), 2, "json"),
    "blank lines count": ("\nBAD\n", 2, "json"),
    "lines of spaces count": (line(A) + "  \n\r\n" + "BAD\n", 4, "json"),
    "half a record that was ended": (line(A) + line(B)[:20] + "\n", 2, "json"),
    "two records on one line": (line(A) + line(B).rstrip("\n") + line(C), 2, "json"),
    "a wrong shape": (line(A) + WRONG_SHAPE, 2, "session entry"),
    "a wrong shape at the end of the text": (WRONG_SHAPE, 1, "session entry"),
    "blank lines count for a wrong shape too": (line(A) + "\n \t\n" + WRONG_SHAPE, 4, "session entry"),
    "an array": (line(A) + "[]\n", 2, "session entry"),
    "null": (line(A) + "null\n", 2, "session entry"),
    "an unknown field": (line(A) + line({**B, "more": 1}), 2, "session entry"),
    "a torn tail does not soften it": (line(A) + "BAD\n" + line(B)[:20], 2, "json"),
    "the first of two is named": (line(A) + "BAD\n" + WRONG_SHAPE, 2, "json"),
    "the first of two is named, whatever its kind": (line(A) + WRONG_SHAPE + "BAD\n", 2, "session entry"),
    "a no-break space is not blank": (line(A) + "\u00a0\n" + line(B), 2, ""),
    "a form feed is not blank": (line(A) + "\f\n" + line(B), 2, ""),
    "a no-break space before a record is no JSON": (line(A) + "\u00a0" + line(B), 2, ""),
    "a wide space behind a record is no JSON": (line(A) + line(B).replace("\n", "\u3000\n"), 2, ""),
}


@pytest.mark.parametrize(("rule", "text", "number", "fact"), expect.cases(DAMAGED))
def test_a_damaged_line_is_named_by_its_number(session: Any, rule: str, text: str, number: int, fact: str) -> None:
    error = expect.refused(lambda: session.recover_jsonl(text), fact, rule=f"a damaged line is never skipped: {rule}")
    expect.names_line(error, number, f"an error gives the physical line: {rule}")


# What Python adds


def test_an_error_tells_what_kind_of_damage_it_is(session: Any) -> None:
    no_json = expect.refused(lambda: session.recover_jsonl("BAD\n"), "json", rule="what is no JSON is said to be none")
    no_entry = expect.refused(
        lambda: session.recover_jsonl(WRONG_SHAPE), "session entry", rule="a wrong shape is said to be no session entry"
    )

    rule = "an error says which of the two it is: no JSON, or JSON that is no session entry"
    expect.holds(expect.told_by(no_json) != expect.told_by(no_entry), rule, "two texts", expect.told_by(no_json))
    for error in (no_json, no_entry):
        expect.holds(error.__cause__, "the original error is the cause", "raise ... from error", error.__cause__)


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\u0085"], ids=["U+2028", "U+2029", "U+0085"])
def test_lines_end_at_newlines_only(session: Any, character: str) -> None:
    odd = metadata_entry("odd", None, "note", f"one{character}two")

    rule = "only \\n ends a line; str.splitlines cuts elsewhere too"
    recovered = expect.accepted(lambda: session.recover_jsonl(line(odd) + "\n" + line(A)), rule)

    expect.same(recovered, {"entries": [odd, A], "warnings": []}, rule)


def with_value(json_text: str) -> str:
    return line(metadata_entry("x", None, "note", "HERE")).replace('"HERE"', json_text)


KIND = {
    "NaN": with_value("NaN"),
    "Infinity": with_value("-Infinity"),
    "1e999, which Python reads as infinity": with_value("1e999"),
    "an integer of 400 digits": with_value("9" * 400),
    "an integer of 5,000 digits": with_value("9" * 5_000),
    "a key that stands twice": with_value('{"k": 1, "k": 2}'),
    "an id that stands twice": line(A).replace('"id"', '"id": "b", "id"'),
    "lists in lists, 100,000 deep": with_value("[" * 100_000 + "]" * 100_000),
    "lists in lists, 700 deep": with_value("[" * 700 + "]" * 700),
    "the escape of half a character": with_value('"\\ud800"'),
    "a BOM before the record": "\ufeff" + line(A),
    "a tab inside a string, which JSON writes as \\t": with_value('"a\tb"'),
}


@pytest.mark.parametrize(("rule", "text"), expect.cases(KIND))
def test_json_that_python_reads_too_kindly_is_refused(session: Any, rule: str, text: str) -> None:
    error = expect.refused(lambda: session.recover_jsonl(line(A) + text), rule=f"refused in a committed line: {rule}")
    expect.names_line(error, 2, f"its number is given: {rule}")

"""Operations of lab 10.5 that begin with a file: a torn one, a damaged one, or none."""

from __future__ import annotations

import json
from typing import Any

from scaffold.classroom.exam.lab_10_3 import Step, append, wait_for
from scaffold.classroom.exam.lab_10_4 import NO_BLANKS, among_blanks, line
from scaffold.classroom.exam.material import Chance, flat, note
from scaffold.classroom.exam.operation import Operation


def raw(text: str | bytes) -> str:
    """Return bytes as an operation holds them."""
    return (text.encode() if isinstance(text, str) else text).hex()


def opened(
    chance: Chance,
    text: str | bytes | None,
    *steps: Any,
    io: dict[str, Any] | None = None,
    folder: str = "",
    **notes: Any,
) -> Operation:
    """Return a program that opens a store, on a file that holds `text` already."""
    file = f"{folder}/deep/{chance.name()}.jsonl" if folder else f"{chance.name()}.jsonl"
    before: list[Step] = [] if text is None else [["write", raw(text)]]
    return {"do": "program", "file": file, "steps": [*before, ["open", io or {}], *steps], **notes}


def torn(chance: Chance) -> list[Operation]:
    """Torn tails: they are read past, and nothing is written behind them."""
    root = line(chance, note(chance, chance.name(), None))
    last = line(chance, note(chance, chance.name(), None)).encode()
    tails = [last[: chance.between(3, len(last) - 3)], last[:-1], last[:-1] + b"\r", b"BAD", b"\xa0", b"\0", b"\f"]
    return [
        *(torn_file(chance, root, tail) for tail in tails),
        torn_file(chance, among_blanks(chance, [root]), chance.pick(NO_BLANKS[:4]).encode()),
        {"do": "acts", "file": f"{chance.name()}.jsonl", "acts": killed(chance, root)},
    ]


def torn_file(chance: Chance, before: str, tail: bytes) -> Operation:
    refused = [["append", "good", flat(chance.name(), None)], ["append", "bad", {"id": ""}], *wait_for("good", "bad")]
    look = [["state"], *refused, ["read"], ["entries"], ["appends"], ["bytes"]]
    repaired = [["write", raw(before)], ["read"], ["state"], *refused]
    return opened(chance, before.encode() + tail, *look, *repaired)


def killed(chance: Chance, before: str) -> list[dict[str, Any]]:
    """A process is killed when the first byte of a line is in the file, and another one opens it."""
    half, more = note(chance, chance.name(), None), flat(chance.name(), None)
    write = [["write", raw(before)], ["open", {"halfway": 1}], *append(half), *wait_for(half["id"])]
    look = [["open", {}], ["state"], ["read"], *append(more), *wait_for(more["id"])]
    return [{"steps": write, "kill_after": 1}, {"steps": look}]


def split_characters(chance: Chance, before: str, tail: bytes) -> Operation:
    return opened(chance, before.encode() + tail, ["entries"], ["state"])


def damaged(chance: Chance) -> list[Operation]:
    """Files that no store may be opened on. Whether a line's number is asked for depends on the damage."""
    good = line(chance, note(chance, chance.name(), None)).encode()
    last = line(chance, flat(chance.name(), None)).encode()
    bad_byte = chance.pick((b"\xff", b"\xc3(", b"\xe2\x82", b"\xed\xa0\x80"))
    bad_bytes = line(chance, {**flat(chance.name(), None), "value": "HERE"}).encode().replace(b"HERE", bad_byte)
    shape = json.dumps({"id": chance.name()}).encode() + b"\n"
    blank = b"\n" * chance.between(1, 3)
    texts = [
        *(good + b"BAD\n", good + b"BAD\n{", blank + b"BAD\n", b"\f\n", good + shape + last),
        *(
            good + bad_bytes,
            blank + bad_bytes + good,
            shape + good + bad_bytes,
            bad_bytes + shape,
            b"BAD\n" + bad_bytes,
        ),
        *(last.decode().encode("utf-16"), b"\xef\xbb\xbf" + good),
    ]
    return [opened(chance, text) for text in (good, *texts)] + [opened(chance, text) for text in out_of_order(chance)]


def out_of_order(chance: Chance) -> list[bytes]:
    twice, child, missing, late, other = chance.names(5)
    files = [
        [flat(twice, None), note(chance, twice, None)],
        [flat(twice, None), flat(twice, twice)],
        [flat(other, None), flat(child, missing)],
        [flat(child, late), flat(late, None)],
        [flat(other, None), flat(child, child)],
    ]
    texts = [b"".join(line(chance, item).encode() for item in items) for items in files]
    return [*texts, texts[0] + b"{"]

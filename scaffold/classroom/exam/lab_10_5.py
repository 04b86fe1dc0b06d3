"""Operations of lab 10.5: programs of steps with a store in a file. `programs.py` says what the steps do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scaffold.classroom.exam.lab_10_3 import Step, append, reading_twice, wait_for
from scaffold.classroom.exam.lab_10_4 import among_blanks, line
from scaffold.classroom.exam.lab_10_5_faults import broken_off, closing, failed_writes, turns
from scaffold.classroom.exam.lab_10_5_files import damaged, opened, split_characters, torn
from scaffold.classroom.exam.material import ASCII_WORDS, Chance, chain, entry, flat, note, tree
from scaffold.classroom.exam.operation import Operation


def adding(chance: Chance) -> list[Operation]:
    """Lines are only added, and a new store, or a new process, reads them."""
    forest, more = tree(chance, 6), chance.names(2)
    old = [flat(name, None) for name in chance.names(2)]
    ids = [item["id"] for item in forest]
    text = {**note(chance, chance.name(), None), "value": 'a\nb\r\n "c" \\ \u2028 \u0085 🛣️ \x00 ' + chance.text()}
    under_old = [note(chance, name, old[0]["id"]) for name in more]
    one_by_one = [step for item in under_old for step in (*append(item), *wait_for(item["id"]), ["bytes"])]
    return [
        opened(chance, None, *append(*forest), ["entries"], *reopened(chance, forest)),
        opened(chance, among_blanks(chance, [line(chance, item) for item in old]), *one_by_one),
        opened(chance, None, *append(text), *wait_for(text["id"]), ["bytes"], ["entries"]),
        opened(chance, None, *append(*forest), *wait_for(ids[-1]), *reading_twice(chance)),
        opened(chance, None, *append(note(chance, "道" + chance.name(), None)), ["read"], folder=chance.name()),
        opened(chance, line(chance, old[0]), *again(chance, old[0]["id"])),
        opened(
            chance, line(chance, old[0]) + " \t\r", ["state"], *append(*under_old), ["entries"], ["open", {}], ["read"]
        ),
        opened(chance, None, *append(*forest), *wait_for(*ids), ["read"], io={"memory": True}),
        out_of_place(chance),
        {"do": "acts", "file": file_of(chance), "acts": acts(chance)},
    ]


def file_of(chance: Chance) -> str:
    return f"{chance.name()}.jsonl"


def reopened(chance: Chance, forest: list[Any]) -> list[Step]:
    more = entry(chance, chance.name(), forest[-1]["id"])
    return [["open", {}], ["read"], ["entries"], *append(more), *wait_for(more["id"]), ["entries"]]


def again(chance: Chance, old: str) -> list[Step]:
    """Use an id of the file again, and then as a parent."""
    new = chance.name()
    return [["append", "bad", entry(chance, old, None)], *wait_for("bad"), *append(flat(new, old)), ["entries"]]


def out_of_place(chance: Chance) -> Operation:
    known, child, missing = chance.names(3)
    orphan, twice = note(chance, child, missing), entry(chance, known, None)
    refused = [
        step for bad in (orphan, twice) for step in (["append", "bad", bad], *wait_for("bad"), ["bytes"], ["state"])
    ]
    good = append(note(chance, child, known))
    return opened(chance, None, *append(flat(known, None)), *wait_for(known), *refused, *good, ["entries"])


def acts(chance: Chance) -> list[dict[str, Any]]:
    """What one process wrote is read and continued by the next."""
    line_ = chain(chance, chance.names(4))
    first = [["open", {}], *append(*line_[:3]), *wait_for(line_[2]["id"])]
    return [{"steps": first}, {"steps": [["open", {}], ["read"], *append(line_[3]), ["entries"]]}]


def at_the_call(chance: Chance) -> list[Operation]:
    line_, forest = chain(chance, chance.names(3)), tree(chance, 5)
    ids, all_ids = [item["id"] for item in line_], [item["id"] for item in forest]
    changes = (["change", name, chance.changes(2)] for name in ids)
    parent, child, twice = flat(ids[0], None), flat(ids[1], ids[0]), note(chance, ids[0], None)
    gate = [["arrived", "write"], ["yield", 20], ["appends"], ["gate", "write", True]]
    doubles = [*append(parent, child), ["append", "twice", twice], *gate[:1], *gate[3:]]
    gated = {"gated": True}
    return [
        opened(chance, None, *append(*line_), *changes, *wait_for(*ids[::-1]), ["entries"]),
        opened(chance, None, *append(*forest), *gate, *wait_for(*all_ids[::-1]), ["entries"], io=gated),
        opened(chance, None, *doubles, *wait_for(ids[0], ids[1], "twice"), ["entries"], io=gated),
        opened(chance, None, *append(*line_), ["entries"], ["bytes"]),
    ]


def cancelled(chance: Chance) -> list[Operation]:
    writing, waiting, last = chance.names(3)
    texts = [note(chance, writing, None), entry(chance, waiting, None)]
    tasks = [["task", label] for label in (writing, waiting)]
    cancels = [["cancel", label] for label in (writing, waiting, "reading")]
    settled = [["settle", label] for label in (writing, waiting, "reading")]
    begin = [*append(*texts), *tasks, ["start", "reading", "entries"], ["arrived", "write"], *cancels, ["yield", 1]]
    end = [["gate", "write", True], *append(flat(last, None)), *wait_for(last), *settled, ["entries"], ["state"]]
    return [opened(chance, None, *begin, *end, io={"gated": True})]


def words(chance: Chance) -> list[Operation]:
    """A wide text whose line is cut in the middle of its characters."""
    name = chance.name()
    wide = {**flat(name, None), "value": "é道🛣" + chance.name()}
    data = json.dumps(wide, ensure_ascii=False).encode() + b"\n"
    start = data.index("é".encode())
    inside = chance.some([1, 3, 4, 6, 7, 8], 4)  # the three characters have 2, 3 and 4 bytes
    cuts = [*(start + count for count in inside), chance.between(1, start), len(data) - 1]
    before = "".join(lines_of_roots(chance))
    return [split_characters(chance, above, data[:cut]) for above in (before, "") for cut in cuts]


def lines_of_roots(chance: Chance) -> list[str]:
    return [line(chance, note(chance, name, None)) for name in chance.names(2)]


def in_ascii(make: Callable[[Chance], list[Operation]]) -> Callable[[Chance], list[Operation]]:
    """Let texts be ASCII where they are not what an item is about."""

    def made(chance: Chance) -> list[Operation]:
        chance.texts = ASCII_WORDS
        return make(chance)

    return made


ITEMS = {
    "test_lines_are_only_added_and_a_new_store_reads_them": adding,
    "test_lines_are_made_at_the_call_and_written_in_order": in_ascii(at_the_call),
    "test_after_a_failed_write_the_file_is_left_alone": in_ascii(failed_writes),
    "test_a_torn_tail_is_read_and_never_written_to": torn,
    "test_bytes_are_split_before_they_are_decoded": words,
    "test_a_damaged_file_is_not_opened": damaged,
    "test_cancelling_a_caller_stops_no_write": in_ascii(cancelled),
    "test_a_write_that_is_broken_off_taints_the_store": broken_off,
    "test_reading_waits_for_its_turn": in_ascii(turns),
    "test_closing_waits_and_then_refuses": in_ascii(closing),
}

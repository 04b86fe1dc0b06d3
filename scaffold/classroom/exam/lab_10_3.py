"""Operations of lab 10.3: programs of steps with a store in memory. `programs.py` says what the steps do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scaffold.classroom.exam.material import Chance, chain, entry, flat, made, note, tree
from scaffold.classroom.exam.operation import Operation

Step = Sequence[Any]  # a word, and what belongs to it


def memory(*steps: Any, **notes: Any) -> Operation:
    return {"do": "program", "steps": [["memory"], *steps], **notes}


def append(*entries: Any) -> Iterable[Step]:
    """Append without waiting. The label of what a call returns is the entry's id, or `bad` if it has none."""
    for item in entries:
        label = item.get("id") if isinstance(item, dict) else None
        yield ["append", label if isinstance(label, str) and label else "bad", item]


def wait_for(*labels: str) -> Iterable[Step]:
    return (["await", label] for label in labels)


def storing(chance: Chance) -> list[Operation]:
    line, forest = chain(chance, chance.names(3)), tree(chance, 6)
    ids = [item["id"] for item in line]
    one = note(chance, chance.name(), None)
    changes = (["change", name, chance.changes(2)] for name in ids)
    return [
        memory(*append(*line), *changes, *wait_for(*ids[::-1]), ["entries"]),
        memory(*append(*forest), *wait_for(forest[-1]["id"]), ["entries"]),
        memory(*append(*line), ["entries"]),
        memory(*append(*forest), *wait_for(forest[-1]["id"]), *reading_twice(chance)),
        memory(*append(one), ["spoil result", one["id"]], ["entries"]),
    ]


def reading_twice(chance: Chance) -> list[Step]:
    return [["entries"], ["spoil", chance.changes(4)], ["entries"], ["shared"]]


def refusals(chance: Chance) -> list[Operation]:
    """One entry after the other that is refused, amid others that are not."""
    known, missing = chance.names(2)
    selfish = chance.name()
    bad = [
        note(chance, chance.name(), missing),
        flat(selfish, selfish),
        entry(chance, known, None),
        note(chance, known, known),
        {"id": chance.name()},
        {**note(chance, chance.name(), None), "value": made("set", [chance.below(9)])},
    ]
    return [refused(chance, known, item) for item in bad]


def refused(chance: Chance, known: str, bad: Any) -> Operation:
    root, leaf = chance.names(2)
    others = append(note(chance, root, None), entry(chance, leaf, known))
    steps = [*append(note(chance, known, None)), *wait_for(known), ["append", "bad", bad], *others]
    return memory(*steps, *wait_for("bad", leaf), ["entries"])


def calls(chance: Chance) -> list[Operation]:
    parent, child, missing, lone = chance.names(4)
    early, late = note(chance, child, parent), note(chance, parent, None)
    again = [["append", "again", early], *wait_for("again")]
    orphan = note(chance, parent, missing)
    no_entry = {"id": "", "parentId": None}
    return [
        memory(*append(early, late), *wait_for(child, parent), *again, ["entries"], _names=False),
        memory(*append(orphan, early), *wait_for(parent, child), ["entries"], _names=False),
        memory(*append(note(chance, lone, None)), ["yield", 1], ["entries"]),
        memory(["append", "bad", no_entry], *wait_for("bad"), ["entries"]),
        memory(["log"], ["append", "bad", no_entry], *append(orphan), ["entries"], ["forget"], ["logged"]),
    ]


def cancelled(chance: Chance) -> list[Operation]:
    first, second = chance.names(2)
    one, other = note(chance, first, None), entry(chance, second, None)
    reading = [["start", "reading", "entries"], ["yield", 1], ["cancel", "reading"], ["yield", 1]]
    both = [*append(other), *wait_for(second)]
    return [
        memory(*append(one), ["cancel", first], *both, ["settle", first], ["entries"], _optional=first),
        memory(*append(one), *reading, *both, ["settle", "reading"], ["entries"]),
    ]


ITEMS = {
    "test_append_takes_a_copy_at_the_call_and_keeps_the_order": storing,
    "test_a_refused_entry_leaves_no_trace": refusals,
    "test_append_is_done_without_await": calls,
    "test_a_cancelled_caller_takes_nothing_back": cancelled,
}

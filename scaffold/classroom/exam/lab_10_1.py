"""Operations of lab 10.1: paths in random forests, and forests in which something is wrong."""

from __future__ import annotations

from typing import Any

from scaffold.classroom.exam.material import ABSENT, Chance, chain, changed, flat, note, tree
from scaffold.classroom.exam.operation import Operation, accepted


def path_to(entries: list[Any], leaf: str, **notes: Any) -> Operation:
    return {"do": "call", "name": "path_to", "arguments": [entries, leaf], **notes}


def chains(chance: Chance) -> list[Operation]:
    """The path of a leaf among siblings, other roots, and damage elsewhere."""
    forest = tree(chance, 14, more_roots=1 / 8)
    shuffled = chance.shuffled(forest)
    wanted = chance.some([entry["id"] for entry in forest], 3)
    line = chain(chance, chance.names(5))
    lost, missing, *ring, elsewhere = chance.names(6)
    damaged = [*line, flat(lost, missing), *ring_of(ring), {"id": elsewhere}]
    alike = line[0]["id"]
    twins = [flat(alike, None), flat(f" {alike}", alike), flat(alike.upper(), f" {alike}")]
    return [
        *(path_to(shuffled, leaf) for leaf in wanted),
        path_to(line[::-1], line[-1]["id"]),
        path_to(line, line[0]["id"]),
        path_to(chance.shuffled(damaged), line[3]["id"]),
        path_to(twins, alike.upper()),
        path_to(forest, chance.name()),
        path_to([], chance.name()),
        *missing_parents(chance),
        *rings(chance),
    ]


def missing_parents(chance: Chance) -> list[Operation]:
    ids = chance.names(6)
    line = chain(chance, ids[:5])
    line[1]["parentId"] = ids[5]
    return [path_to(chance.shuffled(line), ids[position]) for position in (1, chance.between(2, 4))]


def ring_of(ids: list[str]) -> list[dict[str, Any]]:
    return [flat(entry_id, ids[position - 1]) for position, entry_id in enumerate(ids)]


def rings(chance: Chance) -> list[Operation]:
    """A leaf in a ring, and a leaf that hangs on one. An error may name any entry of the ring."""
    operations = []
    for size in (1, 2, chance.between(3, 5)):
        before, *ids = chance.names(size + 1)
        entries = chance.shuffled([*ring_of(ids), flat(before, chance.pick(ids))])
        operations += [path_to(entries, leaf, _one_of=ids) for leaf in (chance.pick(ids), before)]
    return operations


def copies(chance: Chance) -> list[Operation]:
    """Ids that are used twice; and copies, of which nothing may be shared."""
    line = chain(chance, chance.names(5))
    other, missing = chance.names(2)
    leaf = line[-1]["id"]
    twice = chance.pick(line)
    same = {"$": "same", "name": "entry", "of": line[2]}
    part = {"$": "same", "name": "part", "of": chance.value()}
    shared = [changed(note(chance, entry["id"], entry["parentId"]), "value", [part]) for entry in line]
    return [
        path_to([*line, flat(twice["id"], None)], leaf),
        path_to([*line, *[flat(other, line[0]["id"])] * 2], leaf),
        path_to([*line, *[flat(other, missing)] * 2], leaf),
        path_to([*line[:2], same, *line[3:], same], leaf),
        *(
            {"do": "path twice", "arguments": [entries, leaf], "changes": [chance.changes(), chance.changes()]}
            for entries in (tree_of(chance, line), line, shared)
        ),
    ]


def tree_of(chance: Chance, line: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*line, *(note(chance, name, line[1]["id"]) for name in chance.names(2))]


def long_chain(chance: Chance) -> list[Operation]:
    size = chance.between(1_020, 1_080)  # more than Python's recursion limit, and quick to copy
    return [{"do": "long chain", "size": size, "prefix": chance.name()}]


def unreadable(chance: Chance) -> list[Operation]:
    """An id or a parentId that is no such thing, on the path."""
    first, leaf, other, lone = chance.names(4)
    number: Any = chance.between(1, 99)  # as an id it is a text
    whole = [flat(first, None), flat(leaf, first)]
    wrong: list[Any] = [0, False, "", ABSENT, chance.below(90) + 10, [first], {first: 1}, chance.number()]
    return [
        *(accepted(path_to(whole, leaf)) for leaf in (first, leaf)),
        path_to([flat(str(number), None), flat(lone, number)], lone),
        *(path_to(changed(whole, chance.pick(("0.parentId", "1.parentId")), value), leaf) for value in wrong),
        *(path_to([*whole, changed(flat(other, None), "id", value)], leaf) for value in ([leaf], {leaf: 1}, number)),
    ]


ITEMS = {
    "test_path_is_the_chain_of_the_chosen_leaf": chains,
    "test_ids_are_unique_and_entries_are_copied": copies,
    "test_a_long_chain_needs_no_recursion": long_chain,
    "test_what_must_be_read_is_checked": unreadable,
}

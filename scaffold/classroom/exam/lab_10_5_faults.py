"""Operations of lab 10.5 in which a write fails, is broken off, or is under way when somebody else comes."""

from __future__ import annotations

from typing import Any

from scaffold.classroom.exam.lab_10_3 import Step, append, wait_for
from scaffold.classroom.exam.lab_10_5_files import opened
from scaffold.classroom.exam.material import Chance, flat, made, note
from scaffold.classroom.exam.operation import Operation

NEVER = 99  # the number of an append that does not come


def failed_writes(chance: Chance) -> list[Operation]:
    return [
        bad_values(chance),
        first_error(chance),
        waiting_for_a_failure(chance),
        half_a_line(chance),
        failed_reading(chance),
        nothing_logged(chance),
        {"do": "acts", "file": f"{chance.name()}.jsonl", "acts": full_disk(chance)},
    ]


def bad_values(chance: Chance) -> Operation:
    """Bad values are refused, and do not stop the store."""
    steps: list[Step] = []
    for bad in ({**note(chance, chance.name(), None), "value": made("set", [1])}, {}):
        good = note(chance, chance.name(), None)
        steps += [["append", "bad", bad], *append(good), *wait_for("bad", good["id"])]
    return opened(chance, None, *steps, ["state"], ["appends"], ["entries"], io={"fail_at": NEVER})


def after_a_fault(chance: Chance, parent: str) -> list[Step]:
    """Try all that a tainted store must refuse."""
    steps = [["append", "later", flat(chance.name(), parent)], ["append", "bad", {"id": ""}], *wait_for("later", "bad")]
    return [["mark"], *steps, ["read"], ["entries"], ["state"], ["appends"], ["reads"], ["bytes"]]


def first_error(chance: Chance) -> Operation:
    """All get the first error, the very same object, and the file is left alone."""
    root, child, queued = chance.names(3)
    begin = [*append(note(chance, root, None)), *wait_for(root), *append(note(chance, child, root), flat(queued, root))]
    io = {"fail_at": 1, "written": chance.between(4, 40)}
    end = after_a_fault(chance, root)
    return opened(chance, None, *begin, *wait_for(child, queued), *end, ["blame"], io=io, identity="write error")


def waiting_for_a_failure(chance: Chance) -> Operation:
    first, second = chance.names(2)
    begin = [*append(note(chance, first, None), flat(second, None)), ["arrived", "write"]]
    readings = [["start", verb, verb] for verb in ("read", "entries")]
    end = [["yield", 20], ["gate", "write", True], *wait_for(first, second, "read", "entries"), ["appends"], ["bytes"]]
    io = {"gated": True, "fail_at": 0, "written": chance.between(4, 40)}
    return opened(chance, None, *begin, *readings, *end, io=io, identity="write error")


def half_a_line(chance: Chance) -> Operation:
    """A new store finds half a line, and refuses to write behind it."""
    root, child, queued = chance.names(3)
    begin = [*append(note(chance, root, None)), *wait_for(root), *append(note(chance, child, root), flat(queued, root))]
    again = [["open", {}], ["read"], *append(flat("more", root)), *wait_for("more"), ["bytes"]]
    io = {"fail_at": 1, "written": chance.between(4, 40)}
    return opened(chance, None, *begin, ["await", child], ["await", queued], ["bytes"], *again, io=io, _names=False)


def failed_reading(chance: Chance) -> Operation:
    good = note(chance, chance.name(), None)
    steps = [["break reading", True], ["read"], ["break reading", False], ["state"]]
    return opened(chance, None, *steps, *append(good), *wait_for(good["id"]), ["read"], io={"fail_at": NEVER})


def nothing_logged(chance: Chance) -> Operation:
    failing, queued = (note(chance, name, None) for name in chance.names(2))
    begin = [["log"], ["append", "bad", {}], *append(failing, queued), ["read"]]
    end = [*append(flat(chance.name(), None)), ["yield", 1], ["forget"], ["logged"]]
    return opened(chance, None, *begin, *end, io={"fail_at": 0})


def full_disk(chance: Chance) -> list[dict[str, Any]]:
    """The system itself stops a write half-way: the file may not grow beyond a limit."""
    root, child, queued = chance.names(3)
    first = [["open", {}], *append(note(chance, root, None)), *wait_for(root)]
    second = [["open", {}], *append(note(chance, child, None), flat(queued, None)), *wait_for(child, queued)]
    third = [["open", {}], ["read"], *append(flat("more", root)), *wait_for("more")]
    return [
        {"steps": first},
        {"steps": [*second, ["state"], ["read"]], "grow_by": chance.between(4, 60), "identity": "among"},
        {"steps": third, "_names": False},
    ]


def broken_off(chance: Chance) -> list[Operation]:
    """Whatever ends a write taints the store, and all get one error, which tells nobody that it was cancelled."""
    programs = []
    for error in ("CancelledError", "StopIteration", "RuntimeError"):
        first, queued = chance.names(2)
        begin = [*append(note(chance, first, None), flat(queued, None)), *wait_for(first, queued)]
        end = [["read"], *append(flat("more", None)), *wait_for("more"), ["state"], ["appends"]]
        io = {"fail_at": 0, "error": error, "written": chance.between(4, 40)}
        programs.append(opened(chance, None, *begin, *end, io=io, identity="among", _any_file=True))
    return programs


def turns(chance: Chance) -> list[Operation]:
    """A reading waits for the write before it, and a write for the reading before it."""
    one, other = (note(chance, name, None) for name in chance.names(2))
    reading = [
        ["start", "reading", "read"],
        ["yield", 20],
        ["waits", "reading"],
        ["gate", "write", True],
        ["value", "reading"],
    ]
    behind = [*append(one), ["arrived", "write"], *reading]
    slow = [
        ["gate", "reading", False],
        ["start", "reading", "read"],
        ["arrived", "reading"],
        *append(other),
        ["yield", 20],
    ]
    before = [
        ["gate", "reading", True],
        ["value", "reading"],
        ["gate", "write", True],
        *wait_for(other["id"]),
        ["read"],
    ]
    return [
        opened(chance, None, *behind, io={"gated": True}),
        opened(chance, None, *slow, *before, io={"gated": True}),
    ]


def closing(chance: Chance) -> list[Operation]:
    first, second, third = chance.names(3)
    one, other = note(chance, first, None), flat(second, first)
    draining = [["start", "draining", "drain"], ["yield", 20], ["waits", "draining"], ["gate", "write", True]]
    drained = [*append(other), ["append", "twice", one], ["drain"], ["entries"]]
    late = [["append", "late", flat(third, first)], ["append", "bad", flat("", first)], *wait_for("late", "bad")]
    closed = [*append(one, other), ["aclose"], ["appends"], *late, ["appends"], ["entries"]]
    tainted = [*append(one), ["drain"], ["aclose"], *append(flat(third, None)), *wait_for(third)]
    begin = [["state"], *append(one), ["arrived", "write"]]
    return [
        opened(chance, None, *begin, *draining, *wait_for("draining"), *drained, io={"gated": True}),
        opened(chance, None, *closed, io={"fail_at": NEVER}),
        opened(chance, None, *tainted, io={"fail_at": 0}, identity="write error"),
    ]

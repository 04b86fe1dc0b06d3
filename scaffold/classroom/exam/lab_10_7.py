"""Operations of lab 10.7: repairs of torn files, on disks that fail, are odd, or are used by somebody else."""

from __future__ import annotations

from typing import Any

from scaffold.classroom.exam.lab_10_4 import among_blanks, line
from scaffold.classroom.exam.lab_10_5_files import raw
from scaffold.classroom.exam.material import Chance, flat, note
from scaffold.classroom.exam.operation import Operation

STEPS = 18  # of a plain repair, about; each of them is let fail
MORE_STEPS = 40


def repair(chance: Chance, kept: bytes, tail: bytes, *looks: str, **more: Any) -> Operation:
    """Return a repair. `looks` are the facts of `facts.py` that count."""
    more = {"_looks_at": looks, **more} if looks else more
    return {"do": "repair", "folder": chance.name(), "kept": raw(kept), "tail": raw(tail), **more}


def committed(chance: Chance) -> bytes:
    """Return committed lines, with blank ones and characters of several bytes among them."""
    first, second = chance.names(2)
    wide = {**flat(first, None), "value": f"道 🛣️ {chance.name()}"}
    return (among_blanks(chance, [line(chance, wide), line(chance, note(chance, second, first))]) + " \r\n\n").encode()


def tail_of(chance: Chance) -> bytes:
    """Return half a line that ends in the middle of a character."""
    last = {**flat(chance.name(), None), "value": f"{chance.name()} 道"}
    data = line(chance, last).encode()
    return data[: data.index("道".encode()) + chance.between(1, 2)]


def cut_off(chance: Chance) -> list[Operation]:
    last = line(chance, flat(chance.name(), None)).encode()
    tails = [last[: chance.between(2, len(last) - 3)], last[:-1], tail_of(chance), b"\0" * chance.between(1, 20)]
    tails += ["\u00a0".encode(), b"\f", b"\v"]
    return [repair(chance, committed(chance), tail, "file") for tail in tails]


def all_tail(chance: Chance) -> list[Operation]:
    return [repair(chance, b"", tail, "file") for tail in (tail_of(chance), b"BAD" + chance.name().encode())]


def nothing_to_do(chance: Chance) -> list[Operation]:
    blank = "".join(chance.pick(" \t\r") for _ in range(4)).encode()
    looks = ("file", "other files", "not written")
    return [
        *(repair(chance, committed(chance), tail, *looks, old=True) for tail in (b"", blank, b"  ")),
        repair(
            chance, committed(chance), tail_of(chance), "something was done"
        ),  # who never does anything is not right
    ]


def twice(chance: Chance) -> list[Operation]:
    looks = ("something was done", "at most one other file")
    return [repair(chance, committed(chance), tail_of(chance), *looks, times=2)]


def refused(chance: Chance) -> list[Operation]:
    good = line(chance, {**flat(chance.name(), None), "value": f"道 {chance.name()}"}).encode()
    bad_lines = (b"BAD\n", b"{}\n", b'"\xff"\n')
    kept = [b"\n" * chance.below(3) + good + bad for bad in bad_lines]
    return [
        repair(chance, good, tail_of(chance), "link"),  # only that it is not refused
        *(repair(chance, before, tail_of(chance), "file", "other files") for before in kept),
    ]


def backups(chance: Chance) -> list[Operation]:
    torn = [raw(committed(chance) + tail_of(chance)) for _ in range(2)]
    return [repair(chance, committed(chance), tail_of(chance), "other files", again=torn)]


def on(disk: str, chance: Chance, **more: Any) -> Operation:
    return repair(chance, committed(chance), tail_of(chance), disk={"is": disk, **more})


def failed_steps(chance: Chance) -> list[Operation]:
    positions = [*range(STEPS), *(chance.between(STEPS, MORE_STEPS) for _ in range(3))]
    kept, tail = committed(chance), tail_of(chance)
    return [repair(chance, kept, tail, disk={"is": "failing", "position": position}) for position in positions]


def changes(chance: Chance) -> list[Operation]:
    """Somebody changes the file: when the backup is synced, when the new file is, or when the status is asked for."""
    moments = [("append", "backup"), ("append", "new file"), ("append", "status"), ("append, old time", "new file")]
    moments += [("overwrite", "new file"), ("exchange", "new file")]
    return [on("shared", chance, change=change, moment=moment) for change, moment in moments]


def spoilt(chance: Chance) -> list[Operation]:
    """A spoilt backup is an error; without one, a repair is none."""
    return [on("spoiling", chance), repair(chance, committed(chance), tail_of(chance), "link")]


def modes_and_links(chance: Chance) -> list[Operation]:
    looks, mode = ("file", "mode", "none is more public", "link"), chance.pick((0o640, 0o660, 0o604))
    return [repair(chance, committed(chance), tail_of(chance), *looks, mode=mode, link=True)]


ITEMS = {
    "test_only_the_torn_tail_is_cut_off": cut_off,
    "test_a_file_that_is_all_tail_becomes_empty": all_tail,
    "test_nothing_to_repair_means_nothing_is_done": nothing_to_do,
    "test_a_repaired_file_needs_no_repair": twice,
    "test_a_damaged_line_is_refused": refused,
    "test_the_backup_is_complete_and_never_overwrites": backups,
    "test_a_failed_step_leaves_the_file_as_it_was": failed_steps,
    "test_a_spoilt_backup_is_noticed": spoilt,
    "test_an_odd_disk_is_no_failure": lambda chance: [on("slow", chance), on("apart", chance)],
    "test_what_replaces_the_file_is_on_the_disk": lambda chance: [on("watched", chance)],
    "test_a_file_that_changes_meanwhile_is_left_alone": changes,
    "test_the_file_keeps_its_mode_and_its_links": modes_and_links,
}

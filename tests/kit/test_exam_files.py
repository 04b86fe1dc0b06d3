"""What the trusted side sees of the files decides, whatever the driver says of them."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from kit.exam import SEED, Examiner
from scaffold.classroom.exam.facts import facts_of
from scaffold.classroom.exam.judge import Judge
from scaffold.classroom.exam.local_stage import Host
from scaffold.classroom.exam.operation import Operation
from scaffold.classroom.exam.operations import operations_for
from scaffold.classroom.exam.plan import RunSeen, plan
from scaffold.classroom.exam.stage import Seen
from scaffold.course import ROOT, find_lab

Files = dict[str, Seen]


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    with Host() as host:
        yield Examiner(host)


def failed_with(
    examiner: Examiner, number: str, chosen: Callable[[Operation], bool], change: Callable[[Files, Operation], None]
) -> set[str]:
    """Judge what the reference does, but for the files of one operation. Return the items that fail."""
    lab = find_lab(number)
    operations, expected = operations_for(lab, SEED), examiner.expected(lab, SEED)
    position, operation = next(
        (position, operation)
        for position, run in enumerate(plan(operations))
        for operation in run.operations
        if chosen(operation)
    )
    files = dict(expected[position].files)
    change(files, operation)
    observed: list[RunSeen] = list(expected)
    observed[position] = dataclasses.replace(expected[position], files=files)
    return {item for item, judgement in Judge(operations, expected).compare(observed).items() if not judgement.passed}


def with_data(change: Callable[[bytes], bytes]) -> Callable[[Files, Operation], None]:
    def changed(files: Files, operation: Operation) -> None:
        seen = files[operation["file"]]
        files[operation["file"]] = dataclasses.replace(seen, data=change(seen.data))

    return changed


def without_old_lines(files: Files, operation: Operation) -> None:
    old = bytes.fromhex(operation["steps"][0][1])
    with_data(lambda data: data.removeprefix(old))(files, operation)


def without_file(files: Files, operation: Operation) -> None:
    del files[operation["file"]]


def a_link(files: Files, operation: Operation) -> None:
    files[operation["file"]] = Seen("link", 0o777, 0)


def respaced(data: bytes) -> bytes:
    lines = data.split(b"\n")
    return b"\n".join(
        [lines[0], *(json.dumps(json.loads(line)).encode() if line.strip() else line for line in lines[1:])]
    )


# A change of a file that begins with old lines, to which a store has appended, and whether that is wrong.
OLD_LINES = {
    "as it is": (with_data(lambda data: data), False),
    "no file": (without_file, True),
    "a link": (a_link, True),
    "an empty file": (with_data(lambda _: b""), True),
    "old bytes that were written anew": (
        with_data(lambda data: data.replace(b" ", b"", 1).replace(b"\n", b" \n", 1)),
        True,
    ),
    "old bytes that are gone": (without_old_lines, True),
    "a line more": (with_data(lambda data: data + b"{}\n"), True),
    "a line less": (with_data(lambda data: data[: data.rfind(b"\n", 0, -1) + 1]), True),
    "no newline at the end": (with_data(lambda data: data[:-1]), True),
    "a torn tail": (with_data(lambda data: data + b"{"), True),
    "another value": (with_data(lambda data: data.replace(b'"metadata"', b'"METADATA"')), True),
    "an integer as a float": (with_data(lambda data: data[:-2] + b',"x":1}\n'), True),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("change", "wrong"), OLD_LINES.values(), ids=OLD_LINES)
def test_a_session_file_is_looked_at(
    change: Callable[[Files, Operation], None], wrong: bool, examiner: Examiner
) -> None:
    item = "test_lines_are_only_added_and_a_new_store_reads_them"

    def has_old_lines(operation: Operation) -> bool:
        steps = operation.get("steps", [[""]])
        return operation["item"] == item and bool(steps[0][0] == "write" and ["bytes"] in steps)

    assert failed_with(examiner, "10.5", has_old_lines, change) == ({item} if wrong else set())


@pytest.mark.timeout(30)
def test_spaces_in_what_was_appended_do_not_matter(examiner: Examiner) -> None:
    def is_new(operation: Operation) -> bool:
        return "test_lines_are_only" in operation["item"] and bool(operation["steps"][0][0] == "open")

    assert failed_with(examiner, "10.5", is_new, with_data(respaced)) == set()


# Folders after a repair


def in_folder(name: str, **facts: Any) -> Callable[[Files, Operation], None]:
    def change(files: Files, operation: Operation) -> None:
        path = f"{operation['folder']}/{name}"
        files[path] = dataclasses.replace(files.get(path, Seen("file", 0o640, 0)), **facts)

    return change


def without_backup(files: Files, operation: Operation) -> None:
    for name in backups(files, operation):
        del files[name]


def spoilt_backup(files: Files, operation: Operation) -> None:
    for name in backups(files, operation):
        files[name] = dataclasses.replace(files[name], data=b"?")


def public_backup(files: Files, operation: Operation) -> None:
    for name in backups(files, operation):
        files[name] = dataclasses.replace(files[name], mode=0o666 if operation["mode"] != 0o666 else 0o777)


def renamed_backup(files: Files, operation: Operation) -> None:
    for number, name in enumerate(backups(files, operation)):
        files[f"{operation['folder']}/sessions/deep/{number}.old"] = files.pop(name)


def two_more(files: Files, operation: Operation) -> None:
    for number in (1, 2):
        in_folder(f"sessions/{number}", data=b"x")(files, operation)


def backups(files: Mapping[str, Seen], operation: Operation) -> list[str]:
    folder = f"{operation['folder']}/sessions/"
    return [name for name in files if name.startswith(folder) and not name.endswith("/session.jsonl")]


def on_disk(kind: str, **facts: Any) -> Callable[[Operation], bool]:
    return lambda operation: {"is": kind, **facts}.items() <= operation.get("disk", {}).items()


def of_item(word: str) -> Callable[[Operation], bool]:
    return lambda operation: word in operation["item"]


SESSION = "sessions/session.jsonl"
REPAIRS: dict[str, tuple[Callable[[Operation], bool], Callable[[Files, Operation], None], bool]] = {
    "the file is not repaired": (of_item("only_the_torn_tail"), in_folder(SESSION, data=b"{"), True),
    "a backup of another name": (of_item("never_overwrites"), renamed_backup, False),
    "no backup": (of_item("never_overwrites"), without_backup, True),
    "a file too many": (of_item("never_overwrites"), in_folder("sessions/more", data=b"x"), True),
    "a backup without need": (of_item("nothing_to_repair"), in_folder("sessions/more", data=b"x"), True),
    "written without need": (of_item("nothing_to_repair"), in_folder(SESSION, changed=7), True),
    "another mode": (of_item("keeps_its_mode"), in_folder(SESSION, mode=0o600), True),
    "a backup that is more public": (of_item("keeps_its_mode"), public_backup, True),
    "a link that became a file": (of_item("keeps_its_mode"), in_folder("links/link.jsonl", kind="file"), True),
    "old bytes that were written into": (on_disk("failing", position=3), in_folder("old", data=b""), True),
    "half a file": (on_disk("failing", position=3), in_folder(SESSION, data=b"{"), True),
    "a file that was replaced before its backup": (on_disk("slow"), without_backup, True),
    "a new file that is left": (on_disk("failing", position=1), in_folder("sessions/new", data=b"x"), False),
    "two files that are left": (
        on_disk("failing", position=7),
        two_more,
        True,
    ),
    "a spoilt backup, and a repaired file": (
        on_disk("spoiling"),
        lambda files, operation: in_folder(SESSION, data=bytes.fromhex(operation["kept"]))(files, operation),
        True,
    ),
    "a late line that is lost": (on_disk("shared", change="append"), in_folder(SESSION, data=b"{"), True),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("chosen", "change", "wrong"), REPAIRS.values(), ids=REPAIRS)
def test_the_folder_of_a_repair_is_looked_at(
    chosen: Callable[[Operation], bool], change: Callable[[Files, Operation], None], wrong: bool, examiner: Examiner
) -> None:
    assert bool(failed_with(examiner, "10.7", chosen, change)) is wrong


ENDS: dict[str, tuple[Any, bool]] = {
    "an error": ({"$error": {"types": ["OSError"], "text": "", "facts": {}}}, True),
    "no error": ("done", False),
    "not written yet": ({"$error": {"types": ["NotImplementedError"], "text": "", "facts": {}}}, False),
    "what is no report": ({"$error": 1}, False),
}


@pytest.mark.parametrize(("end", "right"), ENDS.values(), ids=ENDS)
def test_a_repair_that_did_nothing_because_its_backup_is_spoilt_must_say_so(end: Any, right: bool) -> None:
    operation = {"do": "repair", "folder": "f", "kept": b"a\n".hex(), "tail": b"b".hex(), "disk": {"is": "spoiling"}}
    torn = Seen("file", 0o600, 0, b"a\nb")
    facts = facts_of(operation, {"ends": [end], "disk": None}, {"f/sessions/session.jsonl": torn, "f/old": torn})
    assert all(facts.values()) is right


def test_a_driver_brings_no_generator_and_no_judge_along() -> None:
    code = "import sys, scaffold.classroom.exam.driver; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    parts = {name.rpartition(".")[2] for name in loaded.split() if name.startswith(("scaffold.classroom", "solutions"))}
    assert parts == {
        "classroom",
        "exam",
        "driver",
        "io",
        "operation",
        "programs",
        "recipes",
        "repairs",
        "reports",
        "values",
    }

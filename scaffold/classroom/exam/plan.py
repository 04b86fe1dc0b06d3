"""Puts the operations of a lab into runs, each of them in a process of its own, and has them done on a stage.

All operations are in the first run, but for those with several acts, of which each act has to find what the one
before has left in the file. Acts that need nothing of their own share a run. An act with a limit on the file, or which
is to be killed, has its own. The trusted side looks at the files after each run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scaffold.classroom.exam.material import Chance
from scaffold.classroom.exam.operation import Operation, sent
from scaffold.classroom.exam.stage import Seen, Stage

CANARY_EVERY = 40  # operations


@dataclass(frozen=True)
class Run:
    """Operations that one process does, numbered from 0.

    `grow_by` lets the file `file` grow by so many bytes only. `kill_after` is after how many observations the process
    is killed.
    """

    operations: Sequence[Operation]
    file: str = ""
    grow_by: int | None = None
    kill_after: int | None = None

    @property
    def names(self) -> set[str]:
        """Return the names of the files and folders that the operations are about."""
        return {operation[key] for operation in self.operations for key in ("file", "folder") if key in operation}


@dataclass(frozen=True)
class RunSeen:
    """What came of a run: what it sent, each line an observation, and the files afterwards."""

    lines: Sequence[bytes]
    files: Mapping[str, Seen]


def plan(operations: Mapping[str, Sequence[Operation]]) -> list[Run]:
    """Return the runs for the operations of a lab, always the same for the same operations."""
    asked = [operation for one_item in operations.values() for operation in one_item]
    chance = Chance("canary", *(json.dumps(one_item[0]) for one_item in operations.values()))
    with_acts = [operation for operation in asked if operation["do"] == "acts"]
    shared = [operation for operation in asked if operation["do"] != "acts"]
    runs = []
    rounds = max((len(operation["acts"]) for operation in with_acts), default=1)
    for number in range(rounds):
        acts = [act for operation in with_acts if (act := _act(operation, number, rounds)) is not None]
        shared += [act for act in acts if not _is_alone(act)]
        runs += [Run(_numbered(_with_canaries(shared, chance)))] if shared else []
        runs += [_alone(act) for act in acts if _is_alone(act)]
        shared = []
    return runs


def _act(operation: Operation, number: int, rounds: int) -> Operation | None:
    """Return the act that comes in a round, if one does. All last acts come in the last round."""
    *acts, last = operation["acts"]
    comes = {**dict(enumerate(acts)), rounds - 1: last}
    facts = {key: value for key, value in operation.items() if key != "acts"}
    return {**facts, **comes[number], "do": "program"} if number in comes else None


def _is_alone(act: Operation) -> bool:
    return "grow_by" in act or "kill_after" in act


def _alone(act: Operation) -> Run:
    return Run(_numbered([act]), act["file"], act.get("grow_by"), act.get("kill_after"))


def _with_canaries(operations: Sequence[Operation], chance: Chance) -> list[Operation]:
    mixed = []
    for number, operation in enumerate(operations):
        if number % CANARY_EVERY == 0:
            mixed.append(_canary(chance))
        mixed.append(operation)
    return [*mixed, _canary(chance)]


def _canary(chance: Chance) -> Operation:
    shared = {"$": "same", "name": "part", "of": chance.value(1)}
    value = [chance.value(), [shared, {chance.name(): shared}], chance.scalar()]
    return {"do": "canary", "item": "", "value": value, "changes": chance.changes(), "text": chance.text()}


def _numbered(operations: Sequence[Operation]) -> list[Operation]:
    return [{"n": number, **operation} for number, operation in enumerate(operations)]


def sent_runs(operations: Mapping[str, Sequence[Operation]]) -> list[Run]:
    """Return the runs for the operations of a lab, without what is for the judge alone."""
    return [replace(run, operations=[sent(operation) for operation in run.operations]) for run in plan(operations)]


def do(runs: Sequence[Run], stage: Stage) -> list[RunSeen]:
    """Do runs on a stage, which must be as the runs before have left it: a fresh one if there were none."""
    seen: list[RunSeen] = []
    for run in runs:
        limit = None
        if run.grow_by is not None:
            before = stage.look({run.file}).get(run.file)
            limit = len(before.data if before else b"") + run.grow_by
        lines = stage.run(run.operations, file_size_limit=limit, kill_after=run.kill_after)
        seen.append(RunSeen(lines, stage.look(run.names)))
    return seen

"""What a worker is asked for, and what it answers: lines of JSON between two processes that trust each other.

What is in an answer comes from a submission, though, and is no more than what it says.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from scaffold.classroom.exam.plan import Run, RunSeen
from scaffold.classroom.exam.stage import Seen

SECONDS = 20.0  # that one run of a lab may take: its tests, or a part of its exam


@dataclass(frozen=True)
class Confinement:
    """How a worker locks in what it runs. `oracle` is the descriptor over which earlier labs can be asked for."""

    sandbox: bool = True
    seconds: float = SECONDS  # for one run
    oracle: int | None = None


Way = Literal["as it is", "over stand-ins", "together"]
Runs = Mapping[str, Sequence[Run]]  # of the exam, by the labs' numbers


@dataclass(frozen=True)
class Job:
    """The labs to run, by their numbers, and the files of the submission, by the folders of the labs.

    Over stand-ins, the labs that a lab needs are asked for from the oracle. Together, the labs share their processes,
    and only those that seem to be right are answered for.
    """

    files: Mapping[str, bytes]
    labs: Sequence[str]
    way: Way


@dataclass(frozen=True)
class TestsSeen:
    """What the lab's tests reported, how their process ended, and the end of what Python itself printed to say why.

    Together, nothing is reported of them: all have passed.
    """

    events: Sequence[Mapping[str, Any]] = ()
    how: str = "ended"
    dump: str = ""


@dataclass(frozen=True)
class LabSeen:
    """What was seen of one lab. `problem` is what kept the worker itself from running it."""

    exam: Sequence[RunSeen] = ()
    exam_ends: Sequence[str] = ()  # how each run of the exam ended, as JailEnd.how
    tests: TestsSeen = field(default_factory=TestsSeen)
    problem: str = ""


def runs_to_line(runs: Runs) -> bytes:
    """Return what the exam asks for, as one line. It is the same for all submissions."""
    return json.dumps({lab: [vars(run) for run in its_runs] for lab, its_runs in runs.items()}).encode() + b"\n"


def runs_from_line(line: bytes) -> Runs:
    """Return the runs of a line."""
    return {lab: [Run(**run) for run in its_runs] for lab, its_runs in json.loads(line).items()}


def job_to_line(job: Job) -> bytes:
    """Return a job as one line."""
    files = {name: _text(data) for name, data in job.files.items()}
    return json.dumps({**vars(job), "files": files}).encode() + b"\n"


def job_from_line(line: bytes) -> Job:
    """Return the job of a line."""
    facts = json.loads(line)
    return Job(**{**facts, "files": {name: base64.b64decode(text) for name, text in facts["files"].items()}})


def seen_to_bytes(seen: LabSeen) -> bytes:
    """Return what was seen of a lab, in one line without its end."""
    exam = [
        {
            "lines": [line.decode("latin-1") for line in run.lines],  # which can read any bytes, and write them again
            "files": {name: {**vars(file), "data": _text(file.data)} for name, file in run.files.items()},
        }
        for run in seen.exam
    ]
    return json.dumps({**vars(seen), "exam": exam, "tests": vars(seen.tests)}).encode()


def seen_from_json(facts: dict[str, Any]) -> LabSeen:
    """Return what was seen of a lab."""
    exam = [
        RunSeen(
            [line.encode("latin-1") for line in run["lines"]],
            {name: Seen(**{**file, "data": base64.b64decode(file["data"])}) for name, file in run["files"].items()},
        )
        for run in facts["exam"]
    ]
    return LabSeen(exam, facts["exam_ends"], TestsSeen(**facts["tests"]), facts["problem"])


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")

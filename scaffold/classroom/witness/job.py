"""What a worker is asked for, and what it answers: lines of JSON between two processes that trust each other.

What is in an answer comes from a submission, though, and is no more than what it says.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scaffold.classroom.exam.plan import Run, RunSeen
from scaffold.classroom.exam.stage import Seen

SECONDS = 20.0  # that one run of a lab may take: its tests, or a part of its exam


@dataclass(frozen=True)
class Confinement:
    """How a worker locks in what it runs. `oracle` is the descriptor over which earlier labs can be asked for."""

    sandbox: bool = True
    seconds: float = SECONDS  # for one run
    oracle: int | None = None


@dataclass(frozen=True)
class LabJob:
    """One lab of a submission. With `over_standins`, the labs it needs are asked for from the oracle."""

    lab: str  # its number
    runs: Sequence[Run]  # of the exam
    over_standins: bool = False


@dataclass(frozen=True)
class Job:
    """The labs to run, and the files of the submission, by the folders of their labs."""

    files: Mapping[str, bytes]
    labs: Sequence[LabJob]


@dataclass(frozen=True)
class TestsSeen:
    """What the lab's tests reported, how their process ended, and the end of what Python itself printed to say why."""

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


def job_to_line(job: Job) -> bytes:
    """Return a job as one line."""
    files = {name: _text(data) for name, data in job.files.items()}
    labs = [{**vars(lab), "runs": [vars(run) for run in lab.runs]} for lab in job.labs]
    return json.dumps({"files": files, "labs": labs}).encode() + b"\n"


def job_from_line(line: bytes) -> Job:
    """Return the job of a line."""
    facts = json.loads(line)
    labs = [LabJob(each["lab"], [Run(**run) for run in each["runs"]], each["over_standins"]) for each in facts["labs"]]
    return Job({name: base64.b64decode(text) for name, text in facts["files"].items()}, labs)


def seen_to_bytes(seen: LabSeen) -> bytes:
    """Return what was seen of a lab, in one line without its end."""
    exam = [
        {
            "observations": run.observations,
            "files": {name: {**vars(file), "data": _text(file.data)} for name, file in run.files.items()},
        }
        for run in seen.exam
    ]
    return json.dumps({**vars(seen), "exam": exam, "tests": vars(seen.tests)}).encode()


def seen_from_json(facts: dict[str, Any]) -> LabSeen:
    """Return what was seen of a lab."""
    exam = [
        RunSeen(
            run["observations"],
            {name: Seen(**{**file, "data": base64.b64decode(file["data"])}) for name, file in run["files"].items()},
        )
        for run in facts["exam"]
    ]
    return LabSeen(exam, facts["exam_ends"], TestsSeen(**facts["tests"]), facts["problem"])


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")

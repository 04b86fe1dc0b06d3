"""Submissions to examine, and how the tests examine them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from scaffold.classroom.exam.driver import Observation
from scaffold.classroom.exam.judge import ItemJudgement, Judge
from scaffold.classroom.exam.local_stage import Host, LocalStage
from scaffold.classroom.exam.operations import operations_for
from scaffold.classroom.exam.plan import RunSeen, do, sent_runs
from scaffold.classroom.exam.stage import understood
from scaffold.course import REFERENCE, Lab

SEED = "kit"
SECONDS = 1.0  # for one operation


class Examiner:
    """Examines trees on one host, and remembers what the reference does."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.expected = cache(self._expected)

    def _expected(self, lab: Lab, seed: str) -> list[RunSeen]:
        assert REFERENCE is not None
        return self.seen(lab, REFERENCE, seed)

    def seen(self, lab: Lab, tree: Path, seed: str = SEED, seconds: float = SECONDS, wall: float = 20) -> list[RunSeen]:
        with LocalStage(tree, REFERENCE, host=self._host, seconds=seconds, wall=wall) as stage:
            return do(sent_runs(operations_for(lab, seed)), stage)

    def judged(self, lab: Lab, tree: Path, seed: str = SEED) -> dict[str, ItemJudgement]:
        return Judge(operations_for(lab, seed), self.expected(lab, seed)).compare(self.seen(lab, tree, seed))

    def failed(self, lab: Lab, tree: Path, seed: str = SEED) -> set[str]:
        return {item for item, judgement in self.judged(lab, tree, seed).items() if not judgement.passed}


def observations_of(run: RunSeen) -> list[Observation]:
    return [understood(line) for line in run.lines]


def with_observations(run: RunSeen, observations: Sequence[Observation]) -> RunSeen:
    """Return what came of a run, had these been its observations."""
    return replace(run, lines=[json.dumps(each).encode() + b"\n" for each in observations])


def tree_of(folder: Path, lab: Lab, text: str) -> Path:
    """Make a tree that holds one lab."""
    source = folder / lab.folder / "session.py"
    source.parent.mkdir(parents=True)
    source.write_text(text, "utf-8")
    return folder


def reference_text(lab: Lab) -> str:
    assert REFERENCE is not None
    return (REFERENCE / lab.folder / "session.py").read_text("utf-8")


def reasons(judged: Mapping[str, ItemJudgement]) -> dict[str, str]:
    """Return what each failed item says, for the message of a test."""
    return {item: judgement.first_difference for item, judgement in judged.items() if not judgement.passed}

"""One lab of a submission in the sandbox: first the exam, then the lab's tests. The keeper of the jail calls it.

What a run leaves in the scratch folder is that submission's own. Each lab has a folder there whose name nobody can
foresee, so that nothing lies in wait for the next one.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scaffold.classroom.exam import driver
from scaffold.classroom.exam.operation import Operation
from scaffold.classroom.exam.plan import Run, RunSeen, do
from scaffold.classroom.exam.stage import Seen, enter, is_deep, look_at
from scaffold.classroom.oracle.oracle import connect
from scaffold.classroom.oracle.standin import write_standins
from scaffold.classroom.sandbox import JailEnd, Session
from scaffold.classroom.sandbox.inmate import Send, Target
from scaffold.classroom.witness.job import LabSeen, TestsSeen
from scaffold.classroom.witness.lab_tests import LabTests
from scaffold.course import LABS
from scaffold.grading.events import Report
from scaffold.grading.events import understood as events_of
from scaffold.grading.tree import Tree

_DUMP = 20_000  # bytes


@dataclass(frozen=True)
class Places:
    """Where in the scratch folder a submission's tree is, and one of stand-ins for the reference's labs."""

    tree: Path
    standins: Path


@dataclass(frozen=True)
class Asked:
    """What is asked of a lab: the runs of its exam, and its tests."""

    runs: Sequence[Run]
    tests: LabTests


class LabRun:
    """A stage of the exam too: it needs `run` and `look`. With an `oracle`, the labs beneath are asked for there."""

    def __init__(self, session: Session, places: Places, asked: Asked, oracle: int | None = None) -> None:
        self._session = session
        self._tree = Tree(places.tree, None if oracle is None else places.standins)
        self._oracle = oracle
        self._asked = asked
        self._name = secrets.token_hex(8)
        self._ends: list[str] = []

    def see(self) -> LabSeen:
        """Run all, and return what was seen."""
        exam = do(self._asked.runs, self)
        return LabSeen(exam, self._ends, self._run_tests())

    def see_exam_after(self, lines: Sequence[bytes]) -> LabSeen:
        """Run what is left of the exam after its first run, which was done in the lab's folder and came to its end."""
        first, *rest = self._asked.runs
        exam = [RunSeen(lines, self.look(first.names)), *do(rest, self)]
        return LabSeen(exam, ["ended", *self._ends])

    def folder_in(self, scratch: Path) -> Path:
        """Return the folder of the lab's exam, for an inmate."""
        work = scratch / self._name
        work.mkdir(exist_ok=True)
        return work

    def run(
        self, operations: Sequence[Operation], *, file_size_limit: int | None = None, kill_after: int | None = None
    ) -> list[bytes]:
        """Let an inmate do operations; see `exam.stage.Stage`."""

        def target(scratch: Path, send: Send) -> None:
            enter(self.folder_in(scratch))
            driver.observe(self._tree.load, operations, send)

        end = self._run(target, file_size=file_size_limit, kill_after=kill_after)
        self._ends.append(end.how)
        return list(end.reports[:kill_after])

    def look(self, names: Collection[str]) -> dict[str, Seen]:
        """Return what is in the exam's folder; see `exam.stage.Stage`."""
        work = self._session.scratch / self._name
        try:
            return look_at(work, names) if names and stat.S_ISDIR(work.lstat().st_mode) else {}
        except OSError:  # the submission has closed or removed it
            return {}

    def _run_tests(self) -> TestsSeen:
        def target(scratch: Path, send: Send) -> None:
            self._asked.tests.run(self._tree, Report(send), scratch / f"{self._name}-printed")

        end = self._run(target)
        events = [event for report in end.reports if not is_deep(report) for event in events_of(report)]
        return TestsSeen(events, end.how, end.printed[-_DUMP:].decode(errors="replace"))

    def _run(self, target: Target, *, file_size: int | None = None, kill_after: int | None = None) -> JailEnd:
        if self._oracle is None:
            return self._session.run(target, file_size=file_size, kill_after=kill_after)
        with connect(self._oracle, self._asked.tests.lab) as line:
            return self._session.run(target, file_size=file_size, kill_after=kill_after, question=line.fileno())


def place(session: Session, files: Mapping[str, bytes], *, with_standins: bool) -> Places:
    """Write the files of a submission into the scratch folder, and stand-ins, before anything of it runs."""
    places = Places(session.scratch / secrets.token_hex(8), session.scratch / secrets.token_hex(8))
    os.umask(0o022)  # an inmate, which may be another user, has to read it
    for folder, content in files.items():
        source = places.tree / folder / "session.py"
        source.parent.mkdir(parents=True)
        source.write_bytes(content)
    if with_standins:
        write_standins(places.standins, LABS)
    return places

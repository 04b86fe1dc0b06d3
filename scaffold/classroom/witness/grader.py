"""The trusted side: knows the reference's answers, keeps a worker, and makes a result of each lab of a submission."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scaffold.classroom.exam.judge import ItemJudgement, Judge
from scaffold.classroom.exam.local_stage import Host, LocalStage
from scaffold.classroom.exam.operations import operations_for
from scaffold.classroom.exam.plan import do, sent_runs
from scaffold.classroom.model import LabResult
from scaffold.classroom.oracle.oracle import Oracle
from scaffold.classroom.sandbox import (
    NoSandboxError,
    available,
    bwrap_command,
    clean_environment,
    is_enough,
    python_paths,
)
from scaffold.classroom.witness.job import (
    SECONDS,
    Confinement,
    Job,
    LabSeen,
    Runs,
    Way,
    job_to_line,
    runs_to_line,
    seen_from_json,
)
from scaffold.classroom.witness.results import lab_result, not_run, right_result
from scaffold.classroom.witness.rounds import results_of
from scaffold.course import LABS, ROOT, Lab
from scaffold.grading.child import Child
from scaffold.grading.failure import one_line
from scaffold.grading.verdict import GraderError

_WORKER = Path(__file__).with_name("worker.py")
_START = 120.0  # seconds
_ANSWER = 30  # runs: a worker ends what takes longer itself, much earlier
_TRIES = 2


@dataclass(frozen=True)
class Exam:
    """The exam of one class run, by the labs' numbers: what is asked, and who judges what is seen then."""

    runs: Runs
    judges: Mapping[str, Judge]


def make_exam(seed: str, reference: Path) -> Exam:
    """Make the exam of a seed, and let the reference take it. Raises ValueError if the reference fails."""
    operations = {lab.number: operations_for(lab, seed) for lab in LABS}
    runs = {number: sent_runs(each) for number, each in operations.items()}
    judges = {}
    with Host() as host:
        for number, its_runs in runs.items():
            with LocalStage(reference, host=host) as stage:
                judges[number] = Judge(operations[number], do(its_runs, stage))
    return Exam(runs, judges)


class Grader:
    """Grades one submission at a time. Use it in a `with` block, in one thread; each has a worker of its own.

    `stubs` are the files that count as not attempted. With an `oracle`, a lab over others that are not right is judged
    over right ones too. One run of a lab may take so many seconds: its tests, or a part of its exam. Raises
    NoSandboxError at the start if there is no sandbox.
    """

    def __init__(
        self,
        exam: Exam,
        stubs: Mapping[str, bytes],
        oracle: Oracle | None = None,
        *,
        sandbox: bool = True,
        seconds: float = SECONDS,
    ) -> None:
        self._exam = exam
        self._oracle = oracle
        self._stubs = stubs
        self._confinement = Confinement(sandbox, seconds, oracle.descriptor if oracle else None)
        self._worker: _Worker | None = None
        self._stopped = False
        self.made_of = ""  # the sandbox, in words, once there was one

    def __enter__(self) -> Self:
        self._living_worker()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_worker()

    def grade(self, files: Mapping[str, bytes]) -> list[LabResult]:
        """Return the result of each lab of a submission. Whatever goes wrong is in the results."""
        asked = [lab for lab in LABS if lab.folder in files and not self._is_stub(lab, files[lab.folder])]
        results = {lab.number: self._without_a_run(lab, files) for lab in LABS if lab not in asked}
        results |= results_of(asked, partial(self._run, files), standins=self._oracle is not None)
        return [results[lab.number] for lab in LABS]

    def _is_stub(self, lab: Lab, content: bytes) -> bool:
        """Tell whether a file is as it was given, whatever an editor or Git made of the ends of its lines."""
        return [line.rstrip() for line in content.split(b"\n")] == [
            line.rstrip() for line in self._stubs[lab.folder].split(b"\n")
        ]

    def stop(self) -> None:
        """Break off what is being graded in another thread: there, RuntimeError is raised. It grades no more."""
        self._stopped = True
        if worker := self._worker:
            worker.child.stop()

    def _without_a_run(self, lab: Lab, files: Mapping[str, bytes]) -> LabResult:
        return not_run(lab, "not attempted" if lab.folder in files else "missing")

    def _run(self, files: Mapping[str, bytes], labs: Sequence[Lab], way: Way) -> dict[str, LabResult]:
        """Run labs of a submission; see `rounds.RunLabs`."""
        if not labs:
            return {}
        numbers = [lab.number for lab in labs]
        if way == "together":
            answer = self._ask(Job(files, numbers, way))
            found = self._seen(labs, answer) if answer and "labs" in answer else {}
            results = {lab.number: right_result(lab, seen, self._judged(lab, seen)) for lab, seen in found.items()}
            return {number: result for number, result in results.items() if result}
        for _ in range(_TRIES):
            answer = self._ask(Job(files, numbers, way))
            if answer is not None:
                return self._results(labs, answer)
        return {
            number: not_run(lab, "crashed", "it ended the process that grades it, twice")
            for number, lab in zip(numbers, labs, strict=True)
        }

    def _ask(self, job: Job) -> dict[str, Any] | None:
        """Return a worker's answer, or None if it ended or fell silent instead. Then the next one is a new one."""
        worker = self._living_worker()
        try:
            worker.child.send(job_to_line(job))
            line = worker.child.line(time.monotonic() + _ANSWER * self._confinement.seconds)
        except BaseException:
            self._end_worker()  # or else what it still says would be taken for the answer to the next job
            raise
        if not line:
            self._end_worker()
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _results(self, labs: Sequence[Lab], answer: Mapping[str, Any]) -> dict[str, LabResult]:
        if "failed" in answer:
            return {lab.number: not_run(lab, "grader error", one_line(answer["failed"], 500)) for lab in labs}
        return {lab.number: self._result(lab, seen) for lab, seen in self._seen(labs, answer).items()}

    def _seen(self, labs: Sequence[Lab], answer: Mapping[str, Any]) -> dict[Lab, LabSeen]:
        return {lab: seen_from_json(each) for lab, each in zip(labs, answer["labs"], strict=True) if each is not None}

    def _judged(self, lab: Lab, seen: LabSeen) -> Mapping[str, ItemJudgement]:
        return self._exam.judges[lab.number].compare(seen.exam)

    def _result(self, lab: Lab, seen: LabSeen) -> LabResult:
        if seen.problem:
            return not_run(lab, "timed out", seen.problem)
        try:
            return lab_result(lab, seen, self._judged(lab, seen))
        except GraderError as error:
            return not_run(lab, "grader error", one_line(str(error), 500))

    def _living_worker(self) -> _Worker:
        if self._worker is None:
            self._worker = _Worker(self._confinement, self._exam.runs)
            self.made_of = self._worker.made_of
        if self._stopped:
            self._end_worker()
            raise RuntimeError("this grader was stopped")
        return self._worker

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _Worker:
    """A process of `worker.py`, which has said that it is ready."""

    def __init__(self, confinement: Confinement, runs: Runs) -> None:
        descriptors = [] if confinement.oracle is None else [confinement.oracle]
        self._temporary = tempfile.TemporaryDirectory(prefix="session-tree-class-", ignore_cleanup_errors=True)
        command = [sys.executable, "-P", str(_WORKER), json.dumps(asdict(confinement))]
        environment = {
            **clean_environment(),
            "TMPDIR": self._temporary.name,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # a plugin that happens to be installed could change a test
        }
        if confinement.sandbox and available().bubblewrap and not is_enough(available()):
            command = bwrap_command(command, [*python_paths(), Path(sys.executable), Path(sys.prefix), ROOT])
        self.child = Child(command, environment, descriptors)
        self.child.send(runs_to_line(runs))
        try:
            self.made_of = self._wait_until_ready()
        except BaseException:
            self.end()
            raise

    def _wait_until_ready(self) -> str:
        line = self.child.line(time.monotonic() + _START)
        if not line:
            raise GraderError(self.child.why_silent("a worker of class grading"))
        hello = json.loads(line)
        if not hello["ready"]:
            raise NoSandboxError(hello["why"])
        return str(hello["sandbox"])

    def end(self) -> None:
        self.child.end()
        self._temporary.cleanup()

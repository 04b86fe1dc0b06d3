"""The worker's process: it collects the labs' tests, waits for submissions, and locks each of them in to run it.

It is a run of pytest that never runs a test itself. It is started with a clean environment, and holds no answers: what
is forked from it inherits its memory. It reads jobs from its standard input and answers on its standard output, each a
line of JSON, and ends when its input does. It does neither itself: a fork of it serves one job, and ends. So nothing of
a submission, nor what the exam saw of it, is ever in the memory that the next one inherits.
"""

from __future__ import annotations

import gc
import importlib
import json
import math
import os
import select
import sys
import time
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import pytest

from scaffold.classroom.sandbox import (
    Jail,
    JailError,
    JailLimits,
    Mechanisms,
    NoSandboxError,
    Session,
    available,
    describe,
    python_paths,
)
from scaffold.classroom.sandbox.kernel import die_with_parent
from scaffold.classroom.witness.job import Confinement, Job, LabSeen, Runs, job_from_line, runs_from_line, seen_to_bytes
from scaffold.classroom.witness.lab_run import Asked, LabRun, Places, place
from scaffold.classroom.witness.lab_tests import LabTests, arguments
from scaffold.classroom.witness.together import see_together
from scaffold.course import LABS, ROOT

MIB = 2**20
RUNS = 6  # how many times as long as one run all labs of a submission may take; what is left out then is timed out
TOGETHER = 0.25  # of that time of one run, for one of all labs together: right ones take 0.03
_READABLE = (
    *("scaffold/__init__.py", "scaffold/course.py", "scaffold/given", "scaffold/grading"),
    *("scaffold/classroom/__init__.py", "scaffold/classroom/oracle"),
)


class Worker:
    """The plugin that takes the place of pytest's loop over the tests."""

    def __init__(self, answers: int, confinement: Confinement, runs: Runs) -> None:
        self._answers = answers
        self._confinement = confinement
        self._runs = runs
        self._seconds = confinement.seconds
        self._asked: dict[str, Asked] = {}  # by the labs' numbers

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for lab in LABS:
            items = [each for each in session.items if each.path == lab.test_file and isinstance(each, pytest.Function)]
            self._asked[lab.number] = Asked(self._runs[lab.number], LabTests(lab, items))
        for given in (ROOT / "scaffold" / "given").glob("[!_]*.py"):  # loaded here, they are not loaded in each run
            importlib.import_module(f"scaffold.given.{given.stem}")
        try:
            jails = {together: self._jail(together=together) for together in (False, True)}
        except (NoSandboxError, OSError) as error:
            self._answer(json.dumps({"ready": False, "why": str(error)}).encode())
            return True
        gc.collect()
        gc.freeze()  # what is there now is never garbage, and forks need not touch it to find that out
        made_of = describe(available()) if self._confinement.sandbox else "none"
        self._answer(json.dumps({"ready": True, "sandbox": made_of}).encode())
        while self._serve(jails):
            pass
        return True

    def _serve(self, jails: Mapping[bool, Jail]) -> bool:
        """Let a fork read one job and answer it. Return whether it did: at the end of the input there is none.

        When whoever asked is gone, nobody waits for the answer, and the fork ends with this process.
        """
        select.select([sys.stdin], [], [])
        worker = os.getpid()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                die_with_parent(worker)
                if line := sys.stdin.buffer.readline():
                    job = job_from_line(line)
                    self._answer(self._do(jails[job.way == "together"], job))
                    code = 0
            finally:
                os._exit(code)  # whatever happens: what called this is the worker's code
        end_of_child = os.pidfd_open(child)
        try:
            either = select.poll()
            either.register(end_of_child, select.POLLIN)
            either.register(sys.stdin, 0)  # which still tells that the other end is closed
            is_done = end_of_child in dict(either.poll())
        finally:
            os.close(end_of_child)
        return is_done and os.waitpid(child, 0)[1] == 0

    def _jail(self, *, together: bool) -> Jail:
        seconds = self._seconds * (TOGETHER if together else 1)
        limits = JailLimits(
            seconds=seconds,
            cpu_seconds=math.ceil(seconds),
            file_size=32 * MIB,
            scratch=64 * MIB,
            open_files=128,
            printed=64 * 1024,
        )  # of one run
        tests = [path for path in (ROOT / "tests").iterdir() if path.suffix == ".py"]
        readable = [*python_paths(), *(ROOT / name for name in _READABLE), *tests]
        if self._confinement.sandbox:
            return Jail(readable, limits)
        return Jail(readable, limits, mechanisms=Mechanisms(rlimits=True), must_hold=False)

    def _do(self, jail: Jail, job: Job) -> bytes:
        """Return the answer to a job, as JSON."""

        def work(session: Session) -> bytes:
            deadline = time.monotonic() + RUNS * self._seconds
            places = place(session, job.files, with_standins=job.way == "over stand-ins")
            if job.way == "together":
                seen = see_together(session, places, [self._asked[number] for number in job.labs])
            else:
                seen = [self._see(session, places, number, job, deadline) for number in job.labs]
            return b"\n".join(b"null" if each is None else seen_to_bytes(each) for each in seen)

        try:
            seen = jail.session(work, seconds=2 * RUNS * self._seconds)
        except JailError as error:
            return json.dumps({"failed": str(error)}).encode()
        return b'{"labs": [' + b", ".join(seen.splitlines()) + b"]}"

    def _see(self, session: Session, places: Places, number: str, job: Job, deadline: float) -> LabSeen:
        if time.monotonic() > deadline:
            return LabSeen(problem="the time for the whole submission was up before this lab")
        oracle = self._confinement.oracle if job.way == "over stand-ins" else None
        return LabRun(session, places, self._asked[number], oracle).see()

    def _answer(self, answer: bytes) -> None:
        line = memoryview(answer + b"\n")
        while line:
            line = line[os.write(self._answers, line) :]


def main() -> int:
    answers = os.dup(1)
    os.dup2(2, 1)  # whatever else is printed here is no answer
    runs = runs_from_line(sys.stdin.buffer.readline())  # and no more: nobody writes before this process is ready
    worker = Worker(answers, Confinement(**json.loads(sys.argv[1])), runs)
    return pytest.main(arguments(LABS), plugins=[worker])


if __name__ == "__main__":
    sys.exit(main())

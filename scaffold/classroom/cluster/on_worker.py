"""What runs on a Dask worker: it keeps warm graders, and lets them grade what it is sent.

These functions are called by their names, from the course that is installed there. A grader runs submissions in
processes of its own; so the worker itself never runs a line of theirs. The graders of a class run are closed at its
end; or, should its client have vanished, when they have had nothing to do for a while. If the worker dies, their
processes read the end of their input, and end too.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import platform
import secrets
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from scaffold.classroom.course_digest import digest_of_course
from scaffold.classroom.model import LabResult
from scaffold.classroom.oracle.oracle import Oracle
from scaffold.classroom.sandbox import NoSandboxError
from scaffold.classroom.witness.grader import Exam, Grader, make_exam
from scaffold.course import LABS, REFERENCE, ROOT
from scaffold.grading.failure import one_line
from scaffold.stubs import fresh_stub

IDLE = 300.0  # seconds without work, after which graders are closed
_PROCESS = secrets.token_hex(8)  # an address may be had by one process after another; this may not


@dataclass(frozen=True)
class Wanted:
    """What a class run asks of each worker. `versions` are those of its client, and `run` is a name for it."""

    run: str
    seed: str
    sandbox: bool
    seconds: float  # for one run of a lab
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Prepared:
    """A worker's answer: what its sandbox is made of, in words; or why it can't be used."""

    process: str = ""
    sandbox: str = ""
    refusal: str = ""


@dataclass(frozen=True)
class Failed:
    """A worker's answer when it can't do its work, such as with a full disk."""

    why: str


def versions() -> dict[str, str]:
    """Return what must be the same on all machines, or else the same submission could have other results there."""
    return {
        "the course": digest_of_course(),
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "pytest": importlib.metadata.version("pytest"),
    }


def prepare(wanted: Wanted) -> Prepared:
    """Make sure that this worker can grade, and keep a grader for the first submission."""
    here = versions()
    if differing := [name for name in wanted.versions if here.get(name) != wanted.versions[name]]:
        named = [f"{name} ({here[name]})" if name in {"Python", "pytest"} else name for name in differing]
        return Prepared(refusal=f"another version of {' and '.join(named)} is installed in {ROOT}")
    if sys.platform != "linux" and wanted.sandbox:
        return Prepared(refusal=f"class grading needs Linux, and this is {platform.system()}")
    try:
        return Prepared(_PROCESS, _graders_of(wanted).warm_up())
    except NoSandboxError as error:
        return Prepared(refusal=str(error))
    except Exception as error:
        return Prepared(refusal=_described(error))


def grade(wanted: Wanted, process: str, files: Mapping[str, bytes]) -> list[LabResult] | Failed | None:
    """Return the result of each lab of a submission; None if this is no longer the process it was sent to.

    Nothing is raised, for Dask can't send every exception, and whoever waits for one of those would wait for ever.
    """
    try:
        return _graders_of(wanted).grade(files) if process == _PROCESS else None
    except Exception as error:
        return Failed(_described(error))


def _described(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}", 500)


async def close(run: str) -> None:
    """Close the graders of a class run, for good. Those that are at work are closed when they are done."""
    with _lock:
        _ended.add(run)  # or else what still waits here would make new ones
    await asyncio.to_thread(_close, run)


def _close(run: str) -> None:
    with _lock:
        graders = _runs.pop(run, None)
    if graders:
        graders.close()


class Graders:
    """The graders of one class run in this process: as many as are at work at once. All of them share an oracle."""

    def __init__(self, wanted: Wanted, idle: float = IDLE) -> None:
        self._wanted = wanted
        self._idle = idle
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self._exam: Exam | None = None
        self._oracle: Oracle | None = None
        self._free: list[Grader] = []
        self._busy = 0
        self._closing = False
        self._alarm = threading.Timer(idle, self._nobody_came)

    def warm_up(self) -> str:
        """Start the first grader. Return what its sandbox is made of."""
        with self._borrowed() as grader:
            return grader.made_of

    def grade(self, files: Mapping[str, bytes]) -> list[LabResult]:
        """Let a grader that is free grade a submission, or a new one."""
        with self._borrowed() as grader:
            return grader.grade(files)

    def close(self) -> None:
        """Close all graders, as soon as none is at work. They are made again if they are asked for again."""
        with self._lock:
            self._closing = True
            self._close_if_free()

    @contextmanager
    def _borrowed(self) -> Iterator[Grader]:
        with self._lock:
            self._alarm.cancel()
            grader = self._free.pop() if self._free else self._new()
            self._busy += 1
        try:
            yield grader
        finally:
            with self._lock:
                self._busy -= 1
                self._free.append(grader)
                self._close_if_free()
                self._set_alarm()

    def _new(self) -> Grader:
        assert REFERENCE is not None  # or else the course would be another version
        try:
            if self._exam is None:
                self._exam = make_exam(self._wanted.seed, REFERENCE)
            if self._oracle is None:
                self._oracle = self._stack.enter_context(Oracle(REFERENCE))
            return self._stack.enter_context(self._grader(self._exam, self._oracle))
        except BaseException:
            self._closing = True  # or else an oracle that nobody uses would stay
            self._close_if_free()
            raise

    def _grader(self, exam: Exam, oracle: Oracle) -> Grader:
        stubs = {lab.folder: fresh_stub(lab).encode() for lab in LABS}
        return Grader(exam, stubs, oracle, sandbox=self._wanted.sandbox, seconds=self._wanted.seconds)

    def _close_if_free(self) -> None:
        if self._closing and not self._busy:
            self._free.clear()
            self._oracle = None
            self._closing = False
            self._stack.close()

    def _set_alarm(self) -> None:
        self._alarm.cancel()
        if self._free:
            self._alarm = threading.Timer(self._idle, self._nobody_came)
            self._alarm.daemon = True
            self._alarm.start()

    def _nobody_came(self) -> None:
        _close(self._wanted.run)
        self.close()  # too, if it was taken out of the register meanwhile


_lock = threading.Lock()
_runs: dict[str, Graders] = {}
_ended: set[str] = set()


def _graders_of(wanted: Wanted) -> Graders:
    with _lock:
        if wanted.run in _ended:
            raise ValueError("this class run has ended")
        return _runs.setdefault(wanted.run, Graders(wanted))

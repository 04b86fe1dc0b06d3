"""Runs Python code that nobody trusts in a fork of a trusted worker, with walls on all sides.

A worker has imported what submissions need. For each of them it forks a *keeper*, which builds the walls (see
`session.py`), and from that an *inmate*, which gives up everything and runs the code. A fork takes milliseconds, where
a new interpreter takes tenths of a second.

An inmate's memory is a copy of its keeper's, and so of its worker's: what these have read is no secret to it. So a
worker should hold nothing that one submission must not know of another. It is started with `clean_environment()`, and
`work` reads the submission in the keeper, and writes what comes of it to a file or pipe from there.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from scaffold.classroom.sandbox import seccomp
from scaffold.classroom.sandbox.inmate import Target
from scaffold.classroom.sandbox.kernel import die_with_parent, set_dumpable
from scaffold.classroom.sandbox.limits import JailLimits
from scaffold.classroom.sandbox.mechanisms import Mechanisms, available, require
from scaffold.classroom.sandbox.paths import view_of
from scaffold.classroom.sandbox.session import JailEnd, JailError, Session, flush_streams

Work = Callable[[Session], bytes]

_DEFAULT_LIMITS = JailLimits()
_DONE, _FAILED = b"+", b"!"
_PATIENCE = 30.0  # seconds that a keeper gets beyond the limit of a single run
_PIECE = 2**20


def clean_environment() -> dict[str, str]:
    """Return the environment that a worker should be started with."""
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


class Jail:
    """Walls to be built again for each submission. It holds no process and no file; nothing has to be closed."""

    def __init__(
        self,
        readable: Sequence[Path],
        limits: JailLimits = _DEFAULT_LIMITS,
        *,
        hidden: Sequence[Path] = (),
        mechanisms: Mechanisms | None = None,
        must_hold: bool = True,
    ) -> None:
        """Say what may be read; of that, `hidden` may not. Without `mechanisms`, all that the machine has is used.

        Raises NoSandboxError if that is not enough, unless it need not hold: then code runs with the rights of who
        starts it. Raises FileNotFoundError for a path to read that does not exist.
        """
        self._mechanisms = available() if mechanisms is None else mechanisms
        if must_hold:
            require(self._mechanisms)
        self._limits = limits
        self._view = view_of(readable, hidden)
        if self._mechanisms.seccomp:
            seccomp.program(alone=False)  # made here, it is not made again in each fork

    def run(self, target: Target, collect: Callable[[Path], bytes] | None = None) -> JailEnd:
        """Run a target, which is called with the scratch folder and a function that sends reports.

        `collect` is trusted. It is called with the scratch folder when nothing of the target runs any more. Its path
        may not exist here: it is called in the keeper. Raises JailError, also for what `collect` raises.
        """

        def work(session: Session) -> bytes:
            end = session.run(target)
            collected = collect(session.scratch) if collect else b""
            return JailEnd(end.how, end.reports, end.printed, collected, end.seconds).to_bytes()

        return JailEnd.from_bytes(self.session(work, seconds=self._limits.seconds + _PATIENCE))

    def session(self, work: Work, *, seconds: float = 600) -> bytes:
        """Let trusted work use one scratch folder for several runs, in a keeper, and return what it returns.

        The work sees no more of the machine than an inmate: it imports and opens before what it needs, or uses
        what was open here. It ends after `seconds`. Raises JailError, also for what the work raises.
        """
        if threading.active_count() > 1:
            names = ", ".join(thread.name for thread in threading.enumerate())
            raise RuntimeError(f"a jail needs a worker with one thread; this one has {names}: start it as a process")
        flush_streams()
        ours, theirs = os.pipe()
        worker = os.getpid()
        keeper = os.fork()
        if keeper == 0:
            self._keep(work, worker, theirs)
        os.close(theirs)
        try:
            answer = _read_until_end(ours, time.monotonic() + seconds)
        finally:
            os.close(ours)
            os.kill(keeper, signal.SIGKILL)  # not waited for yet, so its number is its own
            _, status = os.waitpid(keeper, 0)
        if answer is None:
            raise JailError(f"the work in a jail was not done after {seconds:g} s; please report this")
        if answer[:1] != _DONE:
            said = answer[1:].decode(errors="replace") or f"its keeper ended with status {status}"
            raise JailError(f"the work in a jail failed: {said}")
        return answer[1:]

    def _keep(self, work: Work, worker: int, answers: int) -> NoReturn:
        """Be the keeper: build the walls, do the work, say what came of it, and end."""
        answer = _FAILED
        try:
            os.setsid()
            die_with_parent(worker)
            session = Session(self._view, self._limits, self._mechanisms)
            set_dumpable(False)
            try:
                answer = _DONE + work(session)
            finally:
                session.end()
        except JailError as error:
            answer = _FAILED + str(error).encode(errors="replace")
        except BaseException:
            answer = _FAILED + traceback.format_exc().encode(errors="replace")
        finally:
            with contextlib.suppress(OSError):
                _write_all(answers, answer)
            os._exit(0)


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _read_until_end(file: int, deadline: float) -> bytes | None:
    """Return all that comes from a pipe until it is closed; None if it is still open at the deadline."""
    pieces: list[bytes] = []
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([file], [], [], left)
        if ready:
            piece = os.read(file, _PIECE)
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
    return None

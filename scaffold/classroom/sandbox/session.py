"""The keeper of a jail: a trusted process that builds the walls, and lets inmates in, one after the other."""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from scaffold.classroom.sandbox import frames, inmate, namespaces, scratch
from scaffold.classroom.sandbox.inmate import Cell, Target
from scaffold.classroom.sandbox.kernel import set_dumpable
from scaffold.classroom.sandbox.limits import JailLimits, memory_now
from scaffold.classroom.sandbox.mechanisms import Mechanisms
from scaffold.classroom.sandbox.paths import View
from scaffold.classroom.sandbox.processes import Processes
from scaffold.classroom.sandbox.users import become, user_of_jail
from scaffold.classroom.sandbox.watch import Rules, Watch

_BESIDE_INMATES = 2  # the keeper and the init count as processes of a user namespace
_SLACK = 256  # processes that the same user may start elsewhere in the meantime
_ENV_START, _ENV_END = 47, 48  # fields of /proc/self/stat after the name


class JailError(Exception):
    """The jail itself did not work: no fault of whoever was in it."""


@dataclass(frozen=True)
class JailEnd:
    """What came of one inmate.

    `how` is "ended" (the target returned), "exit N", "signal N", "timed out", "memory", "processes", "output", "disk",
    or "killed" (after the number of reports that was asked for). Reports and printed bytes are whatever the inmate has
    sent: they prove nothing. `seconds` are of the wall clock.
    """

    how: str
    reports: tuple[bytes, ...] = ()
    printed: bytes = b""
    collected: bytes = b""
    seconds: float = 0.0

    def to_bytes(self) -> bytes:
        texts = [base64.b64encode(each).decode("utf-8") for each in (self.printed, self.collected, *self.reports)]
        return json.dumps([self.how, self.seconds, *texts]).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> JailEnd:
        how, seconds, *texts = json.loads(data)
        printed, collected, *reports = map(base64.b64decode, texts)
        return cls(how, tuple(reports), printed, collected, seconds)


class Session:
    """One scratch folder, in which inmates run one after the other. It exists in the keeper only.

    `scratch` is the folder. It may be looked at between two runs: nothing runs then.
    """

    def __init__(self, view: View, limits: JailLimits, mechanisms: Mechanisms) -> None:
        """Build the walls around this process. Raises OSError."""
        self._limits = limits
        self._mechanisms = mechanisms
        self._view = view
        self._processes = Processes()
        inherited = memory_now()
        self._address_space = inherited.mapped + limits.memory
        self._most_memory = inherited.resident + limits.memory
        self._init: namespaces.Init | None = None
        self._is_over = False
        _wipe_environment()
        _go_first_when_memory_is_short()
        user = user_of_jail() if mechanisms.other_user else None
        if mechanisms.namespaces:
            if mechanisms.namespaces == "as a user" and user is not None:
                become(user)
                user = None
            self._enter(user)
        else:
            self.scratch = Path(tempfile.mkdtemp(prefix="session-tree-jail-"))
            if user is not None:
                os.chown(self.scratch, user, user)
        self._user = user
        self._most_processes = self._count_allowed()

    def _enter(self, user: int | None) -> None:
        as_user = self._mechanisms.namespaces == "as a user"
        namespaces.leave(with_user=as_user)
        owner = os.geteuid() if user is None else user
        group = os.getegid() if user is None else user
        limits = self._limits
        options = f"size={limits.scratch},nr_inodes={limits.scratch_files},mode=700,uid={owner},gid={group}"
        namespaces.build_root(self._view, options)
        self._init = namespaces.Init()
        self.scratch = namespaces.SCRATCH

    def _count_allowed(self) -> int:
        """Return the limit of processes that the kernel has to be given: it counts all that a user has."""
        if self._user is not None:
            return self._limits.processes
        if self._mechanisms.namespaces:
            return self._limits.processes + _BESIDE_INMATES
        return self._limits.processes + self._processes.tasks_of(os.geteuid()) + _SLACK

    def run(
        self,
        target: Target,
        *,
        file_size: int | None = None,
        scratch_bytes: int | None = None,
        kill_after: int | None = None,
        question: int | None = None,
    ) -> JailEnd:
        """Let an inmate run a target, and return when nothing of it is left.

        Three faults can be ordered: no file may become longer than `file_size` bytes; the scratch folder is full at
        `scratch_bytes` in all, or where it is now; the inmate is killed as soon as it has sent `kill_after` reports.
        `question` is a descriptor that the inmate gets as number 4. It stays open here: close it after the run.
        Raises JailError if the inmate could not be locked in; ValueError for `scratch_bytes` without namespaces.
        """
        if self._is_over:
            return JailEnd("signal 9")  # one before it has ended the whole namespace
        self.scratch.chmod(0o700)  # one before it may have closed the folder
        if scratch_bytes is not None:
            self._resize(scratch_bytes)
        try:
            size = self._limits.file_size if file_size is None else file_size
            return self._run(target, self._cell(size, question), kill_after)
        finally:
            if scratch_bytes is not None:
                self._resize(self._limits.scratch)

    def read_file(self, name: str, most: int) -> bytes:
        """Return the first bytes of a file in the scratch folder; see `scratch.read_file`."""
        return scratch.read_file(self.scratch, name, most)

    def end(self) -> None:
        """End all that is left, and remove the scratch folder."""
        if self._init is not None:
            self._init.end()
        else:
            scratch.remove(self.scratch)

    def _resize(self, size: int) -> None:
        if self._init is None:
            raise ValueError("only a jail of namespaces has a disk of its own to fill; order a file_size instead")
        namespaces.resize_scratch(size)

    def _run(self, target: Target, cell: Cell, kill_after: int | None) -> JailEnd:
        reports, to_report = os.pipe()
        printed, to_print = os.pipe()
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            inmate.live(target, cell, to_report, to_print)
        os.close(to_report)
        os.close(to_print)
        watch = Watch(child, reports, printed, Rules(self._limits, lambda: self._breach(child), kill_after))
        why = watch.until_end()
        self._kill(child)
        _, status, usage = os.wait4(child, 0)
        why = watch.finish() or why
        _raise_if_not_started(watch.frames)
        out_of_cpu = usage.ru_utime + usage.ru_stime >= self._limits.cpu_seconds
        return JailEnd(
            why or _how(status, watch.frames, out_of_cpu=out_of_cpu),
            tuple(watch.frames.reports),
            bytes(watch.printed),
            seconds=time.monotonic() - began,
        )

    def _cell(self, file_size: int, question: int | None) -> Cell:
        return Cell(
            os.getpid(),
            self._mechanisms,
            self._view,
            self.scratch,
            self._limits,
            file_size,
            self._address_space,
            self._user,
            self._most_processes,
            question,
        )

    def _breach(self, child: int) -> str:
        """Return which of the limits that only counting shows is broken; nothing if none is."""
        limits = self._limits
        family = self._processes.family(child, self._init.pid if self._init else None)
        if len(family) > limits.processes:  # the kernel refuses them to all but root
            return "processes"
        if sum(family.values()) > self._most_memory < self._processes.memory(family):
            return "memory"
        if self._init is None:
            size, entries = scratch.used(self.scratch, limits.scratch_files + 1)
            return "disk" if size > limits.scratch or entries > limits.scratch_files else ""
        return ""

    def _kill(self, child: int) -> None:
        """Kill the inmate, which may be a zombie by now, and all that it has started."""
        os.kill(child, signal.SIGKILL)
        if self._init is not None and not self._init.kill_all():
            self._init.kill()
            self._is_over = True


def _raise_if_not_started(found: frames.Frames) -> None:
    """Raise JailError if the first mark says so: before it no foreign code was run, so that it can be believed."""
    kind, text = found.marks[0] if found.marks else (b"", b"")
    if kind == frames.NOT_STARTED:
        raise JailError(f"the jail could not be locked: {text.decode(errors='replace')}")


def _how(status: int, found: frames.Frames, *, out_of_cpu: bool) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        limited = number == signal.SIGXCPU or (number == signal.SIGKILL and out_of_cpu)
        return "timed out" if limited else f"signal {number}"
    marks = {kind for kind, _ in found.marks}
    code = os.WEXITSTATUS(status)
    if frames.OUT_OF_MEMORY in marks:
        return "memory"
    return "ended" if code == 0 and frames.ENDED in marks else f"exit {code}"


def _wipe_environment() -> None:
    """Overwrite what this process was started with: its memory can be read by who is forked from it."""
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[_ENV_START]), int(fields[_ENV_END])
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)


def _go_first_when_memory_is_short() -> None:
    set_dumpable(True)  # or else the file may be root's
    with contextlib.suppress(OSError):  # it can be out of reach in a container
        Path("/proc/self/oom_score_adj").write_text("1000", "utf-8")


def flush_streams() -> None:
    """Write out what is buffered, or else every child would write it too."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()

"""The process that runs a submission: it locks itself in, and never comes back."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from scaffold.classroom.sandbox import frames, landlock, limits, seccomp
from scaffold.classroom.sandbox.kernel import (
    close_from,
    die_with_parent,
    filter_system_calls,
    give_up_privileges,
    set_dumpable,
)
from scaffold.classroom.sandbox.limits import JailLimits
from scaffold.classroom.sandbox.mechanisms import Mechanisms
from scaffold.classroom.sandbox.namespaces import DEVICES
from scaffold.classroom.sandbox.paths import View
from scaffold.classroom.sandbox.users import become

if sys.platform != "win32":
    import fcntl

Send = Callable[[bytes], None]
Target = Callable[[Path, Send], None]

_REPORTS = 3  # the descriptor of the pipe
QUESTION = 4  # the descriptor over which somebody outside can be asked, in a run that has one
_ABOVE_ALL = 10
_KEPT_AS_THEY_ARE = {signal.SIGKILL, signal.SIGSTOP} if hasattr(signal, "SIGKILL") else set()
_IGNORED = ("SIGPIPE", "SIGXFSZ")  # as Python has it: an error is raised instead


@dataclass(frozen=True)
class Cell:
    """What stands around one inmate. `user` is whom it becomes, and `processes` the limit as the kernel counts.

    `question` is a descriptor of the keeper's, for the inmate to have as number QUESTION.
    """

    keeper: int
    mechanisms: Mechanisms
    view: View
    scratch: Path
    limits: JailLimits
    file_size: int
    address_space: int
    user: int | None
    processes: int | None
    question: int | None = None


def live(target: Target, cell: Cell, reports: int, printed: int) -> NoReturn:
    """Lock this process in, run the target, and end the process, whatever happens."""
    try:
        _take_descriptors(reports, printed, cell.question)
        _lock_in(cell)
        frames.write_frame(_REPORTS, frames.STARTED)
    except BaseException as error:
        try:
            frames.write_frame(_REPORTS, frames.NOT_STARTED, str(error).encode(errors="replace")[:1_000])
        finally:
            os._exit(1)  # whatever happens: what called this is the keeper's code
    code = 1
    try:
        code = _call(target, cell.scratch)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)  # at once: a thread or an exit handler of foreign code might never end


def _take_descriptors(reports: int, printed: int, question: int | None) -> None:
    """Keep these descriptors and no other: nothing to read, where to print twice, where to report, whom to ask."""
    given = [printed, printed, reports, *([] if question is None else [question])]
    high = [fcntl.fcntl(each, fcntl.F_DUPFD, _ABOVE_ALL) for each in given]
    nothing = fcntl.fcntl(os.open(os.devnull, os.O_RDONLY), fcntl.F_DUPFD, _ABOVE_ALL)
    for number, each in enumerate((nothing, *high)):
        os.dup2(each, number)
    close_from(len(high) + 1)


def _lock_in(cell: Cell) -> None:
    """Put up the walls, from the outermost to the one that takes away the means to build."""
    os.setsid()
    _forget_the_worker(cell.scratch)
    limits.apply(cell.limits, file_size=cell.file_size, address_space=cell.address_space, processes=cell.processes)
    if cell.user is not None:
        become(cell.user)
    give_up_privileges()
    set_dumpable(True)  # for the keeper, who counts its memory
    die_with_parent(cell.keeper)
    os.chdir(cell.scratch)
    for path in cell.view.paths:
        if not os.access(path, os.R_OK):
            raise PermissionError(
                f"{path} can't be read by user {os.geteuid()}, as whom submissions run; open it to all"
            )
    if cell.mechanisms.landlock:
        listed = (
            (Path("/"),) if cell.mechanisms.namespaces else cell.view.listed
        )  # there is nothing hidden in that root
        allowed = landlock.Allowed(cell.view.paths, (cell.scratch, *DEVICES), listed)
        landlock.restrict(allowed, cell.mechanisms.landlock)
    if cell.mechanisms.seccomp:
        filter_system_calls(seccomp.program(alone=not cell.mechanisms.namespaces))


def _forget_the_worker(scratch: Path) -> None:
    """Give up the worker's signal handlers, streams, environment and folder for temporary files."""
    faulthandler.disable()
    signal.set_wakeup_fd(-1)
    ignored = {getattr(signal, name) for name in _IGNORED}
    for number in signal.valid_signals() - _KEPT_AS_THEY_ARE:
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)
    os.environ.clear()
    os.environ.update(HOME=str(scratch), TMPDIR=str(scratch), PATH="/usr/bin:/bin", LANG="C.UTF-8")
    tempfile.tempdir = None
    sys.dont_write_bytecode = True
    _FORMER.extend((sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__))
    for file, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open(  # noqa: SIM115 (open as long as the process is)
            file, "w" if file else "r", encoding="utf-8", errors="backslashreplace", closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


_FORMER: list[object] = []  # not let go: they would close the new streams' descriptors


def _call(target: Target, scratch: Path) -> int:
    """Run the target. Return the code to end with."""

    def send(report: bytes) -> None:
        frames.write_frame(_REPORTS, frames.REPORT, report)

    try:
        target(scratch, send)
    except MemoryError:
        frames.write_frame(_REPORTS, frames.OUT_OF_MEMORY)
        return 1
    except SystemExit as error:
        if error.code is None:
            return 0
        return error.code & 0xFF if type(error.code) is int else 1
    except BaseException:
        traceback.print_exc()
        return 1
    frames.write_frame(_REPORTS, frames.ENDED)
    return 0

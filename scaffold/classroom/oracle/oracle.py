"""The oracle, as the main process and the workers see it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from scaffold.classroom.sandbox.jail import clean_environment
from scaffold.classroom.sandbox.limits import MIB
from scaffold.course import ROOT, Lab

SERVER = Path(__file__).with_name("server.py")
READY = b"ready"  # what the server says first
_PATIENCE = 30.0  # seconds until the labs are loaded; it takes tenths


class OracleError(Exception):
    """The oracle itself does not work: no fault of any submission."""


class Oracle:
    """A process that holds the reference's labs. Use it in a `with` block.

    All workers of this machine share it. It forks for each connection, so none waits for another; and the labs are
    loaded once. It ends with the block, or when all processes are gone that have its descriptor.
    """

    def __init__(self, tree: Path, *, seconds: float = 5, memory: int = 256 * MIB) -> None:
        """Say where the reference is. One call may take so many seconds of the processor, and bytes of memory."""
        self._arguments = [str(tree.absolute()), str(seconds), str(memory)]
        self._ends = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Start it, and wait until it is ready. Raises OracleError."""
        if sys.platform != "linux":
            raise OracleError(f"the oracle belongs to the sandbox, which needs Linux; this is {sys.platform}")
        with self._ends:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._ends.enter_context(ours)
            errors = self._ends.enter_context(tempfile.TemporaryFile())
            with theirs:
                process = self._start(theirs.fileno(), errors.fileno())
            self._ends.callback(_end, process)
            ours.settimeout(_PATIENCE)
            with contextlib.suppress(OSError):
                if ours.recv(len(READY)) == READY:
                    ours.settimeout(None)
                    ours.set_inheritable(True)
                    self.descriptor = ours.fileno()
                    self._ends = self._ends.pop_all()
                    return self
            _end(process)
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()[-2_000:]
            raise OracleError(f"the reference could not be loaded: {said or 'it said nothing'}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def _start(self, descriptor: int, errors: int) -> subprocess.Popen[bytes]:
        tree, *limits = self._arguments
        return subprocess.Popen(
            [sys.executable, "-P", str(SERVER), tree, str(descriptor), *limits],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=ROOT,
            env=clean_environment(),
            pass_fds=[descriptor],
            start_new_session=True,
        )


def connect(oracle: int, lab: Lab) -> socket.socket:
    """Return one end of a new connection, over which the labs beneath this one can be asked for. Close it after use.

    `oracle` is `Oracle.descriptor`, in a process that has inherited it. Make one for each run, in a worker or a
    keeper, for whoever has that end can say anything. Raises OracleError if the oracle has ended.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        with theirs, socket.socket(fileno=os.dup(oracle)) as line:
            socket.send_fds(line, [lab.number.encode()], [theirs.fileno()])
    except OSError as error:
        ours.close()
        raise OracleError(f"the oracle has ended ({error}); please report this") from error
    return ours


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()

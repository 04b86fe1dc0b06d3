"""The oracle's own process: holds the reference's labs, and forks for each connection that a worker sends.

So whatever one connection does, no other one waits for it, and nothing of it is left for the next. What is malformed,
or takes too long or too much memory, ends the child that serves it. This file is a program; `oracle.Oracle` starts it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import socket
import sys
from pathlib import Path
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from scaffold.classroom.oracle.conversation import Conversation, Functions
from scaffold.classroom.oracle.oracle import READY
from scaffold.classroom.oracle.packets import Line
from scaffold.classroom.oracle.questions import beneath, functions_of
from scaffold.classroom.sandbox.kernel import die_with_parent
from scaffold.classroom.sandbox.limits import memory_now
from scaffold.course import LABS, find_lab
from scaffold.grading.tree import Tree

_MOST_OF_A_NAME = 64


class Server:
    """Holds the functions that may be asked for. `seconds` and `memory`, in bytes, are for one call."""

    def __init__(self, tree: Tree, seconds: float, memory: int) -> None:
        """Load the labs that others need. Raises NotLoadableError; MissingNameError for a task that is not there."""
        labs = {lower.number: lower for lab in LABS for lower in beneath(lab)}
        self._functions: Functions = {
            (lab.number, name): getattr(loaded, name)
            for lab in labs.values()
            for loaded in [tree.load(lab)]
            for name in functions_of(lab)
        }
        self._seconds = seconds
        self._memory = memory

    def serve(self, workers: socket.socket) -> None:
        """Serve each connection that comes with the number of the lab under test, until all workers are gone."""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the children
        gc.freeze()
        while True:
            name, ends, _, _ = socket.recv_fds(workers, _MOST_OF_A_NAME, 1)
            if not name:
                return
            for end in ends:
                with contextlib.suppress(OSError):  # no more processes: this run goes without, and says so
                    self._fork(workers, end, name.decode())
                os.close(end)

    def _fork(self, workers: socket.socket, end: int, number: str) -> None:
        parent = os.getpid()
        if os.fork() == 0:
            try:
                workers.close()
                self._be_child(parent, end, number)
            finally:
                os._exit(0)

    def _be_child(self, parent: int, end: int, number: str) -> None:
        die_with_parent(parent)
        most = memory_now().mapped + self._memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        allowed = {lab.number for lab in beneath(find_lab(number))}
        functions = {key: function for key, function in self._functions.items() if key[0] in allowed}
        with contextlib.suppress(OSError, MemoryError):  # the other end is gone, or has asked for too much
            Conversation(Line(socket.socket(fileno=end)), functions, self._seconds).serve()


def main() -> NoReturn:
    tree, descriptor, seconds, memory = sys.argv[1:]
    workers = socket.socket(fileno=int(descriptor))
    server = Server(Tree(Path(tree)), float(seconds), int(memory))
    workers.send(READY)
    server.serve(workers)
    sys.exit(0)


if __name__ == "__main__":
    main()

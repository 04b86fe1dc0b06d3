"""Waits for runs of an exam, forks for each, and passes on what its driver sends. It never runs foreign code itself."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import pytest  # noqa: F401 (imported here so that no run has to: loading a lab that fails asks for it)

from scaffold.classroom.exam.driver import observe
from scaffold.classroom.exam.stage import enter
from scaffold.grading import leftovers
from scaffold.grading.tree import Tree

MEMORY = 2 * 2**30  # bytes of address space
FILE_SIZE = 8 * 2**20
OUTPUT = 16 * 2**20
PATIENCE = 0.05  # seconds between two looks at whether a run that is silent has ended


def serve() -> None:
    """Do the runs that come from the standard input, until it ends."""
    jobs, results = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    leftovers.adopt()
    gc.freeze()
    for line in jobs:
        answer = json.dumps({"lines": _run(json.loads(line), (jobs.fileno(), results))}).encode() + b"\n"
        while answer:
            answer = answer[os.write(results, answer) :]


def _run(job: dict[str, Any], not_for_the_run: tuple[int, ...]) -> list[str]:
    source, target = os.pipe()
    run = os.fork()
    if run == 0:
        for descriptor in (source, *not_for_the_run):
            os.close(descriptor)
        _do(job, target)
    os.close(target)
    output = _collect(run, source, job)
    os.close(source)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(run, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(run, 0)
        os.waitpid(-1, os.WNOHANG)  # raises if there is nothing to remove
        leftovers.remove(run)
    *lines, _cut_off = output.decode("ascii", "replace").split("\n")
    return lines[: job["kill_after"]]


def _do(job: dict[str, Any], target: int) -> None:
    """Be the run, and end."""
    try:
        os.setsid()
        enter(Path(job["folder"]))
        _limit(job)
        tree = Tree(Path(job["tree"]), Path(job["beneath"]) if job["beneath"] else None)

        def send(line: bytes) -> None:
            while line:
                line = line[os.write(target, line) :]

        observe(tree.load, job["operations"], send, job["seconds"])
    finally:
        os._exit(0)  # at once: a thread or an exit handler of foreign code might never end


def _limit(job: dict[str, Any]) -> None:
    import resource  # noqa: PLC0415 (not on Windows, which has no fork either)

    file_size = FILE_SIZE if job["file_size"] is None else job["file_size"]
    processor = int(job["wall"]) + 5
    limits = {"RLIMIT_AS": MEMORY, "RLIMIT_FSIZE": file_size, "RLIMIT_CPU": processor, "RLIMIT_CORE": 0}
    for name, limit in limits.items():
        with contextlib.suppress(ValueError, OSError):  # not each system has each of them
            resource.setrlimit(getattr(resource, name), (limit, limit))


def _collect(run: int, source: int, job: dict[str, Any]) -> bytes:
    """Return what a run sends until it ends, is killed as the job says, or reaches a limit."""
    output = bytearray()
    deadline = time.monotonic() + job["wall"]
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([source], [], [], min(left, PATIENCE))[0]:
            if os.waitid(os.P_PID, run, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break  # it has ended, and something that it left behind holds the pipe
            continue
        data = os.read(source, 2**16)
        output += data
        killed = job["kill_after"] is not None and output.count(b"\n") >= job["kill_after"]
        if not data or killed or len(output) > OUTPUT:
            break
    return bytes(output)


if __name__ == "__main__":
    serve()

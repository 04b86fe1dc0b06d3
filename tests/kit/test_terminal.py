"""What only shows on a terminal, or while a command is running: colour, Ctrl-C, watching."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from kit.copies import Course, clean_environment
from scaffold.course import find_lab

FIRST = find_lab("10.1")
pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal and signals"),
]


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


@contextmanager
def started(course: Course, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Lend a running `grade.py` in a process group of its own."""
    with subprocess.Popen(
        [sys.executable, "grade.py", *arguments],
        cwd=course.root,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def on_a_terminal(course: Course, **environment: str) -> str:
    """Return what `grade.py 10.1` writes to a terminal."""
    import pty  # noqa: PLC0415 (not on Windows)

    ours, theirs = pty.openpty()
    command = [sys.executable, "grade.py", "10.1"]
    environment = clean_environment() | {"TERM": "xterm"} | environment
    with subprocess.Popen(command, cwd=course.root, env=environment, stdout=theirs, stderr=theirs):
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # Linux says so when the other end is closed
                part = b""
            if not part:
                os.close(ours)
                return written.decode()
            written += part


def test_colour_is_for_terminals_that_want_it(course: Course) -> None:
    assert "\x1b[" in on_a_terminal(course)
    assert "\x1b[" not in on_a_terminal(course, NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(course, TERM="dumb")
    assert "\x1b[" not in course("10.1").stdout


LOOPS = {
    "a loop in a call": "def path_to(entries, leaf_id):\n    {mark}\n    while True: pass\n",
    "a loop that catches Ctrl-C": (
        "def path_to(entries, leaf_id):\n    {mark}\n    while True:\n"
        "        try:\n            while True: pass\n        except BaseException: pass\n"
    ),
    "a child process": (
        "import subprocess\ndef path_to(entries, leaf_id):\n    {mark}\n    subprocess.run(['sleep', '{seconds}'])\n"
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux finds each process")
@pytest.mark.parametrize("source", LOOPS.values(), ids=LOOPS)
def test_ctrl_c_stops_at_once_and_leaves_nothing_running(course: Course, tmp_path: Path, source: str) -> None:
    reached, seconds = tmp_path / "reached", f"300.{os.getpid()}"
    mark = f"open({str(reached)!r}, 'w').close()"
    course.source(FIRST).write_text(source.format(mark=mark, seconds=seconds), "utf-8")

    with started(course, "10.1") as process:
        wait_until(reached.exists)
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)

    assert process.returncode == 130
    assert errors.decode().strip() == "stopped"
    assert time.monotonic() - begin < 5  # far below the limits of the run, which is what matters here
    wait_until(lambda: not running_in(course.root, seconds))


def running_in(root: Path, argument: str) -> list[bytes]:
    """Return the command lines of the processes that work in a folder, or that have this argument."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, folder = (process / "cmdline").read_bytes(), (process / "cwd").readlink()
        except OSError:
            continue
        if folder == root or argument.encode() in command:
            found.append(command)
    return found


def read_until(stream: IO[bytes], end: str) -> str:
    seen = ""
    while end not in seen:
        line = stream.readline().decode()
        assert line, f"the output ended after {seen!r}"
        seen += line
    return seen


def test_watching_runs_again_after_each_save(course: Course) -> None:
    with started(course, "10.1", "--watch") as process:
        assert process.stdout is not None
        first = read_until(process.stdout, "Ctrl-C ends it")
        course.solve(FIRST)
        second = read_until(process.stdout, "Ctrl-C ends it")
        course.source(FIRST).write_text("def path_to(:\n", "utf-8")
        third = read_until(process.stdout, "Ctrl-C ends it")
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=20)

    assert "path_to is not written yet" in first
    assert "✓ 2/2 + 2/2 Python" in second
    assert "SyntaxError" in third

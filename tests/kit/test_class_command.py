"""`python grade.py class` from the outside: what it leaves behind, whatever happens to it."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest

from kit.copies import clean_environment
from kit.jails import IN_A_SANDBOX
from scaffold.classroom.gradebook import Gradebook
from scaffold.course import LABS, REFERENCE, ROOT
from scaffold.stubs import fresh_stub

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(90)]
assert REFERENCE is not None
RIGHT = (REFERENCE / "lab_10_1" / "session.py").read_bytes()
HANDED_IN = {
    "ada": RIGHT,
    "bob, the =1+1": RIGHT + b"# the same again\n",
    "cy": fresh_stub(LABS[0]).encode(),
    "dora": b"def path_to(entries, leaf_id):\n    return []\n",
    "eva": b"import os\nos._exit(0)\n",
    "李": b"raise SystemExit\n",
}
LOOP_IN_C = b"sum(range(10**18))\n"
ROSTER = "id,name\nada,Ada\ndora,Dora\nzoe,Zoë\n"


class Class:
    """A folder with what was handed in, and a report."""

    def __init__(self, folder: Path) -> None:
        self.handed_in = folder / "handed in"
        self.report = folder / "report"
        self.roster = folder / "roster.csv"
        self.roster.write_text(ROSTER, "utf-8")
        for name, source in HANDED_IN.items():
            self.hand_in(name, source)

    def hand_in(self, name: str, source: bytes) -> None:
        path = self.handed_in / name / "lab_10_1" / "session.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source)

    def command(self, *options: str, report: Path | None = None) -> list[str]:
        command = [sys.executable, "grade.py", "class", str(self.handed_in), "-o", str(report or self.report)]
        return [*command, "--roster", str(self.roster), "--seed", "a seed", *options]

    def grade(self, *options: str, report: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*options, report=report),
            cwd=ROOT,
            env=clean_environment(),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    @contextlib.contextmanager
    def grading(self, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
        """Grade in a terminal. Lend the process, and what the terminal shows."""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        process = subprocess.Popen(
            self.command(*options),
            cwd=ROOT,
            env=clean_environment(),
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            yield process, ours
        finally:
            process.kill()
            process.wait()
            os.close(ours)


def exports(report: Path) -> Mapping[str, bytes]:
    files = {str(path.relative_to(report)): path.read_bytes() for path in report.rglob("*") if path.is_file()}
    return {name: content for name, content in files.items() if "sqlite" not in name}


def shown_until(terminal: int, pattern: str) -> str:
    """Return what a terminal shows, until it has this in it. Raises EOFError if that never comes."""
    shown = b""
    while not re.search(pattern.encode(), shown):
        try:
            new = os.read(terminal, 4096)
        except OSError:  # as Linux says that nobody has the other end any more
            new = b""
        if not new:
            raise EOFError(shown.decode(errors="replace"))
        shown += new
    return shown.decode(errors="replace")


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    started: list[psutil.Process] = psutil.Process(process.pid).children(recursive=True)
    return started


@pytest.fixture
def handed_in(tmp_path: Path) -> Class:
    return Class(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """The exports of a run that nothing happened to."""
    handed_in = Class(tmp_path_factory.mktemp("class"))
    done = handed_in.grade("--jobs", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "7 students: 2 graded, 1 missing" not in done.stdout  # zoe has a row, and the stub one of its own
    return exports(handed_in.report)


def test_everybody_has_one_row(whole: Mapping[str, bytes]) -> None:
    rows = whole["grades.csv"].decode("utf-8-sig").splitlines()
    assert len(rows) == 1 + len({*HANDED_IN, "zoe"})
    for status in ("graded", "not attempted", "exited", "not loadable", "missing"):
        assert any(status in row for row in rows[1:]), status


def test_the_same_seed_gives_the_same_bytes_whoever_does_the_work(handed_in: Class, whole: Mapping[str, bytes]) -> None:
    done = handed_in.grade("--jobs", "2")

    assert done.returncode == 0
    assert exports(handed_in.report) == whole


def test_what_was_killed_goes_on_where_it_was(handed_in: Class, whole: Mapping[str, bytes]) -> None:
    with handed_in.grading("--jobs", "1") as (process, terminal):
        shown_until(terminal, "[2-5]/6")
        started = family(process)
        process.kill()
        assert psutil.wait_procs(started, timeout=20)[1] == []
    with handed_in.grading("--jobs", "1") as (process, terminal):
        shown_until(terminal, "report: ")
        assert process.wait(20) == 0
    assert exports(handed_in.report) == whole


def test_what_is_graded_is_not_run_again_and_what_is_new_is(handed_in: Class) -> None:
    assert handed_in.grade().returncode == 0
    handed_in.hand_in("dora", RIGHT)
    with handed_in.grading() as (process, terminal):
        shown = shown_until(terminal, "report: ")
        assert process.wait(20) == 0

    assert "1/1" in shown
    assert "/6" not in shown


def test_nothing_outlives_a_run_that_was_killed(handed_in: Class) -> None:
    handed_in.hand_in("a loop in C", LOOP_IN_C)
    with handed_in.grading("--jobs", "2", "--seconds", "600") as (process, terminal):
        shown_until(terminal, "6/7")
        started = family(process)
        process.kill()
        assert psutil.wait_procs(started, timeout=20)[1] == []


def test_ctrl_c_does_not_wait_for_what_is_running(handed_in: Class) -> None:
    handed_in.hand_in("a loop in C", LOOP_IN_C)
    with handed_in.grading("--jobs", "2", "--seconds", "600") as (process, terminal):
        shown_until(terminal, "6/7")
        started = family(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert psutil.wait_procs(started, timeout=20)[1] == []


def test_two_runs_do_not_share_a_report(handed_in: Class) -> None:
    with Gradebook(handed_in.report / "gradebook.sqlite", "of another run"):
        done = handed_in.grade()

    assert done.returncode == 2
    assert "another run" in done.stderr


def test_a_report_without_a_sandbox_says_so_for_ever(handed_in: Class) -> None:
    assert "sandbox: none in this run" in handed_in.grade("--no-sandbox").stdout
    assert "sandbox: none in an earlier run" in handed_in.grade().stdout
    assert b"none in an earlier run" in exports(handed_in.report)["index.html"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["class"], "name the folder"),
        (["class", "nowhere", "-o", "@"], "nowhere is no folder"),
        (["class", "@", "-o", "@/report"], "nothing was handed in"),
        (["class", "@", "-o", "@", "--jobs", "0"], "--jobs is a number from 1 on"),
        (["class", "@", "-o", "@", "--seconds", "soon"], "--seconds is a number from 1 to 3600"),
    ],
    ids=["no folder", "no such folder", "an empty folder", "no jobs", "no seconds"],
)
def test_what_is_asked_wrongly_is_said(arguments: list[str], told: str, tmp_path: Path) -> None:
    command = [sys.executable, "grade.py", *(each.replace("@", str(tmp_path)) for each in arguments)]
    done = subprocess.run(
        command, cwd=ROOT, env=clean_environment(), capture_output=True, encoding="utf-8", check=False
    )

    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr

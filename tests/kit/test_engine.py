"""A student's file may do what it likes: it gets its verdict and a reason, and the grader lives."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import time
from pathlib import Path

import pytest

from scaffold.course import ROOT, find_lab
from scaffold.grading.engine import Engine, Limits
from scaffold.grading.verdict import GraderError, Verdict

LAB = find_lab("10.1")
RIGHT = (ROOT / "solutions" / LAB.folder / "session.py").read_text("utf-8")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux finds each process, and limits memory")


def tree_with(folder: Path, source: str | bytes) -> Path:
    lab = folder / "tree" / LAB.folder
    lab.mkdir(parents=True)
    data = textwrap.dedent(source).encode() if isinstance(source, str) else source
    (lab / "session.py").write_bytes(data)
    return folder / "tree"


def in_a_call(statement: str) -> str:
    return f"import os, sys, time, threading\n\ndef path_to(entries, leaf_id):\n    {statement}\n"


def after_right_ones(statement: str) -> str:
    return f"{RIGHT}\n{statement}\n"


FILES: dict[str, tuple[str | bytes, str, str]] = {
    # what it is: the file, the status, what the reason says
    "a syntax error": ("def path_to(:\n", "not loadable", "line 1: SyntaxError"),
    "mixed tabs and spaces": ("if True:\n\tx = 1\n        y = 2\n", "not loadable", "TabError"),
    "an error at import": ("x = 1\n\ny = 1 / 0\n", "not loadable", "session.py line 3: ZeroDivisionError"),
    "a package that is not there": ("import no_such_package\n", "not loadable", "no_such_package"),
    "sys.exit at import": ("import sys\nsys.exit(0)\n", "not loadable", "exits while it is imported"),
    "an error whose text can't be had": (
        "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd()\n",
        "not loadable",
        "its text can't be had",
    ),
    "control characters in an error": ("raise ValueError('\\x1b[2J\\x07 gone')\n", "not loadable", "[2J"),
    "an empty file": ("", "failed", "has no path_to"),
    "no such function": ("def other(): pass\n", "failed", "session.py has no path_to"),
    "bytes that are no UTF-8": (b"x = '\xff'\n", "not loadable", "utf-8"),
    "UTF-16": ("x = 1\n".encode("utf-16"), "not loadable", "SyntaxError"),
    "NUL bytes": (b"x = 1\0\n", "not loadable", "null bytes"),
    "os._exit in a call": (in_a_call("os._exit(0)"), "exited", "ended the process in test_path_is_the_chain"),
    "os._exit at import": ("import os\nos._exit(0)\n", "exited", "ended the process"),
    "sys.exit in a call": (in_a_call("sys.exit(0)"), "exited", "sys.exit(0)"),
    "KeyboardInterrupt": (in_a_call("raise KeyboardInterrupt"), "exited", "KeyboardInterrupt"),
    "pytest.skip": ("import pytest\n" + in_a_call("pytest.skip()"), "failed", "skipped has not passed"),
    "pytest.xfail": ("import pytest\n" + in_a_call("pytest.xfail()"), "failed", "skipped has not passed"),
    "pytest.exit": ("import pytest\n" + in_a_call("pytest.exit('x', returncode=0)"), "exited", "pytest.exit"),
    "a loop at import": ("while True: pass\n", "timed out", "did not come to an end"),
    "a loop in a call": (in_a_call("while True: pass"), "timed out", "did not come to an end"),
    "a call that sleeps": (in_a_call("time.sleep(1000)"), "timed out", "did not come to an end"),
    "a loop that catches everything": (
        """
        def path_to(entries, leaf_id):
            while True:
                try:
                    while True: sum(range(100))
                except BaseException:
                    continue
        """,
        "timed out",
        "session.py line",
    ),
    "a loop without Python code": (in_a_call("sum(iter(int, 1))"), "timed out", "session.py line 4, in path_to"),
    "a thread that loops": (
        after_right_ones(
            "import threading, time\nthreading.Thread(target=lambda: [time.sleep(1) for _ in range(60)]).start()"
        ),
        "failed",
        "left a thread running",
    ),
    "an exit handler that loops": (
        after_right_ones("import atexit, time\natexit.register(time.sleep, 1000)"),
        "passed",
        "",
    ),
    "50 MB of output": (in_a_call("print('x' * 50_000_000)"), "failed", "more than a run may print or write"),
    "reading the keyboard": (in_a_call("input()"), "failed", "nobody is at the keyboard"),
    "endless recursion": (in_a_call("return path_to(entries, leaf_id)"), "failed", "RecursionError"),
}


def verdict_on(engine: Engine, tree: Path) -> Verdict:
    return engine.run_lab(LAB, tree)


@POSIX
@pytest.mark.timeout(60)
@pytest.mark.parametrize(("source", "status", "reason"), FILES.values(), ids=FILES)
def test_a_file_gets_its_verdict_and_a_reason_in_one_line(
    engine: Engine, tmp_path: Path, source: str | bytes, status: str, reason: str
) -> None:
    verdict = verdict_on(engine, tree_with(tmp_path, source))

    assert verdict.status == status
    assert reason in verdict.reason
    assert "\n" not in verdict.reason
    assert "\x1b" not in verdict.reason
    assert len(verdict.reason) < 500


CRASHES = {
    "a segmentation fault": ("import ctypes\n" + in_a_call("ctypes.string_at(0)"), "SIGSEGV"),
    "an abort": (in_a_call("os.abort()"), "SIGABRT"),
    "a signal to itself": (in_a_call("os.kill(os.getpid(), 9)"), "SIGKILL"),
    "a signal to its group": (in_a_call("os.kill(0, 15)"), "SIGTERM"),
}


@POSIX
@pytest.mark.parametrize(("source", "signal"), CRASHES.values(), ids=CRASHES)
def test_a_crash_is_named(engine: Engine, tmp_path: Path, source: str, signal: str) -> None:
    verdict = verdict_on(engine, tree_with(tmp_path, source))

    assert verdict.status == "crashed"
    assert signal in verdict.reason
    assert "test_path_is_the_chain_of_the_chosen_leaf" in verdict.reason


@LINUX
def test_memory_has_a_limit(tmp_path: Path) -> None:
    with Engine(Limits(memory=2**30)) as engine:
        verdict = verdict_on(engine, tree_with(tmp_path, in_a_call("return bytearray(2**40)")))

    assert (verdict.status, "MemoryError" in verdict.reason) == ("failed", True)


LEAVERS = {
    "a child": "subprocess.Popen(['sleep', '{seconds}'])",
    "a child in a session of its own": "subprocess.Popen(['sleep', '{seconds}'], start_new_session=True)",
    "a grandchild": "subprocess.run(['sh', '-c', 'sleep {seconds} &'])",
}


@LINUX
@pytest.mark.parametrize("statement", LEAVERS.values(), ids=LEAVERS)
def test_no_process_outlives_its_run(engine: Engine, tmp_path: Path, statement: str) -> None:
    seconds = f"300.{os.getpid()}"
    source = after_right_ones(f"import subprocess\n{statement.format(seconds=seconds)}")

    verdict = verdict_on(engine, tree_with(tmp_path, source))

    assert (verdict.status, "left a process running: sleep" in verdict.reason) == ("failed", True)
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(seconds.encode() in command for command in running)


FINE = {
    "a BOM": b"\xef\xbb\xbf" + RIGHT.encode(),
    "CRLF": RIGHT.replace("\n", "\r\n").encode(),
    "tabs": RIGHT.replace("    ", "\t").encode(),
}


@pytest.mark.parametrize("source", FINE.values(), ids=FINE)
def test_a_right_file_passes_whatever_its_form(engine: Engine, tmp_path: Path, source: bytes) -> None:
    assert verdict_on(engine, tree_with(tmp_path, source)).status == "passed"


@pytest.mark.parametrize("name", ["with spaces", "alice[1]", "Zoë 道", "50% {x}", "o'brien"])
def test_a_right_file_passes_whatever_its_folder(engine: Engine, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert verdict_on(engine, tree_with(folder, RIGHT)).status == "passed"


@pytest.mark.parametrize("name", ["conftest.py", "pytest.py", "json.py", "copy.py", "sitecustomize.py", "pytest.ini"])
def test_what_lies_beside_a_file_is_not_used(engine: Engine, tmp_path: Path, name: str) -> None:
    tree = tree_with(tmp_path, RIGHT)
    for folder in (tree, tree / LAB.folder):
        (folder / name).write_text("raise RuntimeError('this file must not be used')")

    assert verdict_on(engine, tree).status == "passed"


def test_bytecode_is_not_used(engine: Engine, tmp_path: Path) -> None:
    tree = tree_with(tmp_path, RIGHT)
    source = tree / LAB.folder / "session.py"
    before = source.stat()
    assert verdict_on(engine, tree).status == "passed"
    source.write_text(RIGHT.replace("reversed(reverse_path)", "         reverse_path "), "utf-8")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))  # the same time and the same size as before

    assert source.stat().st_size == before.st_size
    assert verdict_on(engine, tree).status == "failed"


@pytest.mark.parametrize("kind", ["absent", "a folder", "a dangling link"])
def test_a_missing_file_is_named(engine: Engine, tmp_path: Path, kind: str) -> None:
    tree = tree_with(tmp_path, RIGHT)
    source = tree / LAB.folder / "session.py"
    source.unlink()
    if kind == "a folder":
        source.mkdir()
    if kind == "a dangling link":
        source.symlink_to(tmp_path / "nowhere")

    verdict = verdict_on(engine, tree)

    assert verdict.status == "missing"
    assert "session.py" in verdict.reason
    assert "reset 10.1" in verdict.reason


def test_what_a_red_test_printed_is_shown_and_cut(engine: Engine, tmp_path: Path) -> None:
    source = in_a_call("print('seen', leaf_id); print('y' * 100_000); return []")

    red = verdict_on(engine, tree_with(tmp_path, source)).first_red()

    assert red is not None
    assert red.printed.startswith("seen r\nyyy")
    assert len(red.printed) < 3_000


@pytest.mark.timeout(60)
def test_a_loop_in_the_queue_is_a_loop(engine: Engine, tmp_path: Path) -> None:
    lab = find_lab("10.3")
    shutil.copytree(ROOT / "solutions", tmp_path / "tree")
    source = tmp_path / "tree" / lab.folder / "session.py"
    looping = source.read_text("utf-8").replace(
        "            check_place(snapshot,", "            while True: pass\n            ("
    )
    source.write_text(looping, "utf-8")

    verdict = engine.run_lab(lab, tmp_path / "tree")

    assert verdict.status == "timed out"
    assert re.search(r"session\.py line \d+, in commit", str(verdict.first_red()))


def test_one_run_leaves_nothing_to_the_next(engine: Engine, tmp_path: Path) -> None:
    vandal = (
        "import builtins, json, os, sys\nbuiltins.len = None\njson.dumps = None\nsys.path.clear()\nos.environ.clear()\n"
    )
    (tmp_path / "one").mkdir()
    verdict_on(engine, tree_with(tmp_path / "one", vandal))

    assert verdict_on(engine, tree_with(tmp_path, RIGHT)).status == "passed"


def test_forged_reports_do_not_disturb_the_grader(engine: Engine, tmp_path: Path) -> None:
    lines = ["[]", "{}", "null", '{"event": 5}', '{"event": "ended"}', '{"event": "done", "job": 1}', "\\xff"]
    junk = "\\n".join(lines) + "\\n"
    source = f"""
        import os
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b'''{junk}''')
            except OSError:
                pass
        os._exit(0)
    """
    assert verdict_on(engine, tree_with(tmp_path, source)).status == "exited"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("source", [RIGHT, in_a_call("while True: pass"), "import os\nos._exit(0)\n"])
def test_a_system_without_fork_gets_the_same_verdicts(tmp_path: Path, engine: Engine, source: str) -> None:
    tree = tree_with(tmp_path, source)
    with Engine(Limits(seconds_a_test=2), fork=False) as other:
        verdicts = [other.run_lab(LAB, tree) for _ in range(2)]

    assert [verdict.status for verdict in verdicts] == [verdict_on(engine, tree).status] * 2


def test_a_run_that_ignores_all_limits_is_ended(tmp_path: Path) -> None:
    begin = time.monotonic()
    stopped = "import os, signal\n" + in_a_call("os.kill(os.getpid(), 19)")  # SIGSTOP: no limit inside can act
    with Engine(Limits(seconds=2)) as engine:
        verdict = verdict_on(engine, tree_with(tmp_path, stopped))

    assert verdict.status == "timed out"
    assert time.monotonic() - begin < 15


def test_changed_tests_are_the_graders_own_fault(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scaffold.course.ROOT", tmp_path)
    monkeypatch.setattr("scaffold.grading.engine.ROOT", ROOT)
    with pytest.raises(GraderError, match="restore the course's test file"):
        verdict_on(engine, tree_with(tmp_path, RIGHT))

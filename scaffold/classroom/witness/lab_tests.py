"""The lab's own tests in the sandbox: collected once by the worker, run in a fork for each submission.

Pytest collects them, and each is called here. Its own way of running a test, with hooks and fixtures, takes twice as
long as all the lab tests together, and they need none of it but two fixtures. A test that needs more is refused.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import tempfile
import threading
import unittest
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import monotonic  # whoever replaces it in its module replaces it in vain
from types import FrameType
from typing import Any

import pytest

from scaffold.course import LABS, ROOT, Lab
from scaffold.grading.events import Report
from scaffold.grading.failure import NotLoadableError
from scaffold.grading.reporter import Reporter, redirect
from scaffold.grading.tree import LoadedLab, Tree
from scaffold.grading.verdict import GraderError

SECONDS = 5  # for one test, as in a student's own runs
_GRACE = 2  # more seconds, after which a test is ended that does not even let Python stop it
_ARM_EVERY = 1  # seconds: arming starts a thread, which takes as long as many a test
_NOT_NEEDED = ("logging", "faulthandler", "junitxml", "cacheprovider", "threadexception")
_FIXTURES = {"session", "tmp_path"}  # which are made here
_BEHIND_THEM = {"loaded", "pytestconfig", "request", "tmp_path_factory", "tree"}  # which are not needed for it
_MARKS = {"parametrize", *(lab.folder for lab in LABS)}
_SKIPPED = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)


def arguments(labs: Sequence[Lab]) -> list[str]:
    """Return the arguments for pytest to collect the tests of these labs."""
    options = [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}", f"--confcutdir={ROOT / 'tests'}"]
    options += ["--override-ini=addopts=", "-qq", "--no-header", "--no-summary", "--capture=no", "--tree=."]
    for plugin in ("scaffold.grading.options", "pytest_timeout", *(f"no:{name}" for name in _NOT_NEEDED)):
        options += ["-p", plugin]
    return [*options, *(os.path.relpath(lab.test_file, ROOT) for lab in labs)]


@dataclass(frozen=True)
class LabTests:
    """The tests of a lab. Raises GraderError for one that needs more of pytest than is done here."""

    lab: Lab
    items: Sequence[pytest.Function]

    def __post_init__(self) -> None:
        for item in self.items:
            needs = {mark.name for mark in item.iter_markers() if not _is_idle(mark)} - _MARKS
            needs |= set(item.fixturenames) - _FIXTURES - _BEHIND_THEM - _parameters(item).keys()
            if needs:
                raise GraderError(f"{item.nodeid} needs {', '.join(sorted(needs))}; class grading can't give it that")

    def run(self, tree: Tree, send: Report, printed: Path) -> None:
        """Run them on a tree, in a process that has no other purpose, and report each."""
        send.send("collected", tests=[item.name for item in self.items])
        dump = os.dup(2)  # what Python itself has to say of an end is no part of what is printed
        redirect(printed)
        run = _Run(_Given(self.lab, tree), Reporter(send, printed, stop_at_timeout=True), dump)
        threads = set(threading.enumerate())
        with contextlib.suppress(KeyboardInterrupt, SystemExit, pytest.exit.Exception):  # what it left out tells all
            run.do(self.items)
        send.send("done", threads=[thread.name for thread in threading.enumerate() if thread not in threads])

    def pass_on(self, tree: Tree, seconds: float) -> bool:
        """Tell whether all of them pass on a tree, and leave no thread behind. After so many seconds, one fails.

        Nothing is reported, and the first that fails is the last.
        """
        given = _Given(self.lab, tree)
        threads = set(threading.enumerate())
        try:
            with _limited(seconds), warnings.catch_warnings(record=True):
                for item in self.items:
                    item.funcargs = given.to(item)
                    item.runtest()
        except BaseException:
            return False
        return set(threading.enumerate()) <= threads


class _Given:
    """What the tests of a lab are given: the lab's `session.py`, loaded once, and each a folder of its own."""

    def __init__(self, lab: Lab, tree: Tree) -> None:
        self._lab = lab
        self._tree = tree
        self._loaded: LoadedLab | NotLoadableError | None = None
        self._folder: Path | None = None  # made when the first test needs it
        self._numbers = count()

    def to(self, item: pytest.Function) -> dict[str, Any]:
        """Return the arguments of a test. Raises NotLoadableError."""
        given = dict(_parameters(item))
        if "session" in item.fixturenames:
            given["session"] = self._session()
        if "tmp_path" in item.fixturenames:
            self._folder = self._folder or _new_folder(Path(tempfile.gettempdir()).resolve())
            given["tmp_path"] = self._folder / f"{item.originalname}-{next(self._numbers)}"
            given["tmp_path"].mkdir()
        return given

    def _session(self) -> LoadedLab:
        if self._loaded is None:
            try:
                self._loaded = self._tree.load(self._lab)
            except NotLoadableError as error:
                self._loaded = error
        if isinstance(self._loaded, NotLoadableError):
            raise self._loaded.with_traceback(None)  # or else it would grow with each test
        return self._loaded


class _Run:
    """One run of some tests, of which each is reported."""

    def __init__(self, given: _Given, reporter: Reporter, dump: int) -> None:
        self._given = given
        self._reporter = reporter
        self._dump = dump
        self._armed = float("-inf")
        faulthandler.enable(dump)

    def do(self, items: Sequence[pytest.Function]) -> None:
        """Run the tests, one after the other, until one reaches its limit."""
        for item in items:
            self._arm()
            self._reporter.started(item.name)
            os.environ["PYTEST_CURRENT_TEST"] = f"{item.nodeid} (call)"  # as pytest has it
            try:
                with _limited(SECONDS), warnings.catch_warnings(record=True):
                    item.funcargs = self._given.to(item)
                    item.runtest()
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except _SKIPPED:
                self._reporter.skipped(item.name)
            except BaseException as error:
                if self._reporter.failed(item.name, error):
                    return
            else:
                self._reporter.passed(item.name)

    def _arm(self) -> None:
        """Let Python end this process if a test hangs so that no signal reaches it."""
        now = monotonic()
        if now - self._armed >= _ARM_EVERY:
            faulthandler.dump_traceback_later(SECONDS + _GRACE + _ARM_EVERY, exit=True, file=self._dump)
            self._armed = now


def _new_folder(parent: Path) -> Path:
    """Make a folder that was not there. The same run has the same one again: its name may be part of a message."""
    for number in count():
        with contextlib.suppress(FileExistsError):
            folder = parent / f"tests-{number}"
            folder.mkdir()
            return folder
    raise AssertionError


def _is_idle(mark: pytest.Mark) -> bool:
    """Tell whether a mark skips a test elsewhere, and not here."""
    return mark.name == "skipif" and mark.args == (False,)


def _parameters(item: pytest.Function) -> Mapping[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Let the test fail when its time is up."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"stopped after {seconds:g} s: it did not come to an end", pytrace=False)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

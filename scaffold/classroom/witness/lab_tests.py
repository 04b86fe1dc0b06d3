"""The lab's own tests in the sandbox: collected once by the worker, run in a fork for each submission."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from scaffold.course import ROOT, Lab
from scaffold.grading.events import Report
from scaffold.grading.reporter import Reporter, redirect

SECONDS = 5  # for one test, as in a student's own runs
_GRACE = 2  # more seconds, after which a test is ended that does not even let Python stop it
_NOT_NEEDED = ("logging", "faulthandler", "junitxml", "cacheprovider", "threadexception")


def arguments(labs: Sequence[Lab]) -> list[str]:
    """Return the arguments for pytest to collect the tests of these labs."""
    options = [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}", f"--confcutdir={ROOT / 'tests'}"]
    options += [
        "--override-ini=addopts=",
        "-qq",
        "--no-header",
        "--no-summary",
        "--tb=no",
        "--capture=no",
        f"--timeout={SECONDS}",
        "--tree=.",
    ]
    for plugin in ("scaffold.grading.options", "pytest_timeout", *(f"no:{name}" for name in _NOT_NEEDED)):
        options += ["-p", plugin]
    return [*options, *(os.path.relpath(lab.test_file, ROOT) for lab in labs)]


@dataclass(frozen=True)
class LabTests:
    """The tests of a lab."""

    items: Sequence[pytest.Item]

    def run(self, tree: Path, beneath: Path | None, send: Report, printed: Path) -> None:
        """Run them on a tree, in a process that has no other purpose, and report each."""
        send.send("collected", tests=[item.name for item in self.items])
        dump = os.dup(2)  # what Python itself has to say of an end is no part of what is printed
        redirect(printed)
        config = self.items[0].config
        config.option.tree = str(tree)
        config.option.beneath = str(beneath) if beneath else None
        config.pluginmanager.register(Reporter(send, printed, stop_at_timeout=True))
        threads = set(threading.enumerate())
        with contextlib.suppress(KeyboardInterrupt, SystemExit, pytest.exit.Exception):  # what it left out tells all
            self._run_each(dump)
        send.send("done", threads=[thread.name for thread in threading.enumerate() if thread not in threads])

    def _run_each(self, dump: int) -> None:
        faulthandler.enable(dump)
        for item, following in zip(self.items, [*self.items[1:], None], strict=True):
            faulthandler.dump_traceback_later(SECONDS + _GRACE, exit=True, file=dump)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.shouldstop:
                return

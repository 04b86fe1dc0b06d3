"""What the course's checks of itself share."""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from kit.copies import Course, copy_of_the_course
from kit.jupyterlab import JupyterLab, files_in, jupyterlab_in
from scaffold.course import ROOT
from scaffold.grading.engine import Engine, Limits

if TYPE_CHECKING:
    from playwright.sync_api import Browser


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as after `python -m pytest &`; a child would ignore it, too
    signal.signal(signal.SIGINT, signal.default_int_handler)
collect_ignore = ["hostile"]  # submissions, whatever their names are
_GRACE = 10  # seconds
_ON_REQUEST = {
    "browser": "opens JupyterLab in Chromium, and presses its buttons",
    "sandbox": "grades submissions in the sandbox, on Linux",
    "cluster": "grades submissions on a Dask cluster, on Linux",
}  # the marks of what takes minutes


def pytest_configure(config: pytest.Config) -> None:
    for mark, what in _ON_REQUEST.items():
        config.addinivalue_line("markers", f"{mark}: {what}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what takes minutes, unless `-m` names its mark."""
    for item in items:
        for mark in _ON_REQUEST:
            if item.get_closest_marker(mark) and mark not in config.option.markexpr:
                item.add_marker(pytest.mark.skip(reason=f"it takes minutes; -m {mark} runs it"))


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """An engine for one module: it has a thread, and what makes a jail must have none."""
    with Engine(Limits(seconds_a_test=2, seconds=30)) as ready:
        yield ready


@pytest.fixture
def solutions() -> Path:
    return ROOT / "solutions"


@pytest.fixture
def labs() -> Path:
    return ROOT / "labs"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return copy_of_the_course(tmp_path / "course")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for one module: while it runs, so does an event loop, and that keeps `async` tests from running."""
    from kit.browser import started  # noqa: PLC0415 (Playwright need not be there)

    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def files_before(copied: Course) -> Mapping[str, bytes]:
    """The files of a module's own copy of the course, before JupyterLab opens it."""
    return files_in(copied.root)


@pytest.fixture(scope="module")
def server(copied: Course, files_before: Mapping[str, bytes]) -> Iterator[JupyterLab]:
    """JupyterLab in that copy."""
    assert files_before != {}
    with jupyterlab_in(copied.root, "10.1", "--no-browser") as server:
        yield server


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Put off pytest's own last resort, `faulthandler_timeout`, for a test whose marker allows it more time."""
    if marker := item.get_closest_marker("timeout"):
        stderr = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(marker.args[0] + _GRACE, exit=True, file=stderr)

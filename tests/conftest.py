"""Which tree the tests look at, how they run what is asynchronous, and how they say what is wrong."""

from __future__ import annotations

import inspect
from collections.abc import Generator
from pathlib import Path

import pytest

from scaffold.course import LABS, ROOT, Lab
from scaffold.grading.failure import NotLoadableError, failure_of
from scaffold.grading.tree import LoadedLab, Tree, find_tree

SECONDS = 5  # for one asynchronous test; they take milliseconds


def pytest_configure(config: pytest.Config) -> None:
    for lab in LABS:
        config.addinivalue_line("markers", f"{lab.folder}: lab {lab.number}, {lab.title}")
    if config.getoption("--tree") == "solutions":
        config.addinivalue_line("filterwarnings", "error")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the course's checks of itself to those who ask for them: by name, or by testing the reference."""
    if collection_path.name not in {"kit", "bench"} or collection_path.parent != ROOT / "tests":
        return None
    asked_for = any(collection_path.name in Path(argument).parts for argument in config.args)
    checks_reference = collection_path.name == "kit" and config.getoption("--tree") == "solutions"
    return None if asked_for or checks_reference else True


@pytest.fixture(scope="session")
def tree(pytestconfig: pytest.Config) -> Tree:
    """The tree under test."""
    beneath = pytestconfig.getoption("--beneath")
    return Tree(find_tree(pytestconfig.getoption("--tree")), find_tree(beneath) if beneath else None)


@pytest.fixture(scope="session")
def loaded() -> dict[Lab, LoadedLab | NotLoadableError]:
    """The labs that were loaded already: once for all tests, whether that went well or not."""
    return {}


@pytest.fixture
def session(request: pytest.FixtureRequest, tree: Tree, loaded: dict[Lab, LoadedLab | NotLoadableError]) -> LoadedLab:
    """The lab's `session.py`, as a module: `session.path_to(...)`."""
    lab = next(lab for lab in LABS if request.node.get_closest_marker(lab.folder))
    if lab not in loaded:
        try:
            loaded[lab] = tree.load(lab)
        except NotLoadableError as error:
            loaded[lab] = error
    found = loaded[lab]
    if isinstance(found, NotLoadableError):
        raise found.with_traceback(None)  # or else it would grow with each test
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def` test in an event loop of its own, with a limit."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    import asyncio  # noqa: PLC0415 (a lab without it starts faster)

    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}  # as pytest itself does

    async def limited() -> None:
        limit = asyncio.timeout(SECONDS)
        try:
            async with limit:
                await pyfuncitem.obj(**arguments)
        except TimeoutError:
            if limit.expired():
                pytest.fail(f"after {SECONDS} s something was still awaited that never came", pytrace=False)
            raise

    asyncio.run(limited())
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a failure that speaks for itself without a traceback."""
    report = yield
    if call.excinfo is not None and report.failed:
        failure = failure_of(call.excinfo.value)
        if failure.speaks_for_itself:
            report.longrepr = failure.message
    return report

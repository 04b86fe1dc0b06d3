"""In a real jail: an inmate has the oracle and nothing more, and each lab's own tests are green over stand-ins.

Run as a program, this file is the worker that runs the tests of one lab.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(folder) for folder in (Path(__file__).parents[1], Path(__file__).parents[2])]

import pytest
import pytest_timeout  # noqa: F401 (imported here so that the inmate need not find it)

from kit.jails import IN_A_SANDBOX, WAYS, Way
from scaffold.classroom.oracle import standin
from scaffold.classroom.oracle.oracle import Oracle, connect
from scaffold.classroom.oracle.questions import beneath
from scaffold.classroom.oracle.standin import write_standins
from scaffold.classroom.sandbox import (
    Jail,
    JailEnd,
    JailLimits,
    Session,
    clean_environment,
    python_paths,
)
from scaffold.classroom.sandbox.inmate import Send
from scaffold.course import LABS, REFERENCE, ROOT, Lab, find_lab

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(60)]
assert REFERENCE is not None
TREE: Path = REFERENCE
UPPER = [lab for lab in LABS if lab.needs]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(TREE) as started:
        yield started


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    way.skip_if_it_can_not_be()
    return way


def asks(_scratch: Path, send: Send) -> None:
    send(str(standin.ask(4, "10.2", "number", 5)).encode())
    try:
        standin.ask(4, "10.2", "number", None)
    except ValueError as error:
        send(str(error).encode())


def says_half_and_ends(_scratch: Path, _send: Send) -> None:
    with socket.socket(fileno=4) as end:
        end.send(bytes(9) + b"half")
        os._exit(0)


def lists_descriptors(_scratch: Path, send: Send) -> None:
    for number in range(64):
        try:
            os.fstat(number)
        except OSError:
            continue
        send(str(number).encode())


def run(session: Session, oracle: Oracle, target: Any) -> JailEnd:
    with connect(oracle.descriptor, find_lab("10.5")) as question:
        return session.run(target, question=question.fileno())


def test_inmates_ask_one_after_the_other_whatever_those_before_have_left(way: Way, oracle: Oracle) -> None:
    def work(session: Session) -> bytes:
        ends = [run(session, oracle, target) for target in (asks, says_half_and_ends, asks)]
        return json.dumps([[report.decode() for report in end.reports] for end in ends]).encode()

    answers = ["5", "entry must be a number, not null"]
    assert json.loads(way.session(work)) == [answers, [], answers]


def test_an_inmate_has_a_fifth_descriptor_only_if_it_is_given_one(way: Way, oracle: Oracle) -> None:
    def work(session: Session) -> bytes:
        ends = [run(session, oracle, lists_descriptors), session.run(lists_descriptors), session.run(asks)]
        return json.dumps([[report.decode() for report in end.reports] for end in ends]).encode()

    assert json.loads(way.session(work)) == [["0", "1", "2", "3", "4"], ["0", "1", "2", "3"], []]


@pytest.mark.parametrize("lab", UPPER, ids=lambda lab: lab.number)
def test_the_tests_of_a_lab_are_green_over_stand_ins(oracle: Oracle, lab: Lab, tmp_path: Path) -> None:
    tree, beneath_it = tmp_path / "tree", tmp_path / "beneath"
    shutil.copytree(TREE / lab.folder, tree / lab.folder)
    write_standins(beneath_it, beneath(lab))
    ran = subprocess.run(
        [sys.executable, "-P", __file__, str(oracle.descriptor), lab.number, str(tree), str(beneath_it)],
        pass_fds=[oracle.descriptor],
        env=clean_environment(),
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=50,
    )
    how, outcomes, printed = json.loads(ran.stdout)
    assert (how, {case: outcome for case, outcome in outcomes.items() if outcome != "passed"}) == ("ended", {}), printed
    wanted = {*lab.required_tests, *lab.bonus_tests}
    assert {case.partition("[")[0] for case in outcomes} == wanted


class Reporter:
    """The pytest plugin that notes what becomes of each test."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self.outcomes[report.nodeid.partition("::")[2]] = report.outcome


def work_on(oracle: int, lab: Lab, tree: Path, beneath_it: Path) -> None:
    """Be a worker: run the tests of a lab in a jail, and print what came of them."""

    def target(scratch: Path, send: Send) -> None:
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        reporter = Reporter()
        arguments = [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}", f"--basetemp={scratch / 'tmp'}"]
        plugins = ["-p", "no:cacheprovider", "-p", "pytest_timeout"]
        trees = [f"--tree={tree}", f"--beneath={beneath_it}"]
        pytest.main([*arguments, *plugins, *trees, str(lab.test_file)], plugins=[reporter])
        send(json.dumps(reporter.outcomes).encode())

    def work(session: Session) -> bytes:
        with connect(oracle, lab) as question:
            return session.run(target, question=question.fileno()).to_bytes()

    readable = [ROOT / "pyproject.toml", ROOT / "scaffold", ROOT / "tests", tree, beneath_it, *python_paths()]
    end = JailEnd.from_bytes(Jail(readable, JailLimits(seconds=40)).session(work))
    print(json.dumps([end.how, json.loads(end.reports[0]) if end.reports else {}, end.printed.decode()]))


if __name__ == "__main__":
    work_on(int(sys.argv[1]), find_lab(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))

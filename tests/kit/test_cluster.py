"""Class grading on a Dask cluster: the same results as on one machine, whatever becomes of workers and scheduler."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "distributed", reason="the package distributed is not installed: python -m pip install -e '.[dev,cluster]'"
)
import psutil

from kit.copies import copy_of_the_course
from kit.dask_processes import Processes, below, cluster, free_port, wait_until
from kit.jails import NEEDS_A_SANDBOX
from kit.submission_forms import put
from scaffold.classroom.cluster import crew, on_worker, pool
from scaffold.classroom.cluster.pool import ClusterPool
from scaffold.classroom.grade_class import ClassRun, grade_class
from scaffold.classroom.gradebook import Gradebook
from scaffold.classroom.model import LabResult, Student, Submission
from scaffold.course import REFERENCE
from scaffold.grading.verdict import GraderError

pytestmark = [pytest.mark.cluster, NEEDS_A_SANDBOX, pytest.mark.timeout(60)]
assert REFERENCE is not None
RIGHT = (REFERENCE / "lab_10_1" / "session.py").read_bytes()
POISON = b"# poison"
KILLS_ITS_WORKER = f"""
import os, signal
from scaffold.classroom.cluster import on_worker

rightly = getattr(on_worker.Grader.grade, "rightly", on_worker.Grader.grade)  # Dask may load this twice

def grade(self, files):
    if {POISON!r} in files["lab_10_1"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return rightly(self, files)

grade.rightly = rightly
on_worker.Grader.grade = grade
"""


def submissions(count: int) -> list[Submission]:
    return [Submission(Student(f"s{number}"), {"lab_10_1": RIGHT}) for number in range(count)]


def whole(labs: Sequence[LabResult]) -> bool:
    return all(item.counts for item in labs[0].items)


def class_of(folder: Path, codes: list[bytes], cluster: str | None) -> ClassRun:
    """Make a class, a student for each of these codes, and ask for its grading."""
    assert REFERENCE is not None
    for number, code in enumerate(codes):
        put(folder / "in" / f"s{number}", {"lab_10_1/session.py": code})
    return ClassRun(folder / "in", folder / "report", REFERENCE, seed="one", jobs=2, cluster=cluster)


def exports_of(asked: ClassRun) -> dict[Path, bytes]:
    grade_class(asked)
    files = [path for path in asked.report.rglob("*") if path.is_file() and path.suffix != ".sqlite"]
    assert files
    return {path.relative_to(asked.report): path.read_bytes() for path in files}


def after_each_row(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> list[str]:
    """Do something whenever a row is in the gradebook. Return a list that will have the rows' students."""
    students: list[str] = []
    put_it = Gradebook.put

    def put_and_act(book: Gradebook, student: str, *rest: Any) -> None:
        put_it(book, student, *rest)
        students.append(student)
        action()

    monkeypatch.setattr(Gradebook, "put", put_and_act)
    return students


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Processes]:
    with cluster(tmp_path) as processes:
        yield processes


def grade_all(cluster_pool: ClusterPool, given: list[Submission]) -> dict[str, list[LabResult]]:
    """Grade them, and make sure that none has two results."""
    graded = list(cluster_pool.grade(given))
    assert Counter(each.student.id for each, _ in graded) == {each.student.id: 1 for each in given}
    return {each.student.id: labs for each, labs in graded}


def test_the_exports_are_those_of_one_machine_byte_by_byte_although_a_worker_is_killed(
    dask: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [
        RIGHT,
        RIGHT,
        b"def path_to(entries, leaf_id): return []",
        b"x = (",
        b"import os; os._exit(0)",
        RIGHT,
        RIGHT,
    ]
    here = exports_of(class_of(tmp_path / "here", codes, cluster=None))
    workers = [dask.worker()]

    def kill_the_first() -> None:
        if len(workers) == 1:
            workers[0].kill()
            workers.append(dask.worker())

    kept = after_each_row(monkeypatch, kill_the_first)
    assert exports_of(class_of(tmp_path / "there", codes, cluster=dask.address)) == here
    assert sorted(kept) == [f"s{number}" for number in range(len(codes))]


@pytest.mark.parametrize(
    ("allowed_failures", "workers", "kind"),
    [(0, 3, ["--no-nanny"]), (1000, 1, ["--nanny", "--worker-port", str(free_port())])],
    ids=["Dask gives up at once", "Dask never gives up, and the next worker has the same address"],
)
def test_who_kills_its_worker_twice_has_a_verdict_and_costs_nobody_else_anything(
    tmp_path: Path, allowed_failures: int, workers: int, kind: list[str]
) -> None:
    (tmp_path / "poisoned.py").write_text(KILLS_ITS_WORKER, "utf-8")
    given = submissions(4)
    poison = Submission(Student("poison"), {"lab_10_1": RIGHT + POISON})
    with cluster(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=str(allowed_failures)) as dask:
        for _ in range(workers):
            dask.worker(*kind, "--nthreads", "2", "--preload", str(tmp_path / "poisoned.py"))
        with ClusterPool(dask.address, "seed") as cluster_pool:
            results = grade_all(cluster_pool, [*given[:1], poison, *given[1:]])
    [verdict, *others] = results.pop("poison")
    assert (verdict.status, verdict.reason) == ("crashed", "it ended the cluster's worker that graded it, twice")
    assert {other.status for other in others} == {"missing"}
    assert all(whole(labs) for labs in results.values())


def test_workers_that_are_told_to_end_make_no_suspects(dask: Processes) -> None:
    told = dask.worker("--nthreads", "2", "--nanny")
    given = submissions(8)
    with ClusterPool(dask.address, "seed") as cluster_pool:
        results = cluster_pool.grade(given)
        graded = [next(results)]
        told.terminate()
        dask.worker()
        graded += results
        assert not cluster_pool._schedule._kills
    assert Counter(each.student.id for each, _ in graded) == {each.student.id: 1 for each in given}


def test_a_worker_that_was_silent_for_too_long_and_then_answers_costs_no_row_and_adds_none(
    dask: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "_SILENT", 3.0)
    silent = dask.worker()
    given = submissions(15)
    with ClusterPool(dask.address, "seed") as cluster_pool:
        results = cluster_pool.grade(given)
        graded = [next(results)]
        silent.send_signal(signal.SIGSTOP)
        dask.worker()
        while not cluster_pool._schedule._kills:  # it does not count as dead yet
            graded.append(next(results))
        silent.send_signal(signal.SIGCONT)
        graded += results
    assert Counter(each.student.id for each, _ in graded) == {each.student.id: 1 for each in given}
    assert all(whole(labs) for _, labs in graded)


def test_what_was_made_on_a_worker_is_gone_at_the_end_also_of_a_run_that_is_broken_off(dask: Processes) -> None:
    worker = dask.worker()
    with ClusterPool(dask.address, "seed") as cluster_pool:
        next(cluster_pool.grade(submissions(50)))
        assert below(worker)
    wait_until(lambda: not below(worker))  # and what had been sent to it makes no new ones
    assert [path.name for path in dask.temporary.iterdir() if "dask" not in path.name] == []


def test_graders_without_a_client_are_closed_after_a_while() -> None:
    graders = on_worker.Graders(on_worker.Wanted("run", "seed", True, 20.0, on_worker.versions()), idle=0.1)
    graders.warm_up()
    wait_until(lambda: not psutil.Process().children())
    assert whole(graders.grade({"lab_10_1": RIGHT}))
    wait_until(lambda: not psutil.Process().children())


def test_a_worker_with_another_version_of_the_course_is_not_used(
    dask: Processes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = copy_of_the_course(tmp_path / "other").root
    with (other / "tests" / "test_lab_10_1.py").open("a") as tests:
        tests.write("\n# changed\n")
    dask.worker(course=other)
    with pytest.raises(GraderError, match=r"tcp://127.*: another version of the course is installed in .*other"):
        ClusterPool(dask.address, "seed").__enter__()
    dask.worker()
    dask.wait_for_workers(2)
    with ClusterPool(dask.address, "seed") as cluster_pool:
        results = grade_all(cluster_pool, submissions(2))
    assert all(whole(labs) for labs in results.values())
    assert "is not used: another version of the course" in capsys.readouterr().err


def test_without_workers_there_is_an_error_that_says_how_to_start_one(
    dask: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "_PATIENCE", 0.5)
    with pytest.raises(GraderError, match=rf"no worker of {dask.address} was able .* dask worker {dask.address}"):
        ClusterPool(dask.address, "seed").__enter__()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1", "nonsense://x:1"])
def test_without_a_scheduler_there_is_an_error_that_names_the_address(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(pool, "_CONNECT", 0.5)
    with pytest.raises(GraderError, match=f"no Dask scheduler answers at {address} .* dask scheduler"):
        ClusterPool(address, "seed").__enter__()


def test_without_certificates_there_is_an_error_that_says_so() -> None:
    with pytest.raises(GraderError, match=r"tls://127.0.0.1:9 needs certificates"):
        ClusterPool("tls://127.0.0.1:9", "seed").__enter__()


def test_a_scheduler_that_is_there_and_says_nothing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_CONNECT", 0.5)
    dask = Processes(tmp_path)
    try:
        dask.scheduler().send_signal(signal.SIGSTOP)
        with pytest.raises(GraderError, match=f"no Dask scheduler answers at {dask.address}"):
            ClusterPool(dask.address, "seed").__enter__()
    finally:
        dask.end()


def test_after_the_loss_of_all_workers_the_same_command_goes_on_where_it_stopped(
    dask: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = class_of(tmp_path, [RIGHT] * 4, cluster=dask.address)
    worker = dask.worker()

    def kill() -> None:
        worker.kill()
        monkeypatch.setattr(crew, "_PATIENCE", 0.5)

    with monkeypatch.context() as during_the_first_run:
        kept = after_each_row(during_the_first_run, kill)
        with pytest.raises(GraderError, match=r"for 0.5 s no worker .* what is graded is kept: start workers"):
            grade_class(asked)
    assert 1 <= len(kept) < 4
    monkeypatch.setattr(crew, "_PATIENCE", 60)
    dask.worker()
    kept += after_each_row(monkeypatch, lambda: None)
    report = grade_class(asked)
    assert all(whole(row.labs) for row in report.rows)


def test_when_the_scheduler_is_lost_there_is_an_error_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_CONNECT", 1.0)
    dask = Processes(tmp_path)
    try:
        scheduler = dask.scheduler()
        dask.worker()
        with ClusterPool(dask.address, "seed") as cluster_pool:
            results = cluster_pool.grade(submissions(50))
            next(results)
            scheduler.kill()
            with pytest.raises(GraderError, match=f"connection to the scheduler {dask.address} is lost"):
                list(results)
    finally:
        dask.end()


def test_without_the_package_there_is_an_error_that_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(GraderError, match=r"pip install -e '.\[cluster\]'"):
        grade_class(class_of(tmp_path, [RIGHT], cluster="tcp://127.0.0.1:9"))

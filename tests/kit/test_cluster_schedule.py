"""Who grades what next on a cluster: each submission has one result, whatever happens to the workers."""

from __future__ import annotations

import random

import pytest

from scaffold.classroom.cluster.schedule import FAILURES, KILLS, LOSSES, Schedule


def all_of(schedule: Schedule, worker: str, threads: int = 1, others: int = 0) -> list[int]:
    taken = []
    while (number := schedule.take(worker, threads, others=others)) is not None:
        taken.append(number)
    return taken


def test_a_worker_gets_one_more_for_each_thread_while_there_is_plenty() -> None:
    schedule = Schedule(100)
    assert all_of(schedule, "a", threads=2, others=1) == [0, 1, 2, 3]
    assert all_of(schedule, "b", threads=1, others=2) == [4, 5]


def test_nobody_has_one_waiting_when_others_could_run_it() -> None:
    schedule = Schedule(3)
    assert all_of(schedule, "a", threads=2, others=2) == [0, 1]
    assert all_of(schedule, "b", threads=2, others=2) == [2]


def test_it_is_over_when_each_has_its_result() -> None:
    schedule = Schedule(2)
    for number in all_of(schedule, "a", threads=2):
        assert schedule.open
        schedule.done(number, "a")
    assert schedule.open == 0
    assert all_of(schedule, "a") == []


def test_what_was_on_a_worker_that_died_is_run_again_after_the_others_and_alone() -> None:
    schedule = Schedule(5)
    assert all_of(schedule, "a", threads=2) == [0, 1, 2]
    assert schedule.died("a") == []
    assert all_of(schedule, "b", threads=2) == [3, 4]
    schedule.done(3, "b")
    assert all_of(schedule, "b", threads=2) == []
    schedule.done(4, "b")
    for suspect in (0, 1, 2):
        assert all_of(schedule, "b", threads=2) == [suspect]
        schedule.done(suspect, "b")
    assert schedule.open == 0


def test_one_that_kills_its_worker_twice_is_given_up_and_the_one_beside_it_is_not() -> None:
    assert KILLS == 2
    schedule = Schedule(2)
    assert all_of(schedule, "a", threads=2) == [0, 1]
    assert schedule.died("a") == []
    assert all_of(schedule, "b", threads=2) == [0]
    assert schedule.died("b") == [0]
    assert all_of(schedule, "c", threads=2) == [1]
    schedule.done(1, "c")
    assert schedule.open == 0


def test_who_leaves_when_told_to_makes_no_suspects() -> None:
    schedule = Schedule(2)
    for _ in range(LOSSES - 1):
        assert all_of(schedule, "a", threads=2) == [0, 1]
        assert schedule.left("a") == []
    assert all_of(schedule, "a", threads=2) == [0, 1]
    assert schedule.left("a") == [0, 1]
    assert schedule.open == 0


def test_what_a_worker_could_not_grade_goes_to_another_one() -> None:
    assert FAILURES == 2
    schedule = Schedule(1)
    assert schedule.take("a", 1, others=1) == 0
    assert not schedule.failed(0, "a")
    assert schedule.take("a", 1, others=1) is None
    assert schedule.take("b", 1, others=1) == 0
    assert schedule.failed(0, "b")
    assert schedule.open == 0


def test_where_there_is_no_other_worker_the_same_one_tries_again() -> None:
    schedule = Schedule(1)
    assert schedule.take("a", 1, others=0) == 0
    assert not schedule.failed(0, "a")
    assert schedule.take("a", 1, others=0) == 0


@pytest.mark.parametrize("seed", range(50))
def test_whatever_happens_each_submission_has_one_result(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 (no secret)
    schedule = Schedule(30)
    threads = {"a": 1, "b": 2, "c": 3}
    at: dict[int, str] = {}
    ended: list[int] = []
    while schedule.open:
        for worker, count in threads.items():
            for number in all_of(schedule, worker, count, others=6 - count):
                assert number not in at
                at[number] = worker
        assert at  # or else it would wait for ever
        number, worker = chance.choice(sorted(at.items()))
        what = chance.choice(["done", "done", "failed", "lost", "died", "left"])
        if what in {"died", "left"}:
            ended += schedule.died(worker) if what == "died" else schedule.left(worker)
            at = {each: where for each, where in at.items() if where != worker}
            continue
        del at[number]
        if what == "done":
            schedule.done(number, worker)
            ended.append(number)
        elif schedule.failed(number, worker) if what == "failed" else schedule.lost(number, worker):
            ended.append(number)
    assert sorted(ended) == list(range(30))

"""Grades many submissions at once on a Dask cluster. It takes the place of `LocalPool`."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self

import dask
from dask.typing import Key
from distributed import Client

from scaffold.classroom.cluster.crew import Crew, DiedError, LostError, Place
from scaffold.classroom.cluster.limit import within
from scaffold.classroom.cluster.on_worker import Failed, Wanted, grade, versions
from scaffold.classroom.cluster.schedule import Schedule
from scaffold.classroom.model import LabResult, Status, Submission
from scaffold.classroom.witness.job import SECONDS
from scaffold.classroom.witness.results import not_run
from scaffold.course import LABS
from scaffold.grading.failure import one_line
from scaffold.grading.verdict import GraderError

_CONNECT = 10.0  # seconds that the scheduler gets to answer, at the start and after a break
_CLOSE = 5.0
_KILLED: tuple[Status, str] = "crashed", "it ended the cluster's worker that graded it, twice"
_LOST: tuple[Status, str] = "grader error", "the cluster lost it again and again"

Graded = tuple[Submission, list[LabResult]]


@dataclass(frozen=True)
class _Attempt:
    number: int  # of the submission
    place: Place


class ClusterPool:
    """Use it in a `with` block, for one class.

    Raises GraderError at the start if the scheduler does not answer or no worker can be used, and later when there has
    been no worker for a while. Whatever else the cluster has to do is left alone.
    """

    def __init__(self, address: str, seed: str, *, sandbox: bool = True, seconds: float = SECONDS) -> None:
        """Say where the scheduler is, and what the exam's seed is. `seconds` are for one run of a lab."""
        self._address = address
        self._wanted = Wanted(secrets.token_hex(8), seed, sandbox, seconds, versions())
        self._submissions: Sequence[Submission] = ()
        self._schedule = Schedule(0)
        self._attempts: dict[Key, _Attempt] = {}  # that are not done, by the keys of their answers

    def __enter__(self) -> Self:
        self._client = _connected(self._address)
        self._crew = Crew(self._client, self._wanted, self._address)
        try:
            self._crew.wait_for_one()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def sandbox(self) -> str:
        """What the workers' sandboxes are made of, in words."""
        return "; or ".join(sorted(self._crew.sandboxes))

    def grade(self, submissions: Sequence[Submission]) -> Iterator[Graded]:
        """Yield the results of each submission as soon as they are there."""
        self._submissions, self._schedule = submissions, Schedule(len(submissions))
        while self._schedule.open:
            for address, died in self._crew.look().items():
                yield from self._gone(address, died=died)
            self._send()
            answer = self._crew.heard()
            attempt = self._attempts.pop(answer.key, None) if answer else None
            if answer and attempt:  # or else it was given up with its worker
                yield from self._outcome(attempt, answer.value)

    def _send(self) -> None:
        """Send the workers what they should have now: in turns, or one could have two while another has none."""
        hungry = able = self._crew.able()
        threads = sum(place.threads for place in able)
        while hungry:
            hungry = [place for place in hungry if self._send_one(place, threads - place.threads)]

    def _send_one(self, place: Place, others: int) -> bool:
        number = self._schedule.take(place.address, place.threads, others=others)
        if number is None:
            return False
        key = self._crew.send(place, grade, self._wanted, place.process, dict(self._submissions[number].files))
        self._attempts[key] = _Attempt(number, place)
        return True

    def _outcome(self, attempt: _Attempt, answer: object) -> Iterator[Graded]:
        number, place = attempt.number, attempt.place
        if isinstance(answer, list):
            place.errors = 0
            self._schedule.done(number, place.address)
            yield self._submissions[number], answer
        elif answer is None or isinstance(answer, DiedError):
            self._crew.forget(place.address)  # somebody else may have that address by now
            yield from self._gone(place.address, died=True)
        elif isinstance(answer, LostError):
            if self._schedule.lost(number, place.address):
                yield self._without_result(number, *_LOST)
        else:
            said = answer.why if isinstance(answer, Failed) else f"{type(answer).__name__}: {answer}"
            why = one_line(f"{place.address} could not grade it ({said})", 500)
            self._crew.blame(place, why)
            if self._schedule.failed(number, place.address):
                yield self._without_result(number, "grader error", why)

    def _gone(self, address: str, *, died: bool) -> Iterator[Graded]:
        """Let others run what was on a worker that is gone, and yield what is not run again."""
        self._attempts = {key: each for key, each in self._attempts.items() if each.place.address != address}
        for number in self._schedule.died(address) if died else self._schedule.left(address):
            yield self._without_result(number, *(_KILLED if died else _LOST))

    def _without_result(self, number: int, status: Status, reason: str) -> Graded:
        """Return a result for each lab of a submission that no worker could bring to its end."""
        given = self._submissions[number]
        return given, [
            not_run(lab, status, reason) if lab.folder in given.files else not_run(lab, "missing") for lab in LABS
        ]

    def _end(self) -> None:
        self._attempts.clear()
        self._crew.close()
        with contextlib.suppress(Exception):  # the scheduler may be gone
            within(_CLOSE, self._client.close)  # and with it goes all that was asked for


def _connected(address: str) -> Client:
    if address.startswith("tls://") and not dask.config.get("distributed.comm.tls.ca-file", None):
        raise GraderError(f"{address} needs certificates: scaffold/classroom/cluster.md says how to name them")
    connect = partial(Client, address, timeout=_CONNECT, set_as_default=False, name="session-tree-labs")
    try:
        return within(2 * _CONNECT, connect)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        why = one_line(str(error) or type(error).__name__, 200)
        raise GraderError(
            f"no Dask scheduler answers at {address} ({why}); start one by dask scheduler, and "
            "name the address that it says it is at, such as tcp://scheduler:8786"
        ) from None

"""The workers of a Dask cluster, as they come and go: who is there, who is fit to grade, and who is there no more."""

from __future__ import annotations

import contextlib
import queue
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from dask.typing import Key
from distributed import Client, Future
from distributed.scheduler import KilledWorker
from tqdm import tqdm

from scaffold.classroom.cluster.limit import within
from scaffold.classroom.cluster.on_worker import Prepared, Wanted, close, prepare
from scaffold.grading.failure import one_line
from scaffold.grading.verdict import GraderError

_EVERY = 0.5  # seconds between two looks at who is there
_ANSWER = 10.0  # seconds that the scheduler gets to say so
_SILENT = 60.0  # seconds without a sign of life, after which a worker counts as dead
_PATIENCE = 60.0  # seconds without anybody who can grade
_NOBODY_ELSE = 3.0  # seconds without a new worker, after which those that are there are all
_CLOSING = 5.0  # seconds that the workers get to close their graders
_ERRORS = 3  # of a worker in a row, after which it gets no more to do
_ENDING = {"closing", "closing_gracefully", "closed"}  # in Dask's words


class DiedError(Exception):
    """The worker's process ended before it could answer."""


class LostError(Exception):
    """An answer, or a call, got lost on its way."""


@dataclass(frozen=True)
class Answer:
    """What came of a call: what it returned; or what it raised, or one of the errors above."""

    key: Key
    value: object


@dataclass
class Place:
    """A worker process. `process` is its name for itself, once it has said that it is fit to grade."""

    address: str
    process: str = ""
    refusal: str = ""
    threads: int = 0
    status: str = ""  # in Dask's words
    errors: int = 0
    seen: float = 0.0  # when the scheduler last heard of it, by the scheduler's clock
    changed: float = 0.0  # when that last changed, by ours

    @property
    def is_able(self) -> bool:
        return bool(self.process) and not self.refusal and self.status == "running" and self.threads > 0


class Crew:
    """Who can grade, now."""

    def __init__(self, client: Client, wanted: Wanted, address: str) -> None:
        self._client = client
        self._wanted = wanted
        self._address = address
        self._places: dict[str, Place] = {}
        self._asked: dict[Key, Place] = {}  # by the keys of the calls
        self._heard: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._looked = -_EVERY
        self._able_at = self._newest = time.monotonic()
        self.sandboxes: set[str] = set()  # of all that were ever able

    def able(self) -> list[Place]:
        """Return those that can grade now."""
        return [place for place in self._places.values() if place.is_able]

    def wait_for_one(self) -> None:
        """Wait until somebody can grade. Raises GraderError if all that are there refuse, or after a while."""
        while not self.able():
            self.look()
            self.heard()
            all_are_here = time.monotonic() - self._newest > _NOBODY_ELSE
            if all_are_here and self._places and all(place.refusal for place in self._places.values()):
                raise GraderError(f"no worker of {self._address} can be used: {self._refusals()}")

    def send(self, place: Place, function: Callable[..., object], *arguments: object) -> Key:
        """Let one worker, and no other, call a function. Return the key of the answer, which will be heard."""
        future = self._client.submit(
            function, *arguments, workers=[place.address], allow_other_workers=False, pure=False, retries=0
        )
        assert self._client.loop is not None
        self._client.loop.add_callback(self._listen, future)
        return future.key

    async def _listen(self, future: Future[Any]) -> None:
        value: object
        try:
            value = await self._client.gather(future, asynchronous=True)
        except KilledWorker:
            value = DiedError()
        except Exception as error:  # whatever the function raised, or the client itself
            value = error if future.status == "error" else LostError()
        self._heard.put(Answer(future.key, value))

    def heard(self) -> Answer | None:
        """Wait for an answer, until it is time to look again."""
        try:
            answer = self._heard.get(timeout=_EVERY)
        except queue.Empty:
            return None
        if answer.key not in self._asked:
            return answer
        self._take_answer(self._asked.pop(answer.key), answer.value)
        return None

    def look(self) -> Mapping[str, bool]:
        """See who is there, if it is time to. Return the addresses of those that are gone, and whether they died.

        One that was told to end has not died. Raises GraderError when nobody could grade for too long, or the
        connection is lost.
        """
        now = time.monotonic()
        if now - self._looked < _EVERY:
            return {}
        self._looked = now
        said = self._who_is_there()
        for address, facts in (said or {}).items():
            self._see(address, facts, now)
        gone = [place for place in self._places.values() if self._is_gone(place, said, now)]
        for place in gone:
            self.forget(place.address)
        self._check_patience(now)
        return {place.address: said is not None and not self._was_told_to_end(place) for place in gone}

    def forget(self, address: str) -> None:
        """Take note that whoever had this address is there no more. If somebody has it now, that is another one."""
        self._places.pop(address, None)

    def blame(self, place: Place, why: str) -> None:
        """Take note that a worker could not do its work."""
        place.errors += 1
        if place.errors >= _ERRORS:
            self._refuse(place, why)

    def close(self) -> None:
        """Let the workers close their graders; not for long, if one does not answer."""
        places = [place.address for place in self._places.values() if not place.refusal]

        if places:
            ask = partial(self._client.run, close, self._wanted.run, workers=places, on_error="ignore")
            with contextlib.suppress(Exception):  # who is gone has closed them, and who is silent will
                within(_CLOSING, ask)

    def _who_is_there(self) -> Mapping[str, dict[str, Any]] | None:
        """Return what the scheduler says of each worker, or None if it does not answer."""
        if self._client.status == "closed":
            raise GraderError(
                f"the connection to the scheduler {self._address} is lost; what is graded is kept: when the scheduler "
                "and its workers are there again, the same command goes on"
            )
        if self._client.status != "running":
            return None
        assert self._client.scheduler is not None
        workers: dict[str, dict[str, Any]] | None = None
        with contextlib.suppress(OSError):  # such as TimeoutError
            workers = self._client.sync(self._client.scheduler.identity, callback_timeout=_ANSWER)["workers"]
        return workers

    def _was_told_to_end(self, place: Place) -> bool:
        """Look it up in the scheduler's log: such as by a batch system whose time is up, or by who made it smaller."""
        assert self._client.scheduler is not None
        log: list[tuple[float, dict[str, Any]]] = []
        with contextlib.suppress(OSError):
            log = self._client.sync(self._client.scheduler.events, topic=place.address, callback_timeout=_ANSWER)
        for _, event in reversed(log):
            if event.get("action") == "add-worker":  # what is before it is about another one
                return False
            if event.get("status") in _ENDING or event.get("expected"):
                return True
        return False

    def _is_gone(self, place: Place, said: Mapping[str, object] | None, now: float) -> bool:
        cut_off = self._client.status != "running"  # and with the connection went all that was asked for
        return cut_off or (said is not None and place.address not in said) or now - place.changed > _SILENT

    def _see(self, address: str, facts: Mapping[str, Any], now: float) -> None:
        place = self._places.get(address)
        if place is None:
            place = self._places[address] = Place(address, changed=now)
            self._newest = now
        place.threads, place.status = facts["nthreads"], facts["status"]
        if facts["last_seen"] != place.seen:
            place.seen, place.changed = facts["last_seen"], now
        asked = any(other is place for other in self._asked.values())
        if not (asked or place.process or place.refusal) and place.status == "running":
            self._asked[self.send(place, prepare, self._wanted)] = place

    def _take_answer(self, place: Place, answer: object) -> None:
        if self._places.get(place.address) is not place or isinstance(answer, DiedError | LostError):
            return  # it is gone, or will be asked again
        if not isinstance(answer, Prepared):
            self._refuse(place, one_line(f"it can't prepare itself ({type(answer).__name__}: {answer})", 500))
        elif answer.refusal:
            self._refuse(place, answer.refusal)
        else:
            place.process = answer.process
            self.sandboxes.add(answer.sandbox)

    def _refuse(self, place: Place, why: str) -> None:
        place.refusal = why
        tqdm.write(f"{place.address} is not used: {why}", file=sys.stderr)

    def _check_patience(self, now: float) -> None:
        if self.able():
            self._able_at = now
        elif now - self._able_at > _PATIENCE:
            raise GraderError(
                f"for {_PATIENCE:g} s no worker of {self._address} was able to grade"
                f"{f' ({refusals})' if (refusals := self._refusals()) else ''}; what is graded is kept: start workers, "
                f"such as by dask worker {self._address} --nthreads 1, and the same command goes on"
            )

    def _refusals(self) -> str:
        return "; ".join(f"{place.address}: {place.refusal}" for place in self._places.values() if place.refusal)

"""A queue of asynchronous jobs: first in, first out, one at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")

# The event loop holds its tasks weakly. Without this, a worker that waits could be collected in mid-job.
_workers: set[asyncio.Task[None]] = set()


class JobStoppedError(Exception):
    """The queue was stopped before this job was finished, as when its event loop shuts down."""


class Fifo:
    """Runs jobs strictly in the order in which they were submitted.

    `submit` is a plain function: the job has its place in the queue when the call returns, whether or not anybody
    awaits the future. Cancelling that future stops the waiting, never the job. A job that fails has no effect on the
    next one, and nobody has to look at its error. A job must not wait for a later job of the same queue.

    One event loop, one thread. `asyncio.run` cancels what is still queued when its main function returns, so await
    the last future, or `drain()`, before that.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Callable[[], Awaitable[Any]], asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    def submit(self, job: Callable[[], Awaitable[T]]) -> asyncio.Future[T]:
        """Queue a job, and return the future of its result. Raises RuntimeError without a running event loop."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[T] = loop.create_future()
        self._waiting.append((job, outcome))
        if self._worker is None or self._worker.done():
            self._worker = loop.create_task(self._work())
            _workers.add(self._worker)
            self._worker.add_done_callback(self._stopped)
        return outcome

    async def drain(self) -> None:
        """Wait until all that is queued now has been run."""

        async def nothing() -> None:
            pass

        await self.submit(nothing)

    async def _work(self) -> None:
        while self._waiting:
            await _run(*self._waiting.popleft())

    def _stopped(self, worker: asyncio.Task[None]) -> None:
        _workers.discard(worker)
        if worker is not self._worker:
            return
        while self._waiting:
            _, outcome = self._waiting.popleft()
            _fail(outcome, JobStoppedError("the queue was stopped before this job began"))


def failed(error: Exception) -> asyncio.Future[Any]:
    """Return a future that has already failed, for what can be refused without queueing."""
    outcome: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    _fail(outcome, error)
    return outcome


async def _run(job: Callable[[], Awaitable[T]], outcome: asyncio.Future[T]) -> None:
    worker = asyncio.current_task()
    assert worker is not None
    try:
        result = await job()
    except Exception as error:
        _fail(outcome, error)
    except BaseException as error:
        # Handed on as it is, a CancelledError would tell the caller that the *caller* was cancelled.
        stopped = JobStoppedError("this job was stopped before it was finished")
        stopped.__cause__ = error
        _fail(outcome, stopped)
        if not isinstance(error, asyncio.CancelledError):
            raise
    else:
        if not outcome.done():  # the caller may have cancelled it
            outcome.set_result(result)
    if worker.cancelling():
        raise asyncio.CancelledError  # also where the job swallowed the cancellation


def _fail(outcome: asyncio.Future[Any], error: Exception) -> None:
    if isinstance(error, StopIteration):  # which no future can hold
        error = RuntimeError(f"a job raised {error!r}")
    if not outcome.done():
        outcome.set_exception(error)
        outcome.exception()  # what was looked at once is not logged as "never retrieved"; whoever awaits still gets it

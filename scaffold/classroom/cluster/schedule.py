"""Who grades what next on a cluster, and what is thought of a submission whose worker dies. It knows nothing of Dask.

Whoever was on a worker that died is a suspect, and is run again alone: no other submission is on the same worker then.
So one that was there by chance has its row, and one that kills its worker again has shown that nobody else did it.
"""

from __future__ import annotations

from collections import Counter, deque

KILLS = 2  # of its worker, after which a submission is not run again
FAILURES = 2  # of a worker to grade it; the second time on another one, where there is one
LOSSES = 5  # that were nobody's fault
_AHEAD = 2  # for each thread of a worker, so that it need not wait for the next one


class Schedule:
    """The submissions of a class, by their numbers from 0 on, and where each of them is."""

    def __init__(self, count: int) -> None:
        self.open = count  # how many have no result yet
        self._waiting = deque(range(count))
        self._suspects: deque[int] = deque()
        self._at: dict[str, set[int]] = {}
        self._kills: Counter[int] = Counter()
        self._losses: Counter[int] = Counter()
        self._failed_at: dict[int, list[str]] = {}

    def take(self, worker: str, threads: int, *, others: int) -> int | None:
        """Return the number of the submission that a worker should get now, or None. `others` are all other threads."""
        here = self._at.setdefault(worker, set())
        if any(self._kills[number] for number in here):
            return None
        plenty = len(self._waiting) > threads + others  # or else one might wait here, and another worker be idle
        if len(here) < threads * (_AHEAD if plenty else 1):
            number = self._next_for(worker, alone=not here, others=others)
            if number is not None:
                here.add(number)
            return number
        return None

    def _next_for(self, worker: str, *, alone: bool, others: int) -> int | None:
        for number in self._waiting:
            if not others or worker not in self._failed_at.get(number, ()):
                self._waiting.remove(number)
                return number
        return self._suspects.popleft() if alone and self._suspects else None

    def done(self, number: int, worker: str) -> None:
        """Take note of a result."""
        self._at[worker].discard(number)
        self.open -= 1

    def failed(self, number: int, worker: str) -> bool:
        """Take note that a worker could not grade a submission. Return whether it is given up, which is a result."""
        failed_at = self._failed_at.setdefault(number, [])
        failed_at.append(worker)
        return self._again(number, worker, give_up=len(failed_at) >= FAILURES)

    def lost(self, number: int, worker: str) -> bool:
        """Take note that a submission was lost, without a fault of its own. Return whether it is given up."""
        self._losses[number] += 1
        return self._again(number, worker, give_up=self._losses[number] >= LOSSES)

    def died(self, worker: str) -> list[int]:
        """Take note of a worker's death. Return which submissions have killed their worker once too often."""
        killers = []
        for number in sorted(self._at.pop(worker, ())):
            self._kills[number] += 1
            if self._again(number, worker, give_up=self._kills[number] >= KILLS):
                killers.append(number)
        return killers

    def left(self, worker: str) -> list[int]:
        """Take note of a worker that was told to end. Return which submissions are given up."""
        return [number for number in sorted(self._at.pop(worker, ())) if self.lost(number, worker)]

    def _again(self, number: int, worker: str, *, give_up: bool) -> bool:
        self._at.get(worker, set()).discard(number)
        if give_up:
            self.open -= 1
        else:  # after the others: should its worker be at fault, that will show until then
            (self._suspects if self._kills[number] else self._waiting).append(number)
        return give_up

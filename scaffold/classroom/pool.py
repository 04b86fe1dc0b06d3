"""Grades many submissions at once on this machine: some graders, each in a thread, each with a worker of its own."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack
from typing import Self

from scaffold.classroom.model import LabResult, Submission
from scaffold.classroom.witness.grader import Grader


class LocalPool:
    """Use it in a `with` block. `make_grader` makes each of its graders; see there what is raised at the start.

    The block ends at once, whatever is still being graded.
    """

    def __init__(self, make_grader: Callable[[], Grader], jobs: int) -> None:
        self._graders = [make_grader() for _ in range(jobs)]
        self._stack = ExitStack()
        self._executor = ThreadPoolExecutor(jobs)
        self.sandbox = ""  # in words, once it is there

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for grader in self._graders:
                stack.push(grader)
            starts = [self._executor.submit(grader.__enter__) for grader in self._graders]  # each takes half a second
            wait(starts)
            for start in starts:
                start.result()
            self._stack = stack.pop_all()
        self.sandbox = self._graders[0].made_of
        return self

    def __exit__(self, *_: object) -> None:
        for grader in self._graders:
            grader.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._stack.close()

    def grade(self, submissions: Sequence[Submission]) -> Iterator[tuple[Submission, list[LabResult]]]:
        """Yield the results of each submission as soon as they are there."""
        idle: queue.SimpleQueue[Grader] = queue.SimpleQueue()
        for grader in self._graders:
            idle.put(grader)

        def grade(submission: Submission) -> list[LabResult]:
            grader = idle.get()
            try:
                return grader.grade(submission.files)
            finally:
                idle.put(grader)

        waiting = {self._executor.submit(grade, submission): submission for submission in submissions}
        for done in as_completed(waiting):
            yield waiting[done], done.result()

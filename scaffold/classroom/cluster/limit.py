"""A limit for calls that have none: Dask's client waits for ever for a scheduler that is there and says nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, action: Callable[[], T]) -> T:
    """Return what an action returns, or raise what it raises. Raises TimeoutError if it takes longer; it goes on then.

    It is done in a thread that keeps no process from its end.
    """
    done: Future[T] = Future()

    def act() -> None:
        try:
            done.set_result(action())
        except BaseException as error:  # raised again by whoever waits
            done.set_exception(error)

    threading.Thread(target=act, daemon=True).start()
    return done.result(timeout=seconds)

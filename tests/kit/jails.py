"""The ways to lock somebody in that tests go through, and what they put into jails."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from scaffold.classroom.sandbox import Jail, JailEnd, JailLimits, Mechanisms, Session, available, is_enough
from scaffold.classroom.sandbox.inmate import Send, Target
from scaffold.classroom.sandbox.kernel import die_with_parent
from scaffold.classroom.sandbox.users import become, is_root

MIB = 2**20
A_USER = 54321  # whom nobody knows
READABLE = [Path("/usr/lib")]
LIMITS = JailLimits(seconds=5, cpu_seconds=3, memory=128 * MIB, processes=8, reports=MIB, printed=64 * 1024)


@dataclass(frozen=True)
class Way:
    """One way to be locked in. As a user, the worker is one too."""

    name: str
    change: Callable[[Mechanisms], Mechanisms]
    as_user: bool = False

    def session(self, work: Callable[[Session], bytes], limits: JailLimits = LIMITS) -> bytes:
        if self.as_user and is_root():
            return in_a_child(lambda: self._session(work, limits))
        return self._session(work, limits)

    def run(
        self, target: Target, limits: JailLimits = LIMITS, collect: Callable[[Path], bytes] | None = None
    ) -> JailEnd:
        if self.as_user and is_root():
            return JailEnd.from_bytes(in_a_child(lambda: self._jail(limits).run(target, collect).to_bytes()))
        return self._jail(limits).run(target, collect)

    def _session(self, work: Callable[[Session], bytes], limits: JailLimits) -> bytes:
        return self._jail(limits).session(work, seconds=30)

    def _jail(self, limits: JailLimits) -> Jail:
        found = available.__wrapped__() if self.as_user else available()
        return Jail(READABLE, limits, mechanisms=self.change(found))

    def skip_if_it_can_not_be(self) -> None:
        if not self.as_user and not is_root():
            pytest.skip("needs root")
        if not is_enough(self.change(available())):
            pytest.skip(f"this machine lacks it: {available()}")


ALL = Way("all walls", lambda found: found)
AS_USER = Way("as a user", lambda found: found, as_user=True)
NAMESPACES = Way("namespaces alone", lambda found: replace(found, landlock=0, seccomp=False))
LANDLOCK = Way("Landlock and seccomp", lambda found: replace(found, namespaces=""))
WAYS = (ALL, AS_USER, NAMESPACES, LANDLOCK)
WITH_NAMESPACES = (ALL, AS_USER, NAMESPACES)


def in_a_child(work: Callable[[], bytes]) -> bytes:
    """Do something in a child process that is an ordinary user, and return what it returns."""
    ours, theirs = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        answer = b"!the child failed"
        try:
            become(A_USER)
            die_with_parent(parent)
            answer = b"+" + work()
        except BaseException as error:
            answer = f"!{type(error).__name__}: {error}".encode()
        finally:
            with os.fdopen(theirs, "wb") as pipe:
                pipe.write(answer)
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    assert answer[:1] == b"+", answer.decode()
    return answer[1:]


def attempt(action: Callable[[Path], object]) -> Target:
    """Return a target that tries something, and reports whether it could be done."""

    def target(scratch: Path, send: Send) -> None:
        try:
            result = action(scratch)
        except OSError as error:
            send(f"refused: {type(error).__name__}".encode())
        else:
            send(f"done: {result!r}".encode()[:2_000])

    return target


def was_refused(end: JailEnd) -> bool:
    assert end.how == "ended", end
    return len(end.reports) == 1 and end.reports[0].startswith(b"refused")

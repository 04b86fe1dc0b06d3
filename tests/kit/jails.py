"""The ways to lock somebody in that tests go through, and what they put into jails."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from scaffold.classroom.sandbox import Jail, JailEnd, JailLimits, Mechanisms, Session, available, is_enough
from scaffold.classroom.sandbox.inmate import Send, Target
from scaffold.classroom.sandbox.kernel import die_with_parent
from scaffold.classroom.sandbox.users import become, is_root

MIB = 2**20
ON_LINUX = [
    pytest.mark.sandbox,
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"),
]  # marks of what makes jails itself: those need a process without threads, which other tests may have started
NEEDS_A_SANDBOX = pytest.mark.skipif(sys.platform != "linux" or not is_enough(available()), reason="no sandbox here")
IN_A_SANDBOX = [*ON_LINUX, NEEDS_A_SANDBOX]
A_USER = 54321  # whom nobody knows
READABLE = [Path("/usr/lib")]
LIMITS = JailLimits(seconds=5, cpu_seconds=3, memory=128 * MIB, processes=8, reports=MIB, printed=64 * 1024)


@dataclass(frozen=True)
class Way:
    """One way to be locked in. As a user, the worker is one too."""

    name: str
    change: Callable[[Mechanisms], Mechanisms]
    as_user: bool = False

    def session(self, work: Callable[[Session], bytes], limits: JailLimits = LIMITS, **shown: Sequence[Path]) -> bytes:
        """Do work in a jail; `shown` are the paths that are readable and hidden."""

        def as_whoever() -> bytes:
            found = available.__wrapped__() if self.as_user else available()
            view: dict[str, Any] = {"readable": READABLE, **shown}
            return Jail(**view, limits=limits, mechanisms=self.change(found)).session(work, seconds=30)

        return in_a_child(as_whoever) if self.as_user and is_root() else as_whoever()

    def run(self, target: Target, limits: JailLimits = LIMITS, **shown: Sequence[Path]) -> JailEnd:
        return JailEnd.from_bytes(self.session(lambda session: session.run(target).to_bytes(), limits, **shown))

    def skip_if_it_can_not_be(self) -> None:
        if not self.as_user and not is_root():
            pytest.skip("needs root")
        if not is_enough(self.change(available())):
            pytest.skip(f"this machine lacks it: {available()}")


ALL = Way("all walls", lambda found: found)
AS_USER = Way("as a user", lambda found: found, as_user=True)
NAMESPACES = Way("namespaces alone", lambda found: replace(found, landlock=0, seccomp=False))
LANDLOCK = Way("Landlock and seccomp", lambda found: replace(found, namespaces=""))
BARE_AS_USER = replace(NAMESPACES, name="namespaces alone, as a user", as_user=True)
WAYS = (ALL, AS_USER, NAMESPACES, BARE_AS_USER, LANDLOCK)
WITH_NAMESPACES = (ALL, AS_USER, NAMESPACES, BARE_AS_USER)
WITHOUT_SECCOMP = (NAMESPACES, BARE_AS_USER)


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

"""What this machine has to lock a process in, found out by trying each in a child."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from scaffold.classroom.sandbox import landlock, namespaces, seccomp
from scaffold.classroom.sandbox.bubblewrap import INSIDE, bwrap_command
from scaffold.classroom.sandbox.kernel import filter_system_calls, give_up_privileges
from scaffold.classroom.sandbox.paths import View
from scaffold.classroom.sandbox.users import become, is_root, user_of_jail

CURE = (
    "run it as root (sudo), or let users have namespaces (on Ubuntu: "
    "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0; in Docker: --cap-add SYS_ADMIN "
    "--security-opt apparmor=unconfined --security-opt seccomp=unconfined), "
    "or install bubblewrap on a Linux of 5.13 or newer. "
    "--no-sandbox runs all that students hand in with your rights"
)


class NoSandboxError(Exception):
    """The machine can't lock a process in well enough. The message names what is missing, and the cure."""


@dataclass(frozen=True)
class Mechanisms:
    """What works here. `lacking` says of the rest why it does not."""

    landlock: int = 0  # its version; 0 for none
    seccomp: bool = False
    namespaces: Literal["", "as root", "as a user"] = ""  # of mounts, processes, network, IPC and host name
    other_user: bool = False  # whether inmates can be another user than the worker
    rlimits: bool = False
    bubblewrap: bool = False  # whether a worker can be started in it
    in_bubblewrap: bool = False  # whether this one was
    lacking: tuple[str, ...] = ()


@functools.cache
def available() -> Mechanisms:
    """Try everything, once. It takes some hundredths of a second."""
    if sys.platform != "linux":
        return Mechanisms(lacking=(f"the sandbox needs Linux; this is {sys.platform}",))
    root = _why_not(lambda: _rehearse(with_user=False)) if is_root() else "not root"
    user = root and _why_not(lambda: _rehearse(with_user=True))
    filtered = _why_not(_try_seccomp) if seccomp.is_known_machine() else f"not known for {os.uname().machine}"
    wrapped = _why_no_bubblewrap()
    version = landlock.abi()
    reasons = {
        "namespaces": user and f"as root: {root}; as a user: {user}",
        "Landlock": "" if version else "the kernel has none, or it is switched off",
        "seccomp": filtered,
        "bubblewrap": wrapped,
    }
    return Mechanisms(
        landlock=version,
        seccomp=not filtered,
        namespaces="as root" if not root else "" if user else "as a user",
        other_user=is_root() and not _why_not(lambda: become(user_of_jail())),
        rlimits=True,
        bubblewrap=not wrapped,
        in_bubblewrap=os.environ.get(INSIDE) == "1",
        lacking=tuple(f"{name}: {why}" for name, why in reasons.items() if why),
    )


def describe(mechanisms: Mechanisms) -> str:
    """Say in one line what locks the inmates in, and against what nothing stands."""
    parts = []
    if mechanisms.namespaces:
        kinds = ", ".join(namespaces.KINDS)
        parts.append(f"namespaces ({kinds}{', user' if mechanisms.namespaces == 'as a user' else ''})")
    if mechanisms.in_bubblewrap:
        parts.append("bubblewrap")
    if mechanisms.other_user:
        parts.append("a user of its own")
    if mechanisms.landlock:
        parts.append(f"Landlock (ABI {mechanisms.landlock})")
    if mechanisms.seccomp:
        parts.append("seccomp")
    if mechanisms.rlimits:
        parts.append("rlimits")
    said = ", ".join(parts) or "nothing"
    return said if is_enough(mechanisms) else f"{said}: not enough"


def is_enough(mechanisms: Mechanisms) -> bool:
    """Whether files, the network, and what might outlive a run are all behind a wall.

    Without namespaces, Landlock hides files but does not keep a process from changing the modes of what its user
    owns. So it must be another user, or in bubblewrap, where all is mounted read-only. Seccomp has to take the
    network away then, and the right to start processes.
    """
    apart = mechanisms.other_user or mechanisms.in_bubblewrap
    walled = bool(mechanisms.namespaces) or (mechanisms.landlock > 0 and mechanisms.seccomp and apart)
    return walled and mechanisms.rlimits


def require(mechanisms: Mechanisms) -> None:
    """Raise NoSandboxError if that is not enough."""
    if not is_enough(mechanisms):
        reasons = mechanisms.lacking or ("Landlock alone, as the same user, does not keep files' modes and dates",)
        raise NoSandboxError(f"no sandbox can be built here ({'; '.join(reasons)}); {CURE}")


def _rehearse(*, with_user: bool) -> None:
    if with_user and is_root():
        become(user_of_jail())
    namespaces.leave(with_user=with_user)
    namespaces.build_root(View(), "size=64k,mode=700")
    namespaces.Init().end()


def _try_seccomp() -> None:
    give_up_privileges()
    filter_system_calls(seccomp.program(alone=True))


def _why_not(trial: Callable[[], object]) -> str:
    """Return why something can't be done, tried in a child; nothing if it can."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            trial()
            os.write(theirs, b"+")
        except BaseException as error:
            os.write(theirs, f"{error.strerror if isinstance(error, OSError) else error}".encode()[:1_000])
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        answer = pipe.read().decode(errors="replace")
    os.waitpid(child, 0)
    return "" if answer == "+" else answer or "the trial ended without an answer"


def _why_no_bubblewrap() -> str:
    if shutil.which("bwrap") is None:
        return "not installed"
    try:
        tried = subprocess.run(bwrap_command(["true"], []), capture_output=True, check=False, timeout=10, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if tried.returncode == 0 else tried.stderr.strip() or f"it ended with {tried.returncode}"

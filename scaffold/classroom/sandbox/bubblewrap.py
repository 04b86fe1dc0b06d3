"""Starts a worker in bubblewrap, for machines where only that may make namespaces.

All submissions of that worker share its view then; Landlock, seccomp and rlimits stand between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

INSIDE = "SESSION_TREE_IN_BUBBLEWRAP"  # set for the worker, so that it knows


def bwrap_command(argv: Sequence[str], readable: Sequence[Path], writable: Sequence[Path] = ()) -> list[str]:
    """Return the command that runs `argv` with a view of these paths, no network, and no environment.

    Nothing outlives it, nor the process that starts it. /tmp is empty, and in memory. What does not exist is left out.
    """
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--setenv", INSIDE, "1"]
    command += ["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8"]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", "/usr", "/usr"]  # noqa: S108
    for system in ("/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache"):
        command += ["--ro-bind-try", system, system]
    for option, paths in (("--ro-bind-try", readable), ("--bind-try", writable)):
        for path in paths:
            command += [option, str(path), str(path)]
    return [*command, "--chdir", "/", "--", *argv]

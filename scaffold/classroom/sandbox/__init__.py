"""Runs what students hand in where it can harm nobody. Linux only; on other systems it can be imported, and says so.

`Jail` is what others use; `kernel`, `landlock`, `seccomp` and `namespaces` are the walls, and `mechanisms` finds out
which of them this machine has.
"""

from __future__ import annotations

from scaffold.classroom.sandbox.bubblewrap import bwrap_command
from scaffold.classroom.sandbox.jail import Jail, clean_environment
from scaffold.classroom.sandbox.limits import JailLimits
from scaffold.classroom.sandbox.mechanisms import (
    Mechanisms,
    NoSandboxError,
    available,
    describe,
    is_enough,
    require,
)
from scaffold.classroom.sandbox.paths import python_paths
from scaffold.classroom.sandbox.scratch import read_file
from scaffold.classroom.sandbox.session import JailEnd, JailError, Session

__all__ = [
    "Jail",
    "JailEnd",
    "JailError",
    "JailLimits",
    "Mechanisms",
    "NoSandboxError",
    "Session",
    "available",
    "bwrap_command",
    "clean_environment",
    "describe",
    "is_enough",
    "python_paths",
    "read_file",
    "require",
]

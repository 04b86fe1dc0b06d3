"""Landlock: what files a process may open, from then on and with all that it starts. Linux 5.13 or newer.

Beyond files it takes TCP away (ABI 4), abstract Unix sockets and signals to processes outside (ABI 6). It does not
hide that a file exists, and its size; a mount namespace does. Made by hand: the bindings on PyPI are either
pre-releases or a few months old, and what is needed here are three system calls.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scaffold.classroom.sandbox.kernel import syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_MAKE_FIFO, _MAKE_SYM, _REFER, _TRUNCATE = 1 << 10, 1 << 12, 1 << 13, 1 << 14
_ALL_OF_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # by ABI; the last is ioctl
_TO_READ = _READ_FILE | _READ_DIR
_TO_WRITE = (
    _TO_READ
    | _WRITE_FILE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _MAKE_FIFO
    | _MAKE_SYM
    | _REFER
    | _TRUNCATE
)
_IN_A_FILE = _READ_FILE | _WRITE_FILE | _TRUNCATE
_ALL_OF_TCP = 3  # bind and connect
_ALL_OF_SCOPES = 3  # abstract sockets and signals
_TCP_FROM, _SCOPES_FROM = 4, 6


def abi() -> int:
    """Return the version of Landlock that the kernel has, or 0 for none."""
    try:
        return syscall(_CREATE_RULESET, "landlock", None, 0, _ASK_VERSION)
    except (OSError, AttributeError):  # not built in, switched off, or another system
        return 0


@dataclass(frozen=True)
class Allowed:
    """What may still be opened, with all that is below it. What is listed only shows names."""

    readable: Iterable[Path] = ()
    writable: Iterable[Path] = ()
    listed: Iterable[Path] = ()


def restrict(allowed: Allowed, version: int) -> None:
    """Let this process open nothing but what is allowed, execute nothing, and reach nobody outside.

    A path that does not exist is passed over. Raises OSError.
    """
    files = max(mask for since, mask in _ALL_OF_FILES.items() if since <= version)
    rights = [files, _ALL_OF_TCP if version >= _TCP_FROM else 0, _ALL_OF_SCOPES if version >= _SCOPES_FROM else 0]
    size = 8 if version < _TCP_FROM else 16 if version < _SCOPES_FROM else 24
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", *rights)[:size], size)
    ruleset = syscall(_CREATE_RULESET, "landlock_create_ruleset", attributes, size, 0)
    try:
        for paths, access in (
            (allowed.readable, _TO_READ),
            (allowed.writable, _TO_WRITE),
            (allowed.listed, _READ_DIR),
        ):
            for path in paths:
                _allow(ruleset, path, access & files)
        syscall(_RESTRICT_SELF, "landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, access: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                access &= _IN_A_FILE
            rule = ctypes.create_string_buffer(struct.pack("=Qi", access, descriptor), 12)
            syscall(_ADD_RULE, f"landlock_add_rule {path}", ruleset, _PATH_BENEATH, rule, 0)
        finally:
            os.close(descriptor)

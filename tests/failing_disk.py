"""A disk that fails, is odd, or is used by somebody else: what the tests of lab 10.7 put under a repair.

It stands between a program and some functions of `os`. File objects write without `os.write`, so not every program
meets it at every step. Therefore the tests judge what is in the files afterwards, and not which functions were called.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

STEPS = (
    *("open", "read", "write", "fstat", "stat", "chmod", "fchmod", "truncate", "ftruncate", "fsync", "fdatasync"),
    *("link", "rename", "replace", "close"),
)
SYNCS = ("fsync", "fdatasync")
_WITHOUT: dict[frozenset[int], set[str]] = {}  # the modules that have been looked through, and name none of these


@contextmanager
def disk(behaviour: Callable[..., Any], *names: str) -> Iterator[None]:
    """Let `behaviour(real, ...)` be called for each of these functions of `os`.

    They are replaced wherever a module has a name for them: a program may say `from os import fsync`.
    """
    real = {id(function): function for name in names if (function := getattr(os, name, None))}
    steps = frozenset(id(getattr(os, name)) for name in {*STEPS, *names} if hasattr(os, name))
    # Looking through all modules takes longer than most tests. A test's own are new ones.
    without = _WITHOUT.setdefault(steps, set(sys.builtin_module_names))
    modules = [(name, module) for name, module in sys.modules.items() if name not in without]
    with pytest.MonkeyPatch.context() as patch:
        for module_name, module in modules:
            held = list(getattr(module, "__dict__", {}).items())
            found = [(name, value) for name, value in held if id(value) in steps]
            if not found:
                without.add(module_name)
            for name, value in found:
                if id(value) in real:
                    patch.setattr(module, name, partial(behaviour, value))
        yield


class Fault:
    """Lets one call fail: the one at this position, counted from 0 among all calls."""

    def __init__(self, position: int) -> None:
        self.error = OSError(errno.EIO, "Input/output error, made by the test")
        self.came = False
        self._before = position

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        self._before -= 1
        if self._before == -1:
            self.came = True
            raise self.error
        return real(*arguments, **options)


class Somebody:
    """Changes a file once, when a file of `size` bytes is synced; without a size, at the first call."""

    def __init__(self, file: Path, change: Callable[[Path], None], size: int | None) -> None:
        self.left: bytes | None = None  # what the file holds since
        self._file, self._change, self._size = file, change, size
        self._waits = True

    def __call__(self, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if self._waits and (self._size is None or size_of(arguments[0]) == self._size):
            self._waits = False
            self._change(self._file)
            self.left = self._file.read_bytes()
        return real(*arguments, **options)


class Watcher:
    """Notes how long the files were that were synced while `file` still had its old bytes."""

    def __init__(self, file: Path) -> None:
        self.sizes: set[int | None] = set()
        self._file, self._old = file, file.read_bytes()

    def __call__(self, real: Callable[..., Any], descriptor: Any) -> None:
        real(descriptor)
        if self._file.read_bytes() == self._old:
            self.sizes.add(size_of(descriptor))


def size_of(file: Any) -> int | None:
    """Return the size of an open file, or None for a folder."""
    status = os.fstat(file if isinstance(file, int) else file.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def a_few_bytes_at_a_time(write: Callable[..., int], descriptor: int, data: Any) -> int:
    """Write less than asked, as `os.write` may."""
    return write(descriptor, bytes(data)[:7])


def spoils(tail: bytes) -> Callable[..., int]:
    """Let these bytes be written as others, without an error."""

    def spoilt(write: Callable[..., int], descriptor: int, data: Any) -> int:
        return write(descriptor, bytes(data).replace(tail, b"?" * len(tail)))

    return spoilt


def apart_from(folder: Path) -> Callable[..., Any]:
    """Let what is outside of the folder be on another disk, from which no file can be renamed or linked into it."""

    def call(real: Callable[..., Any], source: Any, target: Any, **options: Any) -> Any:
        if not options and not Path(os.fsdecode(source)).resolve().is_relative_to(folder.resolve()):
            raise OSError(errno.EXDEV, "Invalid cross-device link", str(source), None, str(target))
        return real(source, target, **options)

    return call

"""Which paths an inmate may read: Python's own, and what the caller names but for what it hides."""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime")


def python_paths() -> list[Path]:
    """Return where this Python and its packages are, and the system's shared libraries."""
    scheme = sysconfig.get_paths()
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix, "installed_base": sys.base_prefix}
    named = [scheme[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    named += [sysconfig.get_path("stdlib", vars=base), sysconfig.get_path("purelib", vars=base)]
    named += [*site.getsitepackages(), *_SYSTEM]
    return [Path(each) for each in dict.fromkeys(named) if Path(each).exists()]


@dataclass(frozen=True)
class View:
    """What can be read: resolved paths of which none is below another.

    `links` lead to or below one of them. `listed` are folders that have something hidden in them; what is in them can
    be listed, or else nothing could be imported from there.
    """

    paths: tuple[Path, ...] = ()
    links: Mapping[Path, Path] = field(default_factory=dict)
    listed: tuple[Path, ...] = ()


def view_of(readable: Sequence[Path], hidden: Sequence[Path]) -> View:
    """Return a view of `readable` but `hidden` and what is below it.

    Raises FileNotFoundError for a path to read that does not exist.
    """
    paths, listed = _without(readable, hidden)
    shown = set(paths)
    links: dict[Path, Path] = {}
    for path in sorted(each.absolute() for each in readable):
        is_there = shown.intersection((path, *path.parents))
        if path.resolve() != path and not is_there and not any(link in path.parents for link in links):
            links[path] = path.resolve()
    return View(tuple(paths), links, tuple(listed))


def _without(readable: Iterable[Path], hidden: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return paths that stand for all of `readable` but `hidden`, none in another, and the folders that these replace.

    A folder with something hidden in it is replaced by what else is in it now.
    """
    closed = {path.resolve() for path in hidden}
    around = {parent for path in closed for parent in path.parents}
    found: set[Path] = set()
    opened: set[Path] = set()
    waiting = [path.resolve(strict=True) for path in readable]
    while waiting:
        path = waiting.pop()
        if path in closed or closed.intersection(path.parents):
            continue
        if path in around and path.is_dir():
            opened.add(path)
            waiting += [each for each in path.iterdir() if not each.is_symlink()]
        else:
            found.add(path)
    return sorted(path for path in found if not found.intersection(path.parents)), sorted(opened)

"""Breakages: named small edits that make the reference wrong, and the tests that they must turn red."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scaffold.course import LABS, ROOT, Lab


@dataclass(frozen=True)
class Breakage:
    """One edit of `solutions/lab_10_N/session.py`.

    `find` stands there exactly once, and is replaced. `red` are the test functions of that lab that must fail then,
    and no others. `hangs` says that something never ends, so that the tests reach their limit.
    """

    lab: Lab
    name: str
    what: str
    find: str
    replace: str
    red: tuple[str, ...]
    hangs: bool = False

    @contextmanager
    def applied(self) -> Iterator[Path]:
        """Lend a copy of the reference with this edit. Raises ValueError if the edit does not fit any more."""
        with TemporaryDirectory(prefix="session-tree-") as folder:
            tree = Path(folder, "broken")
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / "solutions", tree, ignore=ignore)
            source = tree / self.lab.folder / "session.py"
            text = source.read_text("utf-8")
            if text.count(self.find) != 1:
                raise ValueError(f"breakage {self.lab.number} {self.name}: its text must stand there exactly once")
            source.write_text(text.replace(self.find, self.replace), "utf-8", newline="\n")
            yield tree


def breakages_of(lab: Lab) -> list[Breakage]:
    """Return the breakages of a lab; none where there is no reference to break."""
    path = Path(__file__).with_name(f"{lab.folder}.toml")
    if not path.exists():
        return []
    tables = tomllib.loads(path.read_text("utf-8"))["breakage"]
    return [Breakage(lab, **{**table, "red": tuple(table["red"])}) for table in tables]


def all_breakages() -> list[Breakage]:
    return [breakage for lab in LABS for breakage in breakages_of(lab)]

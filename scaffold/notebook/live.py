"""`lab("10.1")`: the code of a lab as it stands in its file at this moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scaffold.course import LABS, find_lab
from scaffold.grading.tree import LoadedLab, Tree, find_tree


class LiveLab:
    """A lab's `session.py`, loaded by its path, and loaded anew as soon as it, or a lab beneath it, has changed.

    Its names are those of the file: `session.path_to(...)`. What the file lacks, or what keeps it from being loaded, is
    an error that says so.
    """

    def __init__(self, number: str, tree: Path) -> None:
        self._lab = find_lab(number)
        self._tree = Tree(tree)
        self._loaded: LoadedLab | None = None
        self._sources: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python and IPython look for many of these
            raise AttributeError(name)
        sources = self._read()
        if self._loaded is None or sources != self._sources:
            self._loaded = None
            self._loaded = self._tree.load(self._lab)
            self._sources = sources
        return getattr(self._loaded, name)

    def __repr__(self) -> str:
        return f"lab {self._lab.number} in {self._tree.path.name}/{self._lab.folder}/session.py"

    def _read(self) -> list[bytes]:
        files = [self._tree.path / lab.folder / "session.py" for lab in LABS]
        return [file.read_bytes() if file.is_file() else b"" for file in files]


def lab(number: str, tree: str = "labs") -> LiveLab:
    """Return the code of a lab: yours, or with the tree `solutions` the reference's; or that of a folder.

    Raises KeyError for an unknown number, and FileNotFoundError for a tree that is not there.
    """
    return LiveLab(number, find_tree(tree))

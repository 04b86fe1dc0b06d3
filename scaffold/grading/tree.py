"""Loads a lab's `session.py` out of a tree, by path and always from its source.

A tree is never put on `sys.path`: what lies beside a `session.py` can't stand in for a module of Python's or pytest's.
Nor is bytecode used, which may be older than the source by less than a file system's clock can tell.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import traceback
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from scaffold.course import LABS, ROOT, Lab
from scaffold.grading.failure import MissingNameError, NotLoadableError, one_line

_numbers = count(1)


def find_tree(name: str) -> Path:
    """Return the folder of a tree: `labs`, `solutions`, or a path. Raises FileNotFoundError if it is not there."""
    path = ROOT / name if name in {"labs", "solutions"} else Path(name).absolute()
    if path.is_dir():
        return path
    if name == "solutions":
        raise FileNotFoundError("there are no solutions here: a practice folder has no answers")
    raise FileNotFoundError(f"there is no folder {one_line(str(path))}; a tree has the folders {LABS[0].folder} ...")


class LoadedLab:
    """A lab's module. A name that it lacks is an error that says so, for those who ask for that name."""

    def __init__(self, lab: Lab, module: ModuleType) -> None:
        self._lab = lab
        self._module = module

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except AttributeError:
            raise MissingNameError(f"Lab {self._lab.number}: session.py has no {name}") from None


class Tree:
    """A folder with `lab_10_1`, `lab_10_2`, ...; with `beneath`, the labs that a lab needs come from there instead.

    A module is loaded anew with each lab that imports it; with `shared`, once for all of them.
    """

    def __init__(self, path: Path, beneath: Path | None = None, *, shared: bool = False) -> None:
        """Raises ValueError for `shared` and `beneath`: then labs do not import the same."""
        if shared and beneath:
            raise ValueError("labs over others of another tree can't share modules")
        self.path = path
        self.beneath = beneath or path
        self._package = self._new_package(LABS[0]) if shared else None

    def load(self, lab: Lab) -> LoadedLab:
        """Load the lab's `session.py`, and what it imports of the tree. Raises NotLoadableError."""
        package = self._package or self._new_package(lab)
        try:
            return LoadedLab(lab, importlib.import_module(f"{package}.{lab.folder}.session"))
        except BaseException as error:
            if _is_for_pytest(error):
                raise
            raise NotLoadableError(_reason(error, self)) from error

    def _new_package(self, for_lab: Lab) -> str:
        """Return the name of a package of this tree's labs, of which no module is loaded yet."""
        package = f"tree_{next(_numbers)}"
        _add_package(package, [])
        for lab in LABS:
            _add_package(f"{package}.{lab.folder}", [str(self.folder_of(lab, for_lab))])
        sys.meta_path.insert(0, _SourceFinder(package))
        return package

    def folder_of(self, lab: Lab, for_lab: Lab) -> Path:
        """Return where `for_lab` finds this lab."""
        return (self.path if lab is for_lab else self.beneath) / lab.folder

    def holds(self, filename: str) -> bool:
        """Tell whether a source file belongs to this tree."""
        path = Path(filename)
        return path.is_relative_to(self.path) or path.is_relative_to(self.beneath)


def _add_package(name: str, path: list[str]) -> None:
    module = ModuleType(name)
    module.__path__ = path
    sys.modules[name] = module


class _SourceFinder(MetaPathFinder):
    """Finds the modules of one package in the folders of its `__path__`, and nothing else."""

    def __init__(self, package: str) -> None:
        self._prefix = f"{package}."

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith(self._prefix):
            return None
        last = name.rpartition(".")[2]
        for folder in path or []:
            for source in (Path(folder, f"{last}.py"), Path(folder, last, "__init__.py")):
                if source.is_file():
                    loader = _SourceLoader(name, str(source))
                    return importlib.util.spec_from_file_location(name, source, loader=loader)
        return None


class _SourceLoader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _is_for_pytest(error: BaseException) -> bool:
    """Tell whether an error is no fault of the module, but a limit that was reached, or Ctrl-C."""
    import pytest  # noqa: PLC0415 (loaded already where tests run, and slow to load elsewhere)

    return isinstance(error, KeyboardInterrupt | pytest.fail.Exception | pytest.skip.Exception | pytest.exit.Exception)


def _reason(error: BaseException, tree: Tree) -> str:
    """Say in one line why a module can't be loaded, and where."""
    if isinstance(error, SyntaxError) and error.filename and tree.holds(error.filename):
        place = f"{Path(error.filename).name} line {error.lineno}" if error.lineno else Path(error.filename).name
        return f"{place}: {type(error).__name__}: {one_line(error.msg)}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if tree.holds(frame.filename)]
    place = f"{Path(frames[-1].filename).name} line {frames[-1].lineno}: " if frames else ""
    if isinstance(error, SystemExit):
        return f"{place}it exits while it is imported ({one_line(error)})"
    return f"{place}{type(error).__name__}: {one_line(error)}"

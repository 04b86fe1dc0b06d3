"""A tree loads its labs from where it is told to, anew or once for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from scaffold.course import find_lab
from scaffold.grading.failure import NotLoadableError
from scaffold.grading.tree import Tree

LOWER, UPPER = find_lab("10.1"), find_lab("10.6")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for lab, text in ((LOWER, "loaded = []\n"), (UPPER, "from ..lab_10_1.session import loaded\n")):
        source = tmp_path / lab.folder / "session.py"
        source.parent.mkdir()
        source.write_text(text, "utf-8")
    return tmp_path


def test_each_lab_has_modules_of_its_own(folder: Path) -> None:
    tree = Tree(folder)
    loaded = [tree.load(lab).loaded for lab in (LOWER, UPPER, UPPER)]
    assert len({id(each) for each in loaded}) == 3


def test_a_shared_tree_loads_each_module_once(folder: Path) -> None:
    tree = Tree(folder, shared=True)
    assert tree.load(LOWER).loaded is tree.load(UPPER).loaded
    assert Tree(folder, shared=True).load(LOWER).loaded is not tree.load(LOWER).loaded


def test_what_can_not_be_loaded_is_an_error_for_each_lab_that_needs_it(folder: Path) -> None:
    (folder / LOWER.folder / "session.py").write_text("1 / 0\n", "utf-8")
    tree = Tree(folder, shared=True)
    for lab in (LOWER, UPPER, UPPER):
        with pytest.raises(NotLoadableError, match="ZeroDivisionError"):
            tree.load(lab)


def test_labs_over_others_share_nothing(folder: Path) -> None:
    with pytest.raises(ValueError, match="share"):
        Tree(folder, folder, shared=True)

"""What the project's own texts say is so."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

import grade
from scaffold.course import LABS, ROOT

README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TEST_COMMAND = 'python -m pip install -e ".[dev]" && python -m pytest --tree solutions'


def test_the_main_job_and_the_tests_are_one_command_each() -> None:
    assert "\n    python -m pip install -e . && python grade.py\n" in README
    assert "\n    python grade.py --tree solutions\n" in README
    assert f"\n    {TEST_COMMAND}\n" in README


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert TEST_COMMAND in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`python (grade\.py[^`]*)`", README + CONTRIBUTING))))
def test_a_command_that_is_named_is_understood(command: str) -> None:
    assert callable(grade.task_for(shlex.split(command)[1:]))


@pytest.mark.parametrize("text", ["README.md", "CONTRIBUTING.md"])
def test_a_file_that_is_named_is_there(text: str) -> None:
    source = (ROOT / text).read_text("utf-8")
    named = re.findall(r"`((?:labs|scaffold|tests|solutions|notebooks|\.ci)/[\w./-]+)`|\]\(([\w./-]+)\)", source)
    paths = [path.replace("lab_10_N", "lab_10_1") for pair in named for path in pair if path]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_readme_names_each_lab() -> None:
    assert [
        lab.number for lab in LABS if f"[{lab.number}](labs/{lab.folder}/README.md) | `{lab.title}`" not in README
    ] == []


def test_no_other_folder_stands_at_the_top() -> None:
    wanted = {"labs", "solutions", "scaffold", "tests", "notebooks"}
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))}
    made_by_tools = {"build", "dist", "node_modules"} | {name for name in folders if name.endswith(".egg-info")}
    assert folders - made_by_tools - wanted == set()


def test_every_file_is_named_by_some_other() -> None:
    """A module or data file that nobody mentions is one that nobody uses."""
    sources = [path for folder in ("scaffold", "tests") for path in (ROOT / folder).rglob("*") if path.is_file()]
    texts = [path for path in sources if path.suffix in {".py", ".toml", ".md"}]
    files = [path for path in texts if "__" not in path.name]
    texts += [ROOT / name for name in ("grade.py", "pyproject.toml")]
    named = {path: set(re.findall(r"\w+", path.read_text("utf-8"))) for path in texts}
    how_often = Counter(word for words in named.values() for word in words)
    loners = [
        path for path in files if not _is_found_by_name(path) and how_often[path.stem] <= (path.stem in named[path])
    ]
    assert [str(path.relative_to(ROOT)) for path in loners] == []


def _is_found_by_name(path: Path) -> bool:
    return path.name.startswith(("test_", "conftest", "lab_10_"))

"""A practice folder has all but the answers, and needs nothing outside itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kit.copies import Course, answers_of, clean_environment
from scaffold.course import LABS, ROOT, Lab
from scaffold.practice import make_practice_folder

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def practice(tmp_path: Path) -> Course:
    folder = tmp_path / "my practice"
    make_practice_folder(folder)
    return Course(folder)


def text_of(path: Path) -> str:
    """Return the text of a file; of a notebook, that of its cells, in which nothing is escaped."""
    text = path.read_text("utf-8", "replace")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_it_holds_no_answer(practice: Course, lab: Lab) -> None:
    answers = answers_of(lab)
    given = {
        line.strip() for path in (ROOT / "scaffold").rglob("*.py") for line in path.read_text("utf-8").splitlines()
    }
    told = {path: text_of(path) for path in practice.root.rglob("*") if path.is_file()}

    found = [(path.name, line) for path, text in told.items() for line in answers - given if line in text]

    assert answers
    assert found == []


def test_it_has_no_folder_that_only_authors_need(practice: Course) -> None:
    names = {path.name for path in practice.root.rglob("*")}
    assert (
        names
        & {
            "solutions",
            "breakages",
            "classroom",
            "kit",
            "bench",
            ".git",
            ".ci",
            "CONTRIBUTING.md",
            "practice.md",
            "sources",
        }
        == set()
    )


def test_it_works_on_its_own(practice: Course) -> None:
    fresh = practice()
    practice.solve(LABS[0])
    solved = practice()

    assert "Lab 10.1: path_to is not written yet" in fresh.stdout
    assert "✓ 2/2 + 2/2 Python" in solved.stdout
    assert (fresh.stderr, solved.stderr) == ("", "")
    assert "solutions" not in practice("--help").stdout.replace("labs (yours), solutions", "")


def test_all_labs_can_be_solved_in_it(practice: Course) -> None:
    for lab in LABS:
        practice.solve(lab)

    assert practice("--all").returncode == 0


def test_a_lab_over_a_wrong_one_is_not_checked(practice: Course) -> None:
    practice.solve(LABS[3])
    assert "not checked: needs lab 10.2, which is not right yet" in practice("10.4").stdout


def test_reset_brings_back_the_stub_that_it_was_made_with(practice: Course) -> None:
    stub = practice.source(LABS[0]).read_bytes()
    practice.solve(LABS[0])
    practice("reset", "10.1")

    assert practice.source(LABS[0]).read_bytes() == stub


@pytest.mark.parametrize(
    "command",
    [
        ["diff", "10.1"],
        ["break", "10.1"],
        ["check"],
        ["practice", "../other"],
        ["class", "../handed-in", "-o", "../other"],
    ],
)
def test_commands_that_need_answers_say_so(practice: Course, command: list[str]) -> None:
    done = practice(*command)

    assert done.returncode == 2
    assert "practice folder" in done.stderr
    assert not (practice.root.parent / "other").exists()


def test_hints_are_there(practice: Course) -> None:
    assert "  1. " in practice("hint", "10.1").stdout


def test_its_readme_names_what_is_there(practice: Course) -> None:
    text = (practice.root / "README.md").read_text("utf-8")
    assert "$" not in text
    assert [lab.number for lab in LABS if f"(labs/{lab.folder}/README.md)" not in text] == []
    assert [lab.number for lab in LABS if not (practice.root / "labs" / lab.folder / "README.md").exists()] == []


def test_plain_pytest_works_in_it(practice: Course) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=practice.root, env=clean_environment(), capture_output=True, encoding="utf-8", check=False
    )

    assert done.returncode == 1
    assert "Lab 10.1: path_to is not written yet" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_folder_that_is_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", "utf-8")

    with pytest.raises(FileExistsError, match="nothing was written"):
        make_practice_folder(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]

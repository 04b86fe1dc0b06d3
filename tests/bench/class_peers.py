"""Grades the same submissions with nbgrader or otter-grader. It runs in their environment, and not in the course's.

    class_peers.py prepare PEER FOLDER COURSE    what an instructor does once: it is not measured
    class_peers.py grade PEER FOLDER             what is measured; prints the students who have all right, as JSON

FOLDER holds `submissions.json`: the text of each `session.py`, by the names of students and the folders of labs. One
notebook holds all labs: a cell with the code of each, which it writes to a file, and one with the lab's point. The
first of those runs the tests of all labs, by one pytest in the notebook's own process. That is the least that the two
can be asked for: a notebook, a process or a pytest for each lab would take them longer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ASSIGNMENT = "labs"
SECONDS = 60  # for one cell

SETUP = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
import pytest

COURSE = {course!r}
sys.path.insert(0, COURSE)
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

class Reports:
    def __init__(self):
        self.passed, self.failed = set(), set()

    def pytest_runtest_logreport(self, report):
        (self.passed if report.passed else self.failed).add(report.nodeid.partition("::")[0])

@cache
def green():
    reports = Reports()
    options = ["-q", "-p", "no:cacheprovider", "-p", "scaffold.grading.options", "--override-ini=addopts=",
               f"--rootdir={{COURSE}}", f"--config-file={{COURSE}}/pyproject.toml",
               f"--tree={{os.path.abspath('tree')}}",
               *(f"{{COURSE}}/tests/test_{{lab}}.py" for lab in os.listdir("tree"))]
    with ThreadPoolExecutor(1) as thread:  # a kernel's own thread has a running event loop
        thread.submit(pytest.main, options, plugins=[reports]).result()
    return {{os.path.basename(file) for file in reports.passed - reports.failed}}

def is_green(lab):
    return f"test_{{lab}}.py" in green()
"""
OTTER_TEST = """
OK_FORMAT = False
from otter.test_files import test_case

name = {lab!r}
points = 1

@test_case(points=1, hidden=False)
def test_{lab}(is_green):
    assert is_green({lab!r})
"""

Submissions = Mapping[str, Mapping[str, str]]


def notebook(cells: Sequence[dict[str, Any]]) -> str:
    """Return a notebook with these cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


def code(name: str, source: str, **nbgrader: Any) -> dict[str, Any]:
    """Return a cell of code."""
    marks = {"grade": False, "solution": False, "locked": False, "task": False, **nbgrader}
    metadata = {"nbgrader": {**marks, "grade_id": name, "schema_version": 3}}
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata,
        "source": source.strip(),
        "outputs": [],
        "execution_count": None,
    }


def cells_of(course: str, files: Mapping[str, str], *, tested: bool) -> list[dict[str, Any]]:
    """Return the cells of a student's notebook; where `tested`, with nbgrader's test cells."""
    cells = [code("setup", SETUP.format(course=course), locked=True)]
    for lab, text in files.items():
        place = f"import os\nos.makedirs('tree/{lab}', exist_ok=True)"
        cells.append(code(f"folder_{lab}", place, locked=True))
        cells.append(code(f"code_{lab}", f"%%writefile tree/{lab}/session.py\n{text}", solution=True))
    tests = [code(f"tests_{lab}", f"assert is_green({lab!r})", grade=True, locked=True, points=1) for lab in files]
    return cells + (tests if tested else [])


def read(folder: Path) -> Submissions:
    found: Submissions = json.loads((folder / "submissions.json").read_text("utf-8"))
    return found


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def run(folder: Path, *command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed in {folder}:\n{done.stdout}{done.stderr}")


def prepare_nbgrader(folder: Path, course: str) -> None:
    found = read(folder)
    config = f"c = get_config()\nc.CourseDirectory.course_id = 'bench'\nc.ExecutePreprocessor.timeout = {SECONDS}\n"
    write(folder / "nbgrader_config.py", config)
    example = next(iter(found.values()))
    write(folder / "source" / ASSIGNMENT / "labs.ipynb", notebook(cells_of(course, example, tested=True)))
    run(folder, "nbgrader", "generate_assignment", ASSIGNMENT)
    for student, files in found.items():
        cells = cells_of(course, files, tested=True)
        write(folder / "submitted" / student / ASSIGNMENT / "labs.ipynb", notebook(cells))


def grade_nbgrader(folder: Path) -> list[str]:
    from nbgrader.api import Gradebook  # type: ignore[import-not-found]  # noqa: PLC0415 (its environment has no other peer)

    run(folder, "nbgrader", "autograde", ASSIGNMENT)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        return [each.student.id for each in book.assignment_submissions(ASSIGNMENT) if each.score == each.max_score]


def prepare_otter(folder: Path, course: str) -> None:
    found = read(folder)
    example = next(iter(found.values()))
    for lab in example:
        write(folder / "tests" / f"{lab}.py", OTTER_TEST.format(lab=lab))
    run(folder, "otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment")
    for student, files in found.items():
        write(folder / "submitted" / f"{student}.ipynb", notebook(cells_of(course, files, tested=False)))


def grade_otter(folder: Path) -> list[str]:
    from otter.api import grade_submission  # type: ignore[import-not-found]  # noqa: PLC0415 (its environment has no other peer)

    right = []
    for path in sorted((folder / "submitted").iterdir()):
        results = grade_submission(str(path), str(folder / "autograder.zip"), quiet=True)
        if results.total == results.possible:
            right.append(path.stem)
    return right


PREPARE: dict[str, Callable[[Path, str], None]] = {"nbgrader": prepare_nbgrader, "otter": prepare_otter}
GRADE: dict[str, Callable[[Path], list[str]]] = {"nbgrader": grade_nbgrader, "otter": grade_otter}


def main() -> None:
    """Do what the command line asks for."""
    os.environ["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ["PATH"]]
    )  # nbgrader runs alembic
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["prepare", "grade"])
    parser.add_argument("peer", choices=sorted(GRADE))
    parser.add_argument("folder", type=Path)
    parser.add_argument("course", nargs="?", default="")
    asked = parser.parse_args()
    if asked.what == "prepare":
        PREPARE[asked.peer](asked.folder.absolute(), asked.course)
    else:
        print(json.dumps(GRADE[asked.peer](asked.folder.absolute())))


if __name__ == "__main__":
    main()

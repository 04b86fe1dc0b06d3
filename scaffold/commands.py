"""What the commands of `grade.py` do. Each returns the exit code: 0 only if all that was asked for is right."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scaffold import student_files
from scaffold.course import LABS, REFERENCE, ROOT, Lab
from scaffold.grading.engine import Engine
from scaffold.grading.grade_labs import grade_labs
from scaffold.grading.screen import Screen, filled
from scaffold.grading.tree import find_tree
from scaffold.grading.verdict import Verdict, as_json
from scaffold.grading.watch import watch


@dataclass(frozen=True)
class Run:
    """Which labs of which tree to run, and how to tell of it. No labs means all in order."""

    labs: Sequence[Lab]
    tree: str
    all: bool
    watch: bool
    json: bool
    verbose: bool


def run(asked: Run) -> int:
    """Run labs once, or again after each save."""
    with Engine() as engine:
        if not asked.watch:
            return _run_once(asked, engine)
        for _ in watch(find_tree(asked.tree)):
            _run_once(asked, engine)
            print("\nwatching; Ctrl-C ends it", flush=True)
            engine.warm_up()
    return 0


def _run_once(asked: Run, engine: Engine) -> int:
    tree = find_tree(asked.tree)
    labs = asked.labs or [lab for lab in LABS if asked.all or not lab.is_bonus]
    names = asked.verbose or len(asked.labs) == 1 or tree == REFERENCE
    screen = Screen(sys.stdout, names=names, advice=tree == ROOT / "labs")
    if asked.watch:
        screen.clear()
    verdicts: list[Verdict] = []
    for verdict in grade_labs(engine, tree, labs, REFERENCE, go_on=asked.all or bool(asked.labs)):
        verdicts.append(verdict)
        if not asked.json:
            screen.verdict(verdict)
    passed = all(verdict.passed for verdict in verdicts)
    if asked.json:
        report = {"tree": str(tree), "passed": passed, "labs": [as_json(verdict) for verdict in verdicts]}
        print(json.dumps(report, indent=2))
    else:
        screen.end(verdicts)
    return 0 if passed else 1


def list_labs() -> int:
    """List the labs."""
    for lab in LABS:
        counts = f"{len(lab.checkpoints)} checkpoints + {len(lab.python_tests)} of Python's"
        tests = f"bonus, {len(lab.python_tests)} tests" if lab.is_bonus else counts
        print(f"{lab.number}  {lab.title:<25} labs/{lab.folder}/   {tests}")
    return 0


def hint(lab: Lab, which: Sequence[int | str]) -> int:
    """Show hints for each task, or for those that are named, up to a step."""
    from scaffold.hints import steps_for_tasks  # noqa: PLC0415

    steps = steps_for_tasks(lab)
    step = max((each for each in which if isinstance(each, int)), default=1)
    named = {each.rpartition(".")[2] for each in which if isinstance(each, str)}
    if unknown := named - {task.rpartition(".")[2] for task in steps}:
        raise ValueError(f"lab {lab.number} has no task {', '.join(unknown)}; it has {', '.join(lab.tasks)}")
    if named:
        steps = {task: texts for task, texts in steps.items() if task.rpartition(".")[2] in named}
    for name, texts in steps.items():
        print(name)
        for number, text in enumerate(texts[:step], start=1):
            print(*filled(text, f"  {number}. ", "     "), sep="\n")
        print()
    if any(len(texts) > step for texts in steps.values()):
        print(
            f"python grade.py hint {lab.number} {step + 1}    goes one step further; add a task's name to see it alone"
        )
    return 0


def reset(lab: Lab) -> int:
    """Bring a lab's stub back. The old file is kept beside it."""
    backup = student_files.reset(lab, find_tree("labs"))
    kept = f"; what you had is in {backup.name}, beside it" if backup else ""
    print(f"labs/{lab.folder}/session.py is the stub{kept}")
    return 0


def diff(lab: Lab) -> int:
    """Compare the student's file with the reference, once it is green."""
    reference = _reference()
    tree = find_tree("labs")
    with Engine() as engine:
        [verdict] = grade_labs(engine, tree, [lab], reference, go_on=True)
    if not verdict.passed:
        print(f"lab {lab.number} is not green yet ({verdict.status}); the reference is shown when it is")
        return 1
    print(student_files.difference(lab, tree) or "yours is the reference, letter by letter")
    return 0


def break_it(lab: Lab, name: str | None) -> int:
    """List the breakages of a lab; or apply one to a copy of the reference, and show what happens."""
    _reference()
    from scaffold.breakages import breakages_of  # noqa: PLC0415 (a practice folder has none)
    from scaffold.notebook.break_it import BreakIt  # noqa: PLC0415 (reads the list of breakages)

    found = {breakage.name: breakage for breakage in breakages_of(lab)}
    if name is None:
        for breakage in found.values():
            print(*filled(f"{breakage.name:<39} {breakage.what}", "", " " * 40), sep="\n")
        print(f"\npython grade.py break {lab.number} NAME    applies one to a copy of the reference")
        return 0
    if name not in found:
        raise ValueError(f"lab {lab.number} has no breakage {name}; it has {', '.join(found)}")
    for line in BreakIt(lab.number, name).lines():
        print(line, flush=True)
    return 0


def open_notebook(lab: Lab | None, *, browser: bool) -> int:
    """Open a lab, or the course, in JupyterLab."""
    from scaffold.notebook.jupyter import open_jupyterlab  # noqa: PLC0415 (loads all that notebooks use)

    return open_jupyterlab(lab, browser=browser)


def notebook_pages(lab: Lab | None, folder: Path) -> int:
    """Write all notebooks as pages into a folder."""
    if lab is not None:
        raise ValueError(f"--html writes the pages of all labs: leave {lab.number} out")
    from scaffold.notebook.pages import export_pages  # noqa: PLC0415 (loads the whole of nbconvert)

    written = export_pages(folder)
    print(f"wrote {len(written)} pages; begin with {written[0]}")
    return 0


def make_notebooks(lab: Lab | None, *, write: bool) -> int:
    """Run the sources of the notebooks; write the notebooks, or compare them with those that are there."""
    _reference()
    from scaffold.notebook import build  # noqa: PLC0415 (a practice folder has no sources)

    differing = False
    for each, done in build.walkthroughs([lab] if lab else LABS):
        path = build.notebook_file(each)
        if write:
            print(f"{path.relative_to(ROOT)} {'written' if build.write(each, done) else 'is as it was'}", flush=True)
        else:
            found = build.red_cells(done) or build.drift(each, done)
            print("\n".join(found) or f"{path.relative_to(ROOT)} is what its source makes", flush=True)
            differing = differing or bool(found)
    return 1 if differing else 0


def practice(folder: Path) -> int:
    """Make a fresh folder without answers."""
    _reference()
    from scaffold.practice import make_practice_folder  # noqa: PLC0415

    make_practice_folder(folder)
    print(f"made {folder}\nbegin with: cd {folder} && python grade.py")
    return 0


def grade_class(asked: argparse.Namespace) -> int:
    """Grade a class, or write an autograder for Gradescope."""
    reference = _reference()
    if asked.gradescope_zip:
        from scaffold.classroom.report.autograder import gradescope_zip  # noqa: PLC0415 (this command's alone)

        print(f"{gradescope_zip(asked.gradescope_zip)} can be uploaded as an autograder")
        return 0
    if asked.submissions is None or asked.report is None:
        raise ValueError("name the folder with what was handed in, and one for the reports: class FOLDER -o DIR")
    from scaffold.classroom.command import run  # noqa: PLC0415 (this command's alone, and slow to load)

    return run(asked, reference)


def check(*, write: bool) -> int:
    """Let the course check itself; with `write`, cut the stubs anew before."""
    _reference()
    if write:
        from scaffold.stubs import write_stubs  # noqa: PLC0415

        for path in write_stubs():
            print(f"cut {path.relative_to(ROOT)}")
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "--tree", "solutions", "-q", "-p", "pytest_timeout", "tests/kit"]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def _reference() -> Path:
    if REFERENCE is None:
        raise ValueError("this is a practice folder, and has no answers; use the whole course for that")
    return REFERENCE

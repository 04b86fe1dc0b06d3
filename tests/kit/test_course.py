"""The register, the two trees and the tests fit together."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from kit.copies import answers_of, solution_of
from scaffold.breakages import breakages_of
from scaffold.course import LABS, ROOT, Lab, find_lab
from scaffold.grading.engine import Engine
from scaffold.hints import hint_for_test, steps_for_tasks
from scaffold.stubs import cut, tasks_in

labs_by_number = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)


def test_the_chapter_has_fourteen_checkpoints() -> None:
    assert [len(lab.checkpoints) for lab in LABS if not lab.is_bonus] == [2, 2, 2, 3, 3, 2]


@labs_by_number
def test_a_stub_is_what_its_solution_is_cut_to(lab: Lab) -> None:
    stub = ROOT / "labs" / lab.folder / "session.py"
    assert stub.read_bytes() == cut(solution_of(lab), lab).encode(), "run: python grade.py check --write"


@labs_by_number
def test_the_register_names_the_tasks_of_the_solution(lab: Lab) -> None:
    assert sorted(lab.tasks) == sorted(task.name for task in tasks_in(solution_of(lab)))


@labs_by_number
def test_the_register_names_the_tests_of_the_test_file(lab: Lab) -> None:
    module = ast.parse(lab.test_file.read_text("utf-8"))
    functions = [node.name for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [name for name in functions if name.startswith("test_")]
    assert tests == [*lab.required_tests, *lab.bonus_tests]


@labs_by_number
def test_the_register_names_the_labs_that_a_solution_imports(lab: Lab) -> None:
    imported = re.findall(r"^from \.\.lab_10_(\d)\.session import", solution_of(lab), re.MULTILINE)
    assert tuple(f"10.{digit}" for digit in imported) == lab.needs


def test_both_trees_have_the_same_files() -> None:
    def files(tree: str) -> set[str]:
        folders = [ROOT / tree / lab.folder for lab in LABS]
        return {str(path.relative_to(ROOT / tree)) for folder in folders for path in folder.glob("*.py")}

    assert files("labs") == files("solutions") == {f"{lab.folder}/session.py" for lab in LABS}


@labs_by_number
def test_each_test_fails_on_the_stub_with_the_message_meant_for_it(
    lab: Lab, engine: Engine, labs: Path, solutions: Path
) -> None:
    verdict = engine.run_lab(lab, labs, beneath=solutions)

    assert verdict.status == "not written"
    assert {(result.outcome, result.kind) for result in verdict.results} == {("failed", "not written")}
    messages = {result.message for result in verdict.results}
    assert messages <= {f"Lab {lab.number}: {task} is not written yet" for task in lab.tasks}


@labs_by_number
def test_each_test_passes_on_the_solution(lab: Lab, engine: Engine, solutions: Path) -> None:
    verdict = engine.run_lab(lab, solutions)

    assert (verdict.status, verdict.reason) == ("passed", "")
    assert {result.outcome for result in verdict.results} == {"passed"}


@labs_by_number
def test_each_task_has_steps_and_each_test_a_hint(lab: Lab) -> None:
    assert [task for task, steps in steps_for_tasks(lab).items() if len(steps) < 2] == []
    assert [test for test in (*lab.required_tests, *lab.bonus_tests) if not hint_for_test(lab, test)] == []


@labs_by_number
def test_hints_and_texts_give_no_line_of_an_answer(lab: Lab) -> None:
    hints = ROOT / "scaffold" / "hints" / f"{lab.folder}.toml"
    text = ROOT / "labs" / lab.folder / "README.md"
    told = hints.read_text("utf-8") + text.read_text("utf-8")
    assert [line for line in answers_of(lab) if line in told] == []


@labs_by_number
def test_a_text_names_only_what_there_is(lab: Lab) -> None:
    text = (ROOT / "labs" / lab.folder / "README.md").read_text("utf-8")
    tests = {test for other in LABS for test in (*other.required_tests, *other.bonus_tests)}
    paths = re.findall(r"`((?:labs|scaffold|tests|solutions)/[\w./]+)`", text)
    numbers = re.findall(r"grade\.py(?: \w+)? (10\.\d)", text)

    assert set(re.findall(r"\btest_[a-z_0-9]+\b(?!\.py)", text)) - tests - {"test_lab_10_" + lab.number[-1]} == set()
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert lab.number in [find_lab(number).number for number in numbers]


@labs_by_number
def test_a_break_it_turns_red_what_the_text_says(lab: Lab) -> None:
    text = (ROOT / "labs" / lab.folder / "README.md").read_text("utf-8")
    section = text.partition("## Break it")[2].partition("\n## ")[0].partition("The names in brackets")[0]
    breakages = {breakage.name: set(breakage.red) for breakage in breakages_of(lab)}
    items = re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]

    assert items
    for item in items:
        named = [breakages[name] for name in re.findall(r"\(`([a-z-]+)`", item)]
        assert named, f"names no breakage: {item}"
        assert set(re.findall(r"\btest_\w+", item)) == set().union(*named), item


@labs_by_number
def test_a_text_has_all_its_parts(lab: Lab) -> None:
    text = (ROOT / "labs" / lab.folder / "README.md").read_text("utf-8")
    assert text.startswith(f"# Lab {lab.number}: ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "What you'll be able to do",
        "Predict first",
        "The idea",
        "The rules",
        "Build it",
        "Run it",
        "Break it",
        "What this does not prove",
        "Bonus",
    ]
    assert "<details>" in text

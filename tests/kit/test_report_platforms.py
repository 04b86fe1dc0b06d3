"""Gradescope and GitHub Classroom get what they document, and readers of JUnit get XML. None learns of the exam."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types, and comes with JupyterLab

from kit.report_samples import DIFFERENCE, HOSTILE, SEED, full_lab, hostile_report, hostile_row, marks, report, row
from scaffold.classroom.model import STATUSES, Item, LabResult, Marks, Row, Status, Student
from scaffold.classroom.report import autograder, gradescope_zip
from scaffold.classroom.report.github import classroom_result, encoded, workflow
from scaffold.classroom.report.gradescope import as_json, gradescope_results
from scaffold.classroom.report.junit import junit_xml
from scaffold.classroom.report.safe import line, paragraph
from scaffold.course import LABS
from scaffold.grading.engine import Engine
from scaffold.grading.verdict import as_json as verdict_as_json

TEXTS = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
RIGHT = Item("test_path_is_the_chain_of_the_chosen_leaf", "checkpoint", "passed", "passed")
WRONG = Item("test_ids_are_unique_and_entries_are_copied", "checkpoint", "failed", "failed", "two entries are called a")
ONLY_TESTS = Item("test_a_long_chain_needs_no_recursion", "python", "passed", "failed", "", DIFFERENCE)
NOT_RUN = Item("test_what_must_be_read_is_checked", "python", "not run", "not run")
LAB = LabResult("10.1", "timed out", "the time was up", [RIGHT, WRONG, ONLY_TESTS, NOT_RUN])
ADA = Row(Student("ada", "Ada"), "partial", Marks(1, 0.25, 0.75, 4, "1 day late"), [LAB])


def test_gradescope_gets_the_points_and_each_item() -> None:
    results = json.loads(as_json(gradescope_results(ADA, {("10.1", RIGHT.name): 2.5, ("10.1", WRONG.name): 1.5})))

    assert results["score"] == 0.75
    assert results["output"].split("\n") == [
        "partial: some of it was run to its end, and some was not",
        "1 day late",
        "lab 10.1, timed out: the time was up",
    ]
    tests = results["tests"]
    assert [test["status"] for test in tests] == ["passed", "failed", "failed", "failed"]
    assert [(test["score"], test["max_score"]) for test in tests] == [(2.5, 2.5), (0, 1.5), (0, 0), (0, 0)]
    assert tests[0]["name"] == "10.1 path is the chain of the chosen leaf (checkpoint)"
    assert tests[1]["output"] == "wrong: the lab's tests find a mistake\n\ntwo entries are called a"


@TEXTS
def test_gradescope_shows_foreign_text_as_plain_text_only(text: str) -> None:
    results = json.loads(as_json(gradescope_results(hostile_row(text))))

    documented = {"score", "output", "output_format", "test_output_format", "test_name_format", "visibility"}
    assert set(results) == documented | {"stdout_visibility", "extra_data", "tests"}
    assert {results[each] for each in ("output_format", "test_output_format", "test_name_format")} == {"text"}
    assert (results["visibility"], results["stdout_visibility"]) == ("visible", "hidden")
    for test in results["tests"]:
        assert set(test) == {"name", "score", "max_score", "status", "output", "visibility"}
    assert results["tests"][0]["output"].endswith(paragraph(text))
    assert DIFFERENCE not in json.dumps(results)


RESULTS = {
    "one lab of several": (row("a", "graded", 4, [full_lab(LABS[0])]), 4, "fail"),
    "full points": (replace(row("a", labs=[full_lab(LABS[0])]), marks=marks(4, 4)), 4, "pass"),
    "late": (ADA, 0.75, "fail"),
    "an override upwards": (replace(ADA, marks=Marks(1, 0, 4, 4, "by hand")), 4, "pass"),
    "nothing handed in": (row("a", "missing"), 0, "fail"),
    "nothing to be had": (replace(row("a", "missing"), marks=marks(0, 0)), 0, "fail"),
    "the grader's fault": (row("a", "grader error"), 0, "error"),
}


@pytest.mark.parametrize(("one", "points", "status"), RESULTS.values(), ids=RESULTS)
def test_the_scores_of_a_classroom_result_add_up_to_the_points(one: Row, points: float, status: str) -> None:
    result = json.loads(base64.b64decode(encoded(classroom_result(one))))

    assert sum(test["score"] for test in result["tests"]) == pytest.approx(points)
    assert result["max_score"] == one.marks.maximum
    assert result["status"] == status
    assert {test["status"] for test in result["tests"]} <= {"pass", "fail"}


@TEXTS
def test_a_classroom_result_holds_no_command_for_the_log(text: str) -> None:
    said = [each[key] for each in classroom_result(hostile_row(text))["tests"] for key in ("name", "message")]
    assert [each for each in said if "::" in each or "##[" in each or "\n" in each or DIFFERENCE in each] == []


@pytest.fixture
def steps() -> list[dict[str, Any]]:
    found = yaml.safe_load(workflow())
    assert found["name"] == "Autograding Tests"  # these two names are what GitHub Classroom looks for
    assert list(found["jobs"]) == ["run-autograding-tests"]
    assert set(found["on"]) == {"push", "workflow_dispatch"}
    assert found["permissions"] == {"contents": "read"}
    assert found["jobs"]["run-autograding-tests"]["timeout-minutes"] <= 30
    steps = found["jobs"]["run-autograding-tests"]["steps"]
    assert isinstance(steps, list)
    return steps


def test_the_workflow_runs_the_labs_and_puts_no_foreign_text_into_a_command(steps: list[dict[str, Any]]) -> None:
    commands = [step["run"] for step in steps if "run" in step]
    assert commands[1].startswith("python grade.py --all --json > grade.json")
    assert [command for command in commands if "${{" in command] == []


def run_step(script: str, folder: Path) -> tuple[int, str, str, str]:
    """Run a step that is written in Python, as GitHub does: exit code, log, output and summary."""
    output, summary = folder / "output", folder / "summary"
    environment = {**os.environ, "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    texts = [path.read_text("utf-8") if path.exists() else "" for path in (output, summary)]
    return done.returncode, done.stdout + done.stderr, *texts  # type: ignore[return-value]  # two texts


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tree", "points", "code"), [("solutions", 4, 0), ("labs", 0, 1)])
def test_the_workflow_reports_the_points_of_a_real_run(
    steps: list[dict[str, Any]], engine: Engine, tmp_path: Path, tree: str, points: int, code: int
) -> None:
    verdict = engine.run_lab(LABS[0], Path(__file__).parents[2] / tree)
    (tmp_path / "grade.json").write_text(json.dumps({"labs": [verdict_as_json(verdict)]}), "utf-8")

    done, log, output, summary = run_step(steps[-1]["run"], tmp_path)

    assert done == code
    assert f"::notice title=Autograding complete::Points {points}/4\n" in log
    assert f'::notice title=Autograding report::{{"totalPoints":{points},"maxPoints":4}}\n' in log
    result = json.loads(base64.b64decode(output.removeprefix("result=")))
    assert (sum(test["score"] for test in result["tests"]), result["max_score"]) == (points, 4)
    assert f"## Points {points}/4" in summary
    assert "| 10.1 `path_to` |" in summary


@pytest.mark.parametrize("text", ["", "{}", "[1]", None], ids=["nothing", "no labs", "a list", "no file"])
def test_the_workflow_says_that_there_is_no_report(
    steps: list[dict[str, Any]], tmp_path: Path, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "grade.json").write_text(text, "utf-8")

    done, log, output, _ = run_step(steps[-1]["run"], tmp_path)

    assert (done, output) == (1, "")
    assert "grade.py wrote no report" in log


def test_junit_has_a_suite_a_student_and_a_case_an_item() -> None:
    root = ET.fromstring(junit_xml(report(ADA, row("bob", "missing"))))  # noqa: S314 (our own)

    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("5", "2", "2")
    ada, bob = root.findall("testsuite")
    assert ada.findall("testcase")[0].attrib["name"] == "path is the chain of the chosen leaf"
    assert [[child.tag for child in case] for case in ada.findall("testcase")] == [
        [],
        ["failure"],
        ["failure"],
        ["error"],
    ]
    assert ada.findall("testcase/failure")[0].text == "two entries are called a"
    assert [case.find("error") is not None for case in bob.findall("testcase")] == [True]


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "graded"])
def test_in_junit_nothing_is_green_because_nothing_was_run(status: Status) -> None:
    red = LabResult("10.1", status, "why")
    rows = [row("a", status), row("b", status, labs=[red]), row("c", status, labs=[red, full_lab(LABS[1])])]

    suites = ET.fromstring(junit_xml(report(*rows)))  # noqa: S314 (our own)

    assert [(suite.attrib["errors"], suite.attrib["tests"]) for suite in suites] == [("1", "1"), ("1", "1"), ("1", "7")]


@TEXTS
def test_junit_is_well_formed_and_gives_back_what_went_in(text: str) -> None:
    written = junit_xml(report(hostile_row(text)))
    root = ET.fromstring(written)  # noqa: S314 (our own)

    assert root[0].attrib["name"] == line(text, 200)
    assert (root.findall(".//failure")[0].text or "") == paragraph(text)
    assert DIFFERENCE not in written
    assert SEED not in written


@pytest.fixture(scope="module")
def unzipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Gradescope makes of the zip: the folder `/autograder`, but for Python's environment."""
    root = tmp_path_factory.mktemp("autograder")
    with zipfile.ZipFile(gradescope_zip(root / "new" / "autograder.zip", ["--jobs", "1 2"])) as archive:
        archive.extractall(root / "source")
        modes = {member.filename: member.external_attr >> 16 & 0o777 for member in archive.infolist()}
    assert {name for name, mode in modes.items() if mode & 0o111} == {"setup.sh", "run_autograder"}
    return root


def test_the_zip_holds_the_course_and_its_reference(unzipped: Path) -> None:
    files = {
        path.relative_to(unzipped / "source").as_posix() for path in (unzipped / "source").rglob("*") if path.is_file()
    }

    assert {"setup.sh", "run_autograder", "course/grade.py", "course/pyproject.toml", "course/README.md"} <= files
    assert {f"course/solutions/{lab.folder}/session.py" for lab in LABS} <= files
    assert [name for name in files if "/tests/kit/" in name or "__pycache__" in name or "/.git" in name] == []


def test_the_same_course_gives_the_same_zip(tmp_path: Path) -> None:
    assert gradescope_zip(tmp_path / "a.zip").read_bytes() == gradescope_zip(tmp_path / "b.zip").read_bytes()


def test_a_folder_is_no_zip(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="name the zip to write"):
        gradescope_zip(tmp_path)


def test_a_practice_folder_makes_no_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autograder, "REFERENCE", None)
    with pytest.raises(ValueError, match="practice folder"):
        gradescope_zip(tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == []


bash = pytest.mark.skipif(
    shutil.which("bash") is None or sys.platform != "linux", reason="Gradescope runs bash on Linux"
)
FAKE_PYTHON = """#!/usr/bin/env bash
printf '%s\\n' "$@" > "$AUTOGRADER_ROOT/arguments"
find "$3" -type f -printf 'file %P\\n' -o -type l -printf 'link %P\\n' > "$AUTOGRADER_ROOT/submitted"
[ -z "$REPORTS" ] || { mkdir -p "$5/gradescope"; echo '{"score": 1}' > "$5/gradescope/submission.json"; }
exit 1
"""


@bash
@pytest.mark.parametrize("script", ["setup.sh", "run_autograder"])
def test_the_scripts_of_the_zip_are_bash(unzipped: Path, script: str) -> None:
    done = subprocess.run(["bash", "-n", unzipped / "source" / script], timeout=10, check=False)  # noqa: S607
    assert done.returncode == 0


@bash
@pytest.mark.parametrize("reports", ["yes", ""], ids=["a report", "no report"])
def test_the_autograder_hands_over_the_report_or_fails(unzipped: Path, reports: str) -> None:
    for folder in ("submission", "results", "venv/bin"):
        shutil.rmtree(unzipped / folder, ignore_errors=True)
        (unzipped / folder).mkdir(parents=True)
    (unzipped / "submission" / "session.py").write_text("x", "utf-8")
    (unzipped / "submission" / "link").symlink_to("/etc/passwd")
    python = unzipped / "venv" / "bin" / "python"
    python.write_text(FAKE_PYTHON, "utf-8")
    python.chmod(0o755)
    environment = {**os.environ, "AUTOGRADER_ROOT": str(unzipped), "REPORTS": reports}

    command = ["bash", str(unzipped / "source" / "run_autograder")]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=10, check=False)

    assert (done.returncode == 0) == bool(reports)
    assert (unzipped / "results" / "results.json").exists() == bool(reports)
    arguments = (unzipped / "arguments").read_text("utf-8").splitlines()
    assert arguments[:2] == ["grade.py", "class"]
    assert arguments[3] == "-o"
    assert arguments[5:] == ["--jobs", "1 2"]
    submitted = (unzipped / "submitted").read_text("utf-8").splitlines()
    assert set(submitted) == {"file submission/session.py", "link submission/link"}
    assert not Path(arguments[2]).exists()


def test_no_file_for_platforms_knows_the_seed() -> None:
    rows = hostile_report().rows
    texts = [as_json(make(each)) for each in rows for make in (gradescope_results, classroom_result)]
    assert [text for text in texts if SEED in text or DIFFERENCE in text] == []

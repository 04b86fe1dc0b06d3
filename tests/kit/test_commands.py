"""The command line, as a student and an instructor use it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kit.copies import Course
from scaffold.course import LABS, find_lab

pytestmark = pytest.mark.timeout(60)

FIRST, SECOND, FOURTH = find_lab("10.1"), find_lab("10.2"), find_lab("10.4")


def test_a_fresh_run_says_where_to_begin(course: Course) -> None:
    done = course()

    assert done.returncode == 1
    assert done.stderr == ""
    assert re.match(r"10\.1 path_to .*Lab 10\.1: path_to is not written yet\n", done.stdout)
    assert "Traceback" not in done.stdout
    assert "0 of 6 labs, 0 of 14 checkpoints." in done.stdout
    assert "python grade.py 10.1" in done.stdout


def test_a_solved_lab_leads_to_the_next(course: Course) -> None:
    course.solve(FIRST)

    lines = course().stdout.splitlines()

    assert "✓ 2/2 + 2/2 Python" in lines[0]
    assert "Lab 10.2: parse_session_entry is not written yet" in lines[1]
    assert "not checked: comes after lab 10.2" in lines[2]
    assert "1 of 6 labs, 2 of 14 checkpoints." in lines


def test_the_reference_is_green_and_every_test_is_named(course: Course) -> None:
    done = course("--tree", "solutions", "--all")

    assert done.returncode == 0
    assert "6 of 6 labs, 14 of 14 checkpoints." in done.stdout
    tests = {test for lab in LABS for test in (*lab.required_tests, *lab.bonus_tests)}
    assert [test for test in tests if test.removeprefix("test_").replace("_", " ") not in done.stdout] == []


def test_json_has_each_lab_and_each_test(course: Course) -> None:
    course.solve(FIRST)

    done = course("--all", "--json")

    report = json.loads(done.stdout)
    assert (done.returncode, report["passed"]) == (1, False)
    assert [(lab["lab"], lab["passed"]) for lab in report["labs"]] == [(lab.number, lab == FIRST) for lab in LABS]
    assert report["labs"][0]["checkpoints"] == {"passed": 2, "total": 2}
    assert {test["outcome"] for test in report["labs"][0]["tests"]} == {"passed"}
    assert {test["outcome"] for test in report["labs"][1]["tests"]} == {"failed"}


def test_a_red_test_shows_the_rule_what_was_expected_and_a_hint(course: Course) -> None:
    source = course.source(FIRST)
    course.solve(FIRST)
    source.write_text(source.read_text("utf-8").replace("copy.deepcopy(entry)", "entry"), "utf-8")

    done = course("10.1")

    assert "✗ 1/2" in done.stdout
    assert "failed: test_ids_are_unique_and_entries_are_copied" in done.stdout
    for word in ("rule: ", "expected: ", "actual: ", "hint: "):
        assert word in done.stdout


def test_one_mistake_is_paid_for_once(course: Course) -> None:
    for lab in LABS:
        course.solve(lab)
    source = course.source(SECOND)
    wrong = source.read_text("utf-8").replace("if count < 0:", "if count < -10**9:")
    source.write_text(wrong, "utf-8")
    source = course.source(FOURTH)
    source.write_text(source.read_text("utf-8").replace("parse_session_entry(value)", "dict(value)"), "utf-8")

    labs = {lab["lab"]: lab for lab in json.loads(course("--all", "--json").stdout)["labs"]}

    assert (labs["10.2"]["status"], labs["10.2"]["note"]) == ("failed", "")
    assert (labs["10.3"]["status"], labs["10.3"]["note"]) == ("passed", "")
    assert (labs["10.4"]["status"], labs["10.4"]["note"]) == (
        "failed",
        "judged on its own, since lab 10.2 beneath it is not right yet",
    )


def test_a_lab_over_a_wrong_one_can_be_right_on_its_own(course: Course) -> None:
    course.solve(FOURTH)

    [lab] = json.loads(course("10.4", "--json").stdout)["labs"]

    assert (lab["status"], lab["note"]) == ("passed", "right on its own; lab 10.2 beneath it is not")


def test_hints_go_further_step_by_step(course: Course) -> None:
    one, two = course("hint", "10.1").stdout, course("hint", "10.1", "2").stdout

    assert [task for task in FIRST.tasks if f"{task}\n  1. " not in one] == []
    assert "  2. " not in one
    assert "  2. " in two
    assert "python grade.py hint 10.1 2" in one
    assert max(map(len, two.splitlines())) <= 100


def test_hints_can_be_had_for_one_task(course: Course) -> None:
    told = course("hint", "10.5", "2", "read").stdout

    assert told.startswith("JsonlSessionStore.read\n  1. ")
    assert "  2. " in told
    assert "JsonlSessionStore.append" not in told
    assert course("hint", "lab_10_5", "JsonlSessionStore.read", "2").stdout == told
    assert "lab 10.5 has no task nothing" in course("hint", "10.5", "nothing").stderr


def test_a_stop_and_the_number_of_red_cases_are_told(course: Course) -> None:
    loop = "def path_to(entries, leaf_id):\n    while leaf_id.startswith('ring'): pass\n    return []\n"
    course.source(FIRST).write_text(loop, "utf-8")

    told = course("10.1").stdout

    assert re.search(r"\[.*ring\] did not come to an end; the tests after it were not run", told)
    assert re.search(r"path is the chain of the chosen leaf   \(\d+ of \d+ cases are red\)", told)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_reader_who_has_seen_enough_is_no_error(course: Course) -> None:
    command = f"{sys.executable} grade.py hint 10.5 3 | true"
    done = subprocess.run(["sh", "-c", command], cwd=course.root, capture_output=True, timeout=60, check=False)  # noqa: S607
    assert done.stderr == b""


def test_reset_brings_the_stub_back_and_keeps_the_work(course: Course) -> None:
    source = course.source(FIRST)
    stub = source.read_bytes()
    source.write_bytes(b"my work\n")

    first, again = course("reset", "10.1"), course("reset", "10.1")

    assert source.read_bytes() == stub
    assert source.with_name("session.py.1.bak").read_bytes() == b"my work\n"
    assert "session.py.1.bak" in first.stdout
    assert "bak" not in again.stdout


def test_reset_never_overwrites_an_older_backup(course: Course) -> None:
    source = course.source(FIRST)
    for work in (b"one\n", b"two\n"):
        source.write_bytes(work)
        course("reset", "10.1")

    assert [source.with_name(f"session.py.{number}.bak").read_bytes() for number in (1, 2)] == [b"one\n", b"two\n"]


def test_the_reference_is_shown_only_after_green(course: Course) -> None:
    before = course("diff", "10.1")
    course.solve(FIRST)
    source = course.source(FIRST)
    source.write_text(source.read_text("utf-8").replace("reverse_path", "backwards"), "utf-8")
    after = course("diff", "10.1")

    assert (before.returncode, after.returncode) == (1, 0)
    assert "not green yet" in before.stdout
    assert "reverse_path" not in before.stdout
    assert re.search(r"^-.*backwards = \[current\]", after.stdout, re.MULTILINE)
    assert re.search(r"^\+.*reverse_path = \[current\]", after.stdout, re.MULTILINE)


def test_break_lists_what_there_is_and_shows_what_it_does(course: Course) -> None:
    names = [line.split()[0] for line in course("break", "10.5").stdout.splitlines() if line and line[0] != " "]
    shown = course("break", "10.5", "only-this-append-fails").stdout

    assert len(names) >= 5
    assert "only-this-append-fails" in names
    assert re.search(r"^  - ", shown, re.MULTILINE)
    assert re.search(r"^  \+ ", shown, re.MULTILINE)
    assert re.search(r"^red: test_", shown, re.MULTILINE)


MISTAKES = {
    "an unknown lab": (["10.9"], "there is no lab 10.9"),
    "an unknown command": (["grade"], "there is no lab grade"),
    "an unknown lab of a command": (["hint", "11"], "there is no lab 11"),
    "a folder that is not there": (["--tree", "nowhere"], "there is no folder"),
    "an unknown breakage": (["break", "10.1", "nonsense"], "lab 10.1 has no breakage nonsense"),
    "a practice folder in the course": (["practice", "inside"], "inside the course itself"),
    "a practice folder that is not empty": (["practice", ".."], "is not empty; nothing was written"),
    "a hint before the first": (["hint", "10.1", "0"], "counted from 1 on"),
}


@pytest.mark.parametrize(("arguments", "reason"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_on_the_command_line_is_explained(course: Course, arguments: list[str], reason: str) -> None:
    done = course(*arguments)

    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_folder_has_seven_missing_labs(course: Course, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    report = json.loads(course("--tree", str(tmp_path / "empty"), "--all", "--json").stdout)

    assert [lab["status"] for lab in report["labs"]] == ["missing"] * 7


def test_a_screen_that_knows_ascii_only_gets_plain_marks(course: Course) -> None:
    course.source(FIRST).write_text("def path_to(entries, leaf_id):\n    return ['道✓']\n", "utf-8")

    done = course("10.1", PYTHONUTF8="0", PYTHONIOENCODING="ascii")

    assert done.returncode == 1
    assert done.stdout.isascii()
    assert re.match(r"10\.1 path_to +no 0/2", done.stdout)


def test_all_commands_are_listed(course: Course) -> None:
    told = course("--help").stdout

    for command in ("10.N", "list", "hint", "reset", "diff", "break", "notebook", "practice", "check"):
        assert re.search(rf"^  {re.escape(command)}\b", told, re.MULTILINE), command
    assert [lab.number for lab in LABS if lab.number not in course("list").stdout] == []

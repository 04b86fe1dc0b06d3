"""`%lab` and `%%lab` do in a notebook what `grade.py` does in a terminal, and lose nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kit.copies import Course, solution_of
from kit.kernels import Kernel, kernel_in
from scaffold.course import LABS, ROOT
from scaffold.notebook.faces import WIDGET_VIEW
from scaffold.notebook.magics import write_cell
from scaffold.stubs import fresh_stub

pytestmark = pytest.mark.timeout(60)

FIRST = LABS[0]
IMPORT = "from scaffold.notebook import lab"


@pytest.fixture
def kernel(course: Course) -> Iterator[Kernel]:
    with kernel_in(course.root) as ready:
        assert ready.run(IMPORT).status == "ok"
        yield ready


def cell_of(text: str) -> str:
    return f"%%lab 10.1\n{text}"


def test_the_import_line_is_silent_and_sets_everything_up(course: Course) -> None:
    with kernel_in(course.root) as kernel:
        imported = kernel.run("from scaffold.notebook import BreakIt, FileBytes, SessionTree, TreeExplorer, lab")
        assert (imported.status, imported.printed, imported.shown) == ("ok", "", [])
        assert kernel.run("%lab 10.1 --tree solutions").status == "ok"


def test_a_notebook_of_another_copy_of_the_course_is_told(course: Course) -> None:
    with kernel_in(course.root) as kernel:
        refused = kernel.run(f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{IMPORT}")

    assert refused.status == "error"
    assert f"this notebook is in {course.root}, and Python takes the course from {ROOT}" in refused.error


def test_a_cell_is_written_and_its_tests_are_run(kernel: Kernel, course: Course) -> None:
    ran = kernel.run(cell_of(solution_of(FIRST)))

    assert ran.status == "ok"
    assert course.source(FIRST).read_text("utf-8") == solution_of(FIRST)
    assert ran.printed.startswith("wrote labs/lab_10_1/session.py\n10.1 path_to                   ✓ 2/2 + 2/2 Python\n")


def test_the_verdict_is_that_of_the_command(kernel: Kernel, course: Course) -> None:
    mistake = solution_of(FIRST).replace("copy.deepcopy(entry)", "entry")
    ran = kernel.run(cell_of(mistake))
    told = course("10.1").stdout.partition("Next:")[0].strip()

    assert ran.status == "error"
    assert ran.error == "lab 10.1 is not green yet: failed"
    assert ran.printed.strip() == f"wrote labs/lab_10_1/session.py\n{told}"


def test_a_spinner_is_shown_at_once_and_goes_away(kernel: Kernel) -> None:
    ran = kernel.run("%lab 10.1 --tree solutions")

    assert [list(bundle) for bundle in ran.shown] == [[WIDGET_VIEW]]
    assert kernel.run("import ipywidgets; len(ipywidgets.Widget._active_widgets)").status == "ok"


def test_a_stub_says_what_is_not_written_in_one_line(kernel: Kernel) -> None:
    ran = kernel.run('session = lab("10.1")\nsession.path_to([], "a")')

    assert ran.status == "error"
    assert ran.error.split("\n")[0] == "Lab 10.1: path_to is not written yet"
    assert len(ran.error.split("\n")) == 2


def test_a_file_is_loaded_afresh_as_soon_as_it_has_changed(kernel: Kernel, course: Course) -> None:
    kernel.run('session = lab("10.1")')
    course.source(FIRST).write_text("ANSWER = 1\n", "utf-8")
    first = kernel.run("print(session.ANSWER)")
    course.source(FIRST).write_text("ANSWER = 2\n", "utf-8")
    second = kernel.run("print(session.ANSWER)")
    course.source(FIRST).write_text("ANSWER = \n", "utf-8")
    third = kernel.run("print(session.ANSWER)")
    course.source(FIRST).write_text("ANSWER = 4\n", "utf-8")

    assert (first.printed, second.printed) == ("1\n", "2\n")
    assert third.error == "session.py line 1: SyntaxError: invalid syntax"
    assert kernel.run("print(session.ANSWER)").printed == "4\n"
    assert kernel.run("session.nothing").error == "Lab 10.1: session.py has no nothing"


DEADLOCKS = {
    "an await that never ends": "import asyncio\nprint('here')\nawait asyncio.Event().wait()",
    "a lock taken twice": "from threading import Lock\nkey = Lock()\nkey.acquire()\nprint('here')\nkey.acquire()",
    "a loop without an end": "print('here')\nwhile True:\n    pass",
    "a queue that waits for itself": (
        "from scaffold.given.fifo import Fifo\nqueue = Fifo()\n\nasync def job():\n    await queue.drain()\n\n"
        "print('here')\nawait queue.submit(job)"
    ),
}


@pytest.mark.parametrize("code", DEADLOCKS.values(), ids=DEADLOCKS)
def test_stop_ends_a_cell_that_would_never_end(kernel: Kernel, code: str) -> None:
    cell = kernel.begin(code)
    kernel.wait_for_print("here")
    kernel.interrupt()

    assert kernel.result(cell).status == "error"
    assert kernel.run("print('alive')").printed == "alive\n"


def test_stop_ends_the_tests_and_leaves_no_process(kernel: Kernel, course: Course) -> None:
    course.source(FIRST).write_text("def path_to(entries, leaf_id):\n    while True:\n        pass\n", "utf-8")
    cell = kernel.begin("%lab 10.1")
    kernel.wait_for_display()
    kernel.interrupt()

    assert kernel.result(cell).status == "error"
    assert kernel.run("import subprocess; print(subprocess._active)").printed == "[]\n"


def test_a_lab_that_never_ends_is_stopped_by_its_limit(kernel: Kernel, course: Course) -> None:
    course.source(FIRST).write_text("def path_to(entries, leaf_id):\n    while True:\n        pass\n", "utf-8")
    ran = kernel.run("%lab 10.1")

    assert ran.error == "lab 10.1 is not green yet: timed out"
    assert "✗" in ran.printed


def test_what_a_lab_prints_does_not_flood_the_notebook(kernel: Kernel, course: Course) -> None:
    course.source(FIRST).write_text("def path_to(entries, leaf_id):\n    print('x' * 50_000_000)\n", "utf-8")
    ran = kernel.run("%lab 10.1")

    assert ran.status == "error"
    assert len(ran.printed) < 20_000


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%lab", "the following arguments are required: lab"),
        ("%lab 10.9", "there is no lab 10.9; there are 10.1"),
        ("%lab 10.1 --tree nowhere", "there is no folder"),
        ("%lab 10.1 --no-such-option", "unrecognized arguments: --no-such-option"),
        ("%%lab 10.1 --tree solutions\nx = 1", "never to the reference"),
    ],
)
def test_a_mistake_in_the_magic_is_explained(kernel: Kernel, line: str, reason: str) -> None:
    ran = kernel.run(line)

    assert ran.status == "error"
    assert reason in ran.error + ran.printed
    assert "Traceback" not in ran.error + ran.printed


def test_what_was_in_the_file_is_kept(course: Course) -> None:
    path = course.source(FIRST)
    path.write_text("mine = 1\n", "utf-8")

    told = write_cell("other = 2", FIRST, course.root / "labs")

    assert told == "wrote labs/lab_10_1/session.py; what was there before is in session.py.1.bak, beside it"
    assert path.read_text("utf-8") == "other = 2\n"
    assert path.with_name("session.py.1.bak").read_text("utf-8") == "mine = 1\n"


def test_a_cell_that_is_edited_again_makes_no_heap_of_copies(course: Course) -> None:
    for number in range(3):
        write_cell(f"other = {number}", FIRST, course.root / "labs")

    assert [path.name for path in course.source(FIRST).parent.iterdir() if path.suffix == ".bak"] == []


def test_a_change_made_in_an_editor_between_two_runs_is_kept(course: Course) -> None:
    write_cell("first = 1", FIRST, course.root / "labs")
    course.source(FIRST).write_text("by hand\n", "utf-8")
    write_cell("second = 2", FIRST, course.root / "labs")

    assert course.source(FIRST).with_name("session.py.1.bak").read_text("utf-8") == "by hand\n"


def test_a_cell_that_is_still_the_stub_overwrites_nothing(course: Course) -> None:
    course.source(FIRST).write_text("mine = 1\n", "utf-8")

    told = write_cell(fresh_stub(FIRST), FIRST, course.root / "labs")

    assert told == "not written: this cell is the stub, and labs/lab_10_1/session.py is further. Its tests:"
    assert course.source(FIRST).read_text("utf-8") == "mine = 1\n"


def test_a_cell_that_is_in_the_file_already_is_not_written_again(course: Course) -> None:
    write_cell("mine = '道'", FIRST, course.root / "labs")
    before = course.source(FIRST).stat().st_mtime_ns

    assert write_cell("mine = '道'\n\n", FIRST, course.root / "labs") == "labs/lab_10_1/session.py is this cell already"
    assert course.source(FIRST).stat().st_mtime_ns == before
    assert course.source(FIRST).read_bytes() == "mine = '道'\n".encode()

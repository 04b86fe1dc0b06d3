"""The notebooks are what their sources make, they run, and they are red exactly where they should be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.copies import Course
from scaffold.course import LABS, ROOT, Lab
from scaffold.notebook import build
from scaffold.notebook.faces import WIDGET_VIEW
from scaffold.notebook.percent import Kind, cells_of, section
from scaffold.practice import make_practice_folder

pytestmark = pytest.mark.timeout(100)

each_lab = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)


@pytest.fixture
def practice(tmp_path: Path) -> Course:
    folder = tmp_path / "practice"
    make_practice_folder(folder)
    return Course(folder)


def files_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


@each_lab
def test_the_walkthrough_is_what_its_source_makes_when_it_is_run(lab: Lab) -> None:
    before = files_in(ROOT / "labs")

    done = build.run(build.fresh_notebook(lab, "walkthrough"), ROOT / "notebooks")

    assert build.red_cells(done) == []
    assert build.drift(lab, done) == []
    assert files_in(ROOT / "labs") == before


@each_lab
def test_a_saved_notebook_has_pictures_and_texts_and_nothing_of_a_kernel(lab: Lab) -> None:
    text = build.notebook_file(lab).read_bytes()
    notebook = json.loads(text)
    bundles = [output["data"] for output in outputs_of(notebook) if "data" in output]

    assert b"\r" not in text
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert any("image/svg+xml" in bundle for bundle in bundles)
    assert [bundle for bundle in bundles if "text/plain" not in bundle or WIDGET_VIEW in bundle] == []
    assert re.search(r"/(tmp|home|work|root|Users)\b(?!/ada)", text.decode()) is None
    assert [output for output in outputs_of(notebook) if output["output_type"] == "error"] == []


def outputs_of(notebook: Any) -> list[Any]:
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


@each_lab
def test_over_stubs_a_students_notebook_is_red_where_it_runs_the_lab(practice: Course, lab: Lab) -> None:
    cells = [cell for cell in cells_of(lab, "student") if not cell.is_markdown]
    before = files_in(practice.root)

    done = build.run(build.fresh_notebook(lab, "student"), practice.root / "notebooks", practice.root)

    red = [cell.text for cell, status in zip(cells, done.statuses, strict=True) if status != "ok"]
    assert red == [cell.text for cell in cells if cell.runs_the_lab]
    assert files_in(practice.root) == before


@each_lab
def test_over_right_labs_a_students_notebook_is_green(practice: Course, lab: Lab) -> None:
    for each in LABS:
        practice.solve(each)

    done = build.run(build.fresh_notebook(lab, "student"), practice.root / "notebooks", practice.root)

    assert build.red_cells(done) == []
    assert practice.source(lab).read_bytes() == (ROOT / "solutions" / lab.folder / "session.py").read_bytes()


@each_lab
def test_running_a_notebook_twice_in_one_kernel_gives_the_same(lab: Lab) -> None:
    once = build.fresh_notebook(lab, "walkthrough")
    twice = build.fresh_notebook(lab, "walkthrough")
    twice.cells = [*twice.cells, *build.fresh_notebook(lab, "walkthrough").cells]
    for number, cell in enumerate(twice.cells):
        cell.id = f"cell-{number}"

    build.run(twice, ROOT / "notebooks")
    first, second = twice.cells[: len(once.cells)], twice.cells[len(once.cells) :]

    assert [outputs(cell) for cell in first] == [outputs(cell) for cell in second]


def outputs(cell: Any) -> list[Any]:
    return [{key: value for key, value in each.items() if key != "execution_count"} for each in cell.get("outputs", [])]


@pytest.mark.parametrize("kind", ["walkthrough", "student"])
@each_lab
def test_a_notebook_has_all_its_parts(lab: Lab, kind: Kind) -> None:
    cells = cells_of(lab, kind)
    texts = [cell.text for cell in cells if cell.is_markdown]
    codes = [cell.text for cell in cells if not cell.is_markdown]

    assert texts[0].startswith(f"# Lab {lab.number}: ")
    assert "**Whose code this runs.**" in texts[0]
    for name in ("Predict first", "What this does not prove", "Bonus"):
        assert section(lab, name) in texts
    assert "<details>" in "".join(texts)
    assert any(text.startswith("## Break it") for text in texts)
    assert f"%lab {lab.number}" in "".join(codes)
    assert all(len(code.splitlines()) <= 16 for code in codes if not code.startswith("%%lab"))


@each_lab
def test_a_students_notebook_names_no_reference(lab: Lab) -> None:
    codes = [cell.text for cell in cells_of(lab, "student") if not cell.is_markdown]
    assert [code for code in codes if "solutions" in code] == []


def fooling(code: str) -> Any:
    notebook = build.fresh_notebook(LABS[0], "walkthrough")
    [first, *_] = [cell for cell in notebook.cells if cell.cell_type == "code"]
    first.source = code
    notebook.cells = [first]
    return notebook


@pytest.mark.parametrize(
    "code",
    [
        "1 / 0",
        "get_ipython().showtraceback = lambda *a, **k: None\n1 / 0",
        "%no_such_magic",
        "get_ipython()._showtraceback = lambda *a, **k: None\nraise ValueError",
        "this is no Python",
    ],
)
def test_a_red_cell_is_known_by_the_kernels_reply_whatever_it_shows(code: str) -> None:
    assert build.red_cells(build.run(fooling(code), ROOT / "notebooks")) == [
        f"cell-02 ended with 'error': {code.splitlines()[0]}"
    ]


ENDS = {
    "a cell that ends the kernel": ("import os\nos._exit(0)", "kernel died"),
    "a cell without an end": ("while True:\n    pass", "timed out"),
}


@pytest.mark.parametrize(("code", "status"), ENDS.values(), ids=ENDS)
def test_what_breaks_a_run_off_is_red_and_so_is_all_after_it(
    code: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "SECONDS_A_CELL", 2)
    notebook = fooling(code)
    notebook.cells += fooling("1 + 1").cells
    notebook.cells[1].id = "cell-03"

    done = build.run(notebook, ROOT / "notebooks")

    assert done.statuses == (status, "not run")
    assert [line.split()[0] for line in build.red_cells(done)] == ["cell-02", "cell-03"]


def test_drift_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "notebook_file", lambda _: tmp_path / "lab_10_1.ipynb")
    done = build.run(fooling("1 + 1"), ROOT / "notebooks")
    missing = build.drift(LABS[0], done)
    written = build.write(LABS[0], done)
    same = build.drift(LABS[0], done), build.write(LABS[0], done)
    other = build.drift(LABS[0], build.run(fooling("2 + 2"), ROOT / "notebooks"))

    assert missing == ["lab_10_1.ipynb is missing"]
    assert written
    assert same == ([], False)
    assert other == ["lab_10_1.ipynb, cell-02 differs"]


def test_a_red_notebook_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "notebook_file", lambda _: tmp_path / "lab_10_1.ipynb")
    with pytest.raises(ValueError, match="was not written: cell-02 ended with 'error': 1 / 0"):
        build.write(LABS[0], build.run(fooling("1 / 0"), ROOT / "notebooks"))
    assert list(tmp_path.iterdir()) == []


SOURCES = {
    "an unknown tag": ('# %% tags=["studnet"]\n1\n', "there is no tag studnet"),
    "an unknown insert": ("# %% [markdown]\n# {texts: Bonus}\n", r"\{texts: Bonus\} stands for nothing"),
    "a section that is not there": ("# %% [markdown]\n# {text: Nothing}\n", "no section 'Nothing'"),
    "a common part that is not there": ("# %% [markdown]\n# {common: nothing}\n", "no part 'nothing'"),
}


@pytest.mark.parametrize(("source", "reason"), SOURCES.values(), ids=SOURCES)
def test_a_mistake_in_a_source_is_named(
    source: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lab_10_1.py"
    path.write_text(source, "utf-8")
    monkeypatch.setattr("scaffold.notebook.percent.source_file", lambda _: path)

    with pytest.raises(ValueError, match=reason):
        cells_of(LABS[0], "student")


def test_a_source_is_read_cell_by_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lab_10_1.py"
    path.write_text(
        "for authors\n# %% [markdown]\n# # Title\n#\n# text\n\n# %%\n# a comment\n%x = 1\n\n"
        '# %% tags=["student"]\n# %%lab 10.1\nx\n# %% tags=["yours"]\n# %lab 10.1\n',
        "utf-8",
    )
    monkeypatch.setattr("scaffold.notebook.percent.source_file", lambda _: path)

    assert list(read(LABS[0], "student")) == [
        ("# Title\n\ntext", True, False),
        ("# a comment\n%x = 1", False, False),
        ("%%lab 10.1\nx", False, False),
        ("%lab 10.1", False, True),
    ]
    assert len(list(read(LABS[0], "walkthrough"))) == 3


def read(lab: Lab, kind: Kind) -> Iterator[tuple[str, bool, bool]]:
    return ((cell.text, cell.is_markdown, cell.runs_the_lab) for cell in cells_of(lab, kind))

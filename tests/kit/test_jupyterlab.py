"""`python grade.py notebook` opens JupyterLab, and leaves nothing behind: no process, and no file in the course."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.copies import Course
from kit.jupyterlab import JupyterLab, files_in, jupyterlab_in
from scaffold.course import LABS, ROOT
from scaffold.grading.verdict import GraderError
from scaffold.notebook import jupyter
from scaffold.practice import make_practice_folder

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C can't be sent to another process there"),
]

NOTEBOOK = "notebooks/lab_10_1.ipynb"


def folders_in(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_dir()}


def documents_in(dock: Any) -> list[list[str]]:
    return [[widget.partition(":")[2] for widget in area["widgets"]] for area in dock["children"]]


@pytest.fixture(scope="module")
def opened() -> Iterator[JupyterLab]:
    """Lab 10.1 of the course itself, for those that only look."""
    with jupyterlab_in(ROOT, "10.1", "--no-browser") as lab:
        yield lab


def test_text_notebook_and_tests_of_a_lab_lie_side_by_side(opened: JupyterLab) -> None:
    data = opened.ask("/lab/api/workspaces/default")["data"]
    layout = data["layout-restorer:data"]
    documents = documents_in(layout["main"]["dock"])

    assert documents == [
        ["labs/lab_10_1/README.md"],
        [NOTEBOOK],
        ["tests/test_lab_10_1.py", "labs/lab_10_1/session.py"],
    ]
    assert data["markdownviewer-widget:labs/lab_10_1/README.md"]["data"]["factory"] == "Markdown Preview"
    assert layout["left"]["collapsed"]
    assert opened.told[0].startswith("lab 10.1 in JupyterLab: ")
    assert [path for area in documents for path in area if opened.ask(f"/api/contents/{path}")["path"] != path] == []


def test_without_a_lab_the_readme_lies_beside_the_list_of_notebooks(course: Course) -> None:
    with jupyterlab_in(course.root, "--no-browser") as lab:
        data = lab.ask("/lab/api/workspaces/default")["data"]

        assert documents_in(data["layout-restorer:data"]["main"]["dock"]) == [["README.md"], [NOTEBOOK]]
        assert data["file-browser-filebrowser:cwd"] == {"path": "notebooks"}
        assert lab.told[0].startswith("the course in JupyterLab: ")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_and_the_course_is_as_it_was(course: Course, tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "scratch").mkdir()
    files, folders = files_in(course.root), folders_in(course.root)
    with jupyterlab_in(course.root, "10.1", "--no-browser", TMPDIR=str(tmp_path / "scratch")) as lab:
        lab.ask("/api/sessions", {"path": NOTEBOOK, "name": "", "type": "notebook", "kernel": {"name": "python3"}})
        lab.ask(f"/api/contents/{NOTEBOOK}/checkpoints", {})  # as the browser does when it opens a document
        lab.ask("/api/contents/labs/lab_10_1/session.py/checkpoints", {})
        assert list((tmp_path / "scratch").iterdir()) != []

        assert lab.end(how) == (0, [])

    assert files_in(course.root) == files
    assert folders_in(course.root) == folders
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_server_does_not_outlive_whoever_started_it(course: Course, tmp_path: Path) -> None:
    with jupyterlab_in(course.root, "10.1", "--no-browser", TMPDIR=str(tmp_path)) as lab:
        lab.ask("/api/kernels", {"name": "python3"})

        assert lab.end(signal.SIGKILL) == (-signal.SIGKILL, [])


def test_the_kernel_is_the_python_that_runs_the_command(opened: JupyterLab) -> None:
    known = opened.ask("/api/kernelspecs")["kernelspecs"]
    assert known["python3"]["spec"]["argv"][0] == sys.executable


def test_saved_pictures_are_shown_before_a_cell_is_run(opened: JupyterLab) -> None:
    cells = opened.ask(f"/api/contents/{NOTEBOOK}")["content"]["cells"]
    trusted = [cell["metadata"]["trusted"] for cell in cells if cell["cell_type"] == "code"]
    assert set(trusted) == {True}


def test_neither_news_nor_updates_are_fetched(opened: JupyterLab) -> None:
    assert opened.ask("/lab/api/news") == {"news": []}
    assert opened.ask("/lab/api/update") == {"notification": None}
    assert default_of(opened, "apputils-extension:notification", "fetchNews") == "false"


def default_of(lab: JupyterLab, plugin: str, name: str) -> Any:
    return lab.ask(f"/lab/api/settings/@jupyterlab/{plugin}")["schema"]["properties"][name]["default"]


def test_no_key_of_a_notebooks_cells_is_taken_from_a_list_that_has_the_focus(opened: JupyterLab) -> None:
    changed = default_of(opened, "shortcuts-extension:shortcuts", "shortcuts")
    off = {tuple(each["keys"]) for each in changed if each.get("disabled")}
    elsewhere = {tuple(each["keys"]) for each in changed if each["selector"].endswith(" :focus:not(select)")}

    assert off >= {("ArrowUp",), ("ArrowDown",), ("X",), ("D", "D")}
    assert elsewhere == off


def test_only_a_practice_folder_is_saved_by_itself(opened: JupyterLab, tmp_path: Path) -> None:
    assert default_of(opened, "docmanager-extension:plugin", "autosave") is False
    assert "saved by Ctrl-S, and never by itself" in opened.told[1]

    make_practice_folder(tmp_path / "practice")
    with jupyterlab_in(tmp_path / "practice", "10.1", "--no-browser") as lab:
        assert default_of(lab, "docmanager-extension:plugin", "autosave") is True
        assert "Ctrl-S" not in "".join(lab.told)


def test_a_browser_is_given_the_address(course: Course) -> None:
    browser = f"{sys.executable} -c \"import sys; print('given', sys.argv[1])\" %s"
    with jupyterlab_in(course.root, "10.1", BROWSER=browser) as lab:
        assert lab.process.stdout is not None
        assert lab.process.stdout.readline() == f"given {lab.address}\n"


def test_a_server_that_does_not_start_has_its_last_words_shown(course: Course) -> None:
    (course.root / "jupyterlab.py").write_text("raise ImportError('jupyterlab is torn')\n", "utf-8")

    done = course("notebook", "10.1", "--no-browser")

    assert (done.returncode, done.stdout) == (2, "")
    assert "the JupyterLab server broke down" in done.stderr
    assert "jupyterlab" in done.stderr.splitlines()[-1]


def test_a_notebook_that_is_missing_is_named(course: Course) -> None:
    (course.root / NOTEBOOK).unlink()

    done = course("notebook", "10.1", "--no-browser")

    assert done.returncode == 2
    assert f"{course.root / NOTEBOOK} is missing" in done.stderr


def test_without_jupyterlab_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter, "find_spec", {}.get)

    with pytest.raises(GraderError, match=r"JupyterLab is not installed .* python -m pip install -e \."):
        jupyter.open_jupyterlab(LABS[0], browser=False)

"""Makes a practice folder: the course without its answers, which works on its own and with the same commands."""

from __future__ import annotations

import shutil
from pathlib import Path
from string import Template

from scaffold.course import LABS, ROOT
from scaffold.notebook.build import as_text, fresh_notebook, notebook_file
from scaffold.stubs import fresh_stub, pristine_stub

# What only authors need, or what has answers in it.
_LEFT_OUT = (
    "solutions",
    "breakages",
    "classroom",
    "kit",
    "bench",
    ".*",
    "__pycache__",
    "*.pyc",
    "*.bak",
    "*.egg-info",
    "dist",
    "build",
    "practice.md",
    "sources",
    "build.py",
    "percent.py",
)
_TAKEN = ("labs", "scaffold", "tests", "grade.py", "pyproject.toml", "LICENSE", ".gitignore", ".gitattributes")
_README = Path(__file__).with_name("practice.md")


def make_practice_folder(folder: Path) -> None:
    """Make the folder, with a fresh stub and a notebook for each lab.

    Raises FileExistsError if there is something in it already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} is not empty; nothing was written. Name a new folder")
    if folder.resolve().is_relative_to(ROOT):
        raise ValueError(f"{folder} is inside the course itself; name a folder outside of {ROOT}")
    folder.mkdir(parents=True, exist_ok=True)
    ignore = shutil.ignore_patterns(*_LEFT_OUT)
    for name in _TAKEN:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignore)
        elif source.exists():
            shutil.copy(source, folder / name)
    rows = [
        f"| [{lab.number}](labs/{lab.folder}/README.md) | `{lab.title}`{' (bonus)' * lab.is_bonus} |" for lab in LABS
    ]
    text = Template(_README.read_text("utf-8")).substitute(labs="\n".join(rows))
    (folder / "README.md").write_text(text, "utf-8", newline="\n")
    for lab in LABS:
        stub = fresh_stub(lab)
        for path in (folder / "labs" / lab.folder / "session.py", pristine_stub(folder, lab)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(stub, "utf-8", newline="\n")
        notebook = notebook_file(lab, folder)
        notebook.parent.mkdir(exist_ok=True)
        notebook.write_text(as_text(fresh_notebook(lab, "student")), "utf-8", newline="\n")

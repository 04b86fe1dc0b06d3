"""Makes the zip that Gradescope builds an autograder from: the whole course, `setup.sh`, and `run_autograder`.

The grading runs in Gradescope's container, so the zip holds the reference. Students don't see the zip, but their code
runs beside it: `run_autograder` therefore goes through `grade.py class`, whose sandbox hides all of it. Where the
container allows no sandbox, `grade.py class` refuses, and Gradescope shows that the autograder failed. The option
`--no-sandbox` would change that, and hand the reference to any submission that looks for it.
"""

from __future__ import annotations

import shlex
import zipfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from scaffold.course import REFERENCE, ROOT

_SCRIPTS = {"setup.sh": "autograder_setup.sh", "run_autograder": "autograder_run.sh"}
_TAKEN = ("labs", "solutions", "scaffold", "tests", "grade.py", "pyproject.toml", "README.md", "LICENSE")
_LEFT_OUT = (".*", "__pycache__", "*.pyc", "*.bak", "*.egg-info", "kit", "bench")
_WHEN = (1980, 1, 1, 0, 0, 0)  # the first that a zip knows: the same course gives the same bytes
_EXECUTABLE, _PLAIN = 0o100755, 0o100644


def gradescope_zip(path: Path, options: Sequence[str] = ()) -> Path:
    """Write the zip, and return its path. `options` are added to `python grade.py class` as they are.

    Raises ValueError in a practice folder, which has no reference to grade with, and FileExistsError for a folder.
    """
    if REFERENCE is None:
        raise ValueError("this is a practice folder, and has no answers to grade with; use the whole course for that")
    if path.is_dir():
        raise FileExistsError(f"{path} is a folder; name the zip to write, such as {path / 'autograder.zip'}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, source in _SCRIPTS.items():
            text = Path(__file__).with_name(source).read_text("utf-8")
            _add(archive, name, text.replace("@OPTIONS@", shlex.join(options)).encode("utf-8"), _EXECUTABLE)
        for file in _files():
            _add(archive, f"course/{file.relative_to(ROOT).as_posix()}", file.read_bytes(), _PLAIN)
    return path


def _files() -> Iterator[Path]:
    for name in _TAKEN:
        top = ROOT / name
        for file in sorted(top.rglob("*")) if top.is_dir() else [top]:
            parts = file.relative_to(ROOT).parts
            if file.is_file() and not any(fnmatch(part, left) for part in parts for left in _LEFT_OUT):
                yield file


def _add(archive: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    member = zipfile.ZipInfo(name, _WHEN)
    member.create_system = 3  # Unix, also when it is written elsewhere: or else the mode is not read
    member.external_attr = mode << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, data)

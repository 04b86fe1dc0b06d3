"""What a student can do to a `session.py` with a command: begin again, and compare."""

from __future__ import annotations

import difflib
from itertools import count
from pathlib import Path

from scaffold.course import ROOT, Lab
from scaffold.stubs import fresh_stub


def reset(lab: Lab, tree: Path) -> Path | None:
    """Bring a lab's stub back. Return where the old file was kept, or None if there was nothing to keep."""
    path = tree / lab.folder / "session.py"
    stub = fresh_stub(lab)
    backup = None
    if path.is_file():
        if path.read_bytes() == stub.encode():
            return None
        backup = keep(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(stub, "utf-8", newline="\n")
    return backup


def keep(path: Path) -> Path:
    """Copy a file to a new name beside it, and return that name."""
    for number in count(1):
        backup = path.with_name(f"{path.name}.{number}.bak")
        try:
            with backup.open("xb") as file:
                file.write(path.read_bytes())
        except FileExistsError:
            continue
        return backup
    raise AssertionError("count() never ends")


def difference(lab: Lab, tree: Path) -> str:
    """Return how a lab's `session.py` differs from the reference, as a unified diff; "" if it does not."""
    own = tree / lab.folder / "session.py"
    reference = ROOT / "solutions" / lab.folder / "session.py"
    lines = difflib.unified_diff(
        own.read_text("utf-8").splitlines(keepends=True),
        reference.read_text("utf-8").splitlines(keepends=True),
        fromfile=f"yours: {own.name}",
        tofile="the reference",
    )
    return "".join(lines)

"""The hostile corpus: a folder for each kind, in it a small file for each submission, and what becomes of them.

`rows.toml` says of each file:

    about         what it tries
    lab           which lab it is handed in for; 10.1 if nothing is said
    after         "reference": it stands below the reference's code, so that its honest part is all right
    files         of several labs, by their numbers: names of files, or "reference"; without it there is one lab
    status        what the lab's status must be, or several that it may be
    counts        the items that must count, and no others: names, or "all"; without it none
    passes_tests  items that pass the tests and fail the exam: so it does get through one of the two witnesses
    reason, says, shows   what must be in the lab's reason, in a message for the student, in one for the instructor
    never         what must be in none of them

In a file, @BAIT@ stands for a folder outside of the sandbox that is open to all, @ROOT@ for the course, @HOME@ for the
instructor's home, and @ADDRESS@, @PORT@ and @ABSTRACT@ for servers that listen. Python's `faulthandler` is enabled in the
tests, and not in the exam: so a file can tell which of the two witnesses it is in front of.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scaffold.course import LABS, REFERENCE, find_lab

FOLDER = Path(__file__).parent
assert REFERENCE is not None
RIGHT = {lab.folder: (REFERENCE / lab.folder / "session.py").read_bytes() for lab in LABS}


@dataclass(frozen=True)
class Case:
    """One submission, and its expected row."""

    kind: str
    name: str
    about: str
    status: Sequence[str]
    lab: str = "10.1"
    after: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    counts: Sequence[str] = ()
    passes_tests: Sequence[str] = ()
    reason: str = ""
    says: str = ""
    shows: str = ""
    never: Sequence[str] = ()

    def submitted(self, places: Mapping[str, str]) -> dict[str, bytes]:
        """Return the files to hand in, by the folders of their labs."""
        named = self.files or {self.lab: self.name}
        return {find_lab(lab).folder: self._text(find_lab(lab).folder, name, places) for lab, name in named.items()}

    def _text(self, folder: str, name: str, places: Mapping[str, str]) -> bytes:
        if name == "reference":
            return RIGHT[folder]
        text = (FOLDER / self.kind / f"{name}.py").read_text("utf-8")
        for place, leads_to in places.items():
            text = text.replace(f"@{place}@", leads_to)
        return (RIGHT[folder] + b"\n\n" if self.after else b"") + text.encode()

    @property
    def all_items(self) -> list[str]:
        lab = find_lab(self.lab)
        return [*lab.required_tests, *lab.bonus_tests]


def cases() -> list[Case]:
    """Return all submissions. Raises ValueError for a file without a row, or a row without a file."""
    found = []
    for rows in sorted(FOLDER.glob("*/rows.toml")):
        kind = rows.parent.name
        table = tomllib.loads(rows.read_text("utf-8"))
        there = {path.stem for path in rows.parent.glob("*.py")}
        used = {name for row in table.values() for name in row.get("files", {}).values()} - {"reference"}
        if there != used | table.keys():
            raise ValueError(f"{rows}: {sorted(there ^ (used | table.keys()))} have a file or a row, and not both")
        found += [_case(kind, name, dict(row)) for name, row in table.items()]
    return found


def _case(kind: str, name: str, row: dict[str, object]) -> Case:
    case = Case(kind, name, **{**row, "status": _statuses(str(row["status"]))})  # type: ignore[arg-type]
    return Case(**{**vars(case), "counts": case.all_items}) if row.get("counts") == "all" else case


def _statuses(text: str) -> tuple[str, ...]:
    """Return the statuses of a text: some have a blank in them."""
    for name in ("not loadable", "timed out"):
        text = text.replace(name, name.replace(" ", "_"))
    return tuple(each.replace("_", " ") for each in text.split())

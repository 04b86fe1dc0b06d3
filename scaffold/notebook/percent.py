"""Reads the sources of the notebooks: Python files in the percent format, of which two kinds of notebook are made.

A cell begins with `# %%`, and one of text with `# %% [markdown]`; its lines are comments then, and so is a magic. A
cell with `tags=["walkthrough"]` is only in the walkthrough, which runs the reference, and one with `tags=["student"]`
only in the student's notebook. `tags=["yours"]` marks a cell that runs the lab's code, and is red over a stub.

A line `{text: Predict first}` stands for that section of the lab's README, `{question}` for its title and first words,
`{stub}` for the lab's stub, and `{common: the tests}` for a part of `sources/common.md`. So none of them stands
anywhere twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Literal

from scaffold.course import ROOT, Lab
from scaffold.stubs import fresh_stub

Kind = Literal["walkthrough", "student"]

_BEGINNING = re.compile(r"# %%(?: (?P<markdown>\[markdown\]))?(?: tags=(?P<tags>\[.*\]))?")
_COMMON = Path(__file__).with_name("sources") / "common.md"
_INSERT = re.compile(r"^\{(?P<what>\w+)(?:: (?P<name>.+))?\}$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its text, whether that is Markdown, and whether it runs the code of the lab."""

    text: str
    is_markdown: bool
    runs_the_lab: bool


def source_file(lab: Lab) -> Path:
    """Return where the source of a lab's notebook is."""
    return Path(__file__).with_name("sources") / f"{lab.folder}.py"


def cells_of(lab: Lab, kind: Kind) -> list[Cell]:
    """Return the cells of a lab's notebook. Raises ValueError for a source that can't be understood."""
    cells = []
    for tags, is_markdown, lines in _parts(source_file(lab).read_text("utf-8")):
        if unknown := tags - {"walkthrough", "student", "yours"}:
            raise ValueError(f"{source_file(lab).name}: there is no tag {', '.join(unknown)}")
        if tags & {"walkthrough", "student"} in ({kind}, set()):
            text = "\n".join(_without_comment(line, is_markdown=is_markdown) for line in lines).strip("\n")
            cells.append(Cell(_inserted(text, lab), is_markdown, "yours" in tags))
    return cells


def _parts(source: str) -> Iterator[tuple[set[str], bool, list[str]]]:
    """Yield tags, whether it is Markdown, and the lines, of each cell. What stands before the first is for authors."""
    found: tuple[set[str], bool, list[str]] | None = None
    for line in source.split("\n"):
        beginning = _BEGINNING.fullmatch(line.rstrip())
        if beginning:
            if found:
                yield found
            found = (set(json.loads(beginning["tags"] or "[]")), beginning["markdown"] is not None, [])
        elif found:
            found[2].append(line)
    if found:
        yield found


def _without_comment(line: str, *, is_markdown: bool) -> str:
    if is_markdown or re.match(r"# (%|\{)", line):
        return line.removeprefix("#").removeprefix(" ")
    return line


def _inserted(text: str, lab: Lab) -> str:
    def insert(found: re.Match[str]) -> str:
        if found["what"] == "stub":
            return fresh_stub(lab).rstrip("\n")
        if found["what"] == "question":
            return _question(lab)
        if found["what"] == "text":
            return section(lab, found["name"])
        if found["what"] == "common":
            return _common(lab, found["name"])
        raise ValueError(f"{source_file(lab).name}: {found[0]} stands for nothing")

    return _INSERT.sub(insert, text)


def _question(lab: Lab) -> str:
    return _readme(lab).partition("\n## ")[0].strip()


def section(lab: Lab, name: str) -> str:
    """Return a section of the lab's text, with its heading. Raises ValueError if there is none of that name."""
    for part in re.split(r"^(?=## )", _readme(lab), flags=re.MULTILINE):
        heading, _, body = part.partition("\n")
        if heading == f"## {name}":
            return f"{heading}\n{body}".strip()
    raise ValueError(f"the text of lab {lab.number} has no section {name!r}")


def _common(lab: Lab, name: str) -> str:
    parts = re.split(r"^## (?=[a-z])", _COMMON.read_text("utf-8"), flags=re.MULTILINE)
    for part in parts:
        title, _, body = part.partition("\n")
        if title == name:
            return Template(body).substitute(number=lab.number, folder=lab.folder).strip()
    raise ValueError(f"{_COMMON.name} has no part {name!r}")


def _readme(lab: Lab) -> str:
    return (ROOT / "labs" / lab.folder / "README.md").read_text("utf-8")

"""BreakIt: make a small mistake on purpose, and see the tests go red, the bytes, and what recovery says of them."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from scaffold.course import REFERENCE, ROOT, find_lab
from scaffold.grading.engine import Engine
from scaffold.grading.tree import Tree
from scaffold.notebook.careless import MISHAPS, mishap
from scaffold.notebook.faces import Display, scrolled
from scaffold.notebook.file_bytes import WIDTH, FileBytes
from scaffold.notebook.paper import COLUMN, INK, PALE_INK, Paper

if TYPE_CHECKING:  # a practice folder has no breakages
    from scaffold.breakages import Breakage

_WITH_FILES = ("10.4", "10.5", "10.7")
_LINES_OF_A_MESSAGE = 8
_GREEN, _RED = "#1d7a46", "#b3261e"


@dataclass(frozen=True)
class _Part:
    """One line, or one file, of what is shown."""

    kind: Literal["title", "plain", "taken", "added", "red", "file"]
    text: str = ""
    data: bytes = b""


class BreakIt(Display):
    """A mistake, and what comes of it.

    `lab` is a number such as "10.5". `name` is that of a breakage of this lab, as `python grade.py break 10.5` lists
    them, or of a mishap of the careless writer. Without it, there is the careless writer in the labs with a file, and
    the first breakage in the others. A practice folder has no breakages, for they are made in the reference; there the
    careless writer is all there is.

    Raises ValueError for a name that there is not.
    """

    def __init__(self, lab: str, name: str | None = None) -> None:
        self._lab = find_lab(lab)
        self._breakages = _breakages(lab)
        self.names = [*self._breakages, *MISHAPS]
        if lab in _WITH_FILES:
            self.names = [*MISHAPS, *self._breakages]
        self.name = name or self.names[0]
        if self.name not in self.names:
            there = ", ".join(self.names)
            raise ValueError(f"lab {lab} has no breakage {self.name!r} here; there are: {there}")

    @cached_property
    def _parts(self) -> list[_Part]:
        return list(self.parts())

    def parts(self) -> Iterator[_Part]:
        """Break it, and yield what there is to show as soon as it is there."""
        if self.name in self._breakages:
            yield from _of_breakage(self._breakages[self.name])
        else:
            yield from _of_mishap(self.name)

    def lines(self) -> Iterator[str]:
        """Break it, and yield the lines of the text as soon as they are there."""
        return (line for part in self.parts() for line in _in_text(part))

    def text(self) -> str:
        return "\n".join(line for part in self._parts for line in _in_text(part))

    def svg(self) -> str:
        paper = Paper(WIDTH, self.name)
        y = 8.0
        for part in self._parts:
            y += _drawn(paper, y, part)
        paper.height = y + 8
        return paper.svg()

    def widget(self) -> Any:
        import ipywidgets  # noqa: PLC0415 (only a live notebook needs it)

        choice = ipywidgets.Dropdown(options=self.names, value=self.name, description="Break")
        choice.layout.width = "100%"
        button = ipywidgets.Button(description="Break it", button_style="warning")
        view = ipywidgets.HTML(scrolled(self.svg(), 640))

        def run(_: Any) -> None:
            button.disabled = True
            view.value = f"breaking {html.escape(choice.value)} … <progress></progress>"
            try:
                view.value = scrolled(BreakIt(self._lab.number, choice.value).svg(), 640)
            except BaseException as error:
                view.value = f"stopped: {html.escape(type(error).__name__)}: {html.escape(str(error))}"
                raise
            finally:
                button.disabled = False

        button.on_click(run)
        box = ipywidgets.VBox([ipywidgets.HBox([choice, button]), view])
        box.add_class("session-tree-break-it")
        return box


def _breakages(lab: str) -> dict[str, Breakage]:
    if REFERENCE is None:
        return {}
    from scaffold.breakages import breakages_of  # noqa: PLC0415 (a practice folder has none)

    return {breakage.name: breakage for breakage in breakages_of(find_lab(lab))}


def _of_breakage(breakage: Breakage) -> Iterator[_Part]:
    from scaffold.breakages.outcome import edit_of, outcome_of  # noqa: PLC0415 (a practice folder has none)

    yield _Part("title", f"{breakage.lab.number} {breakage.name}: {breakage.what}")
    yield _Part("plain")
    kinds: dict[str, Literal["taken", "added"]] = {"-": "taken", "+": "added"}
    for line in edit_of(breakage):
        yield _Part(kinds.get(line[0], "plain"), f"  {line}")
    yield _Part("plain")
    if breakage.hangs:
        yield _Part(
            "plain", "This one never comes to an end; the limit of each test stops it, and that takes its time."
        )
        yield _Part("plain")
    with Engine() as engine:
        outcome = outcome_of(breakage, engine)
    yield _Part("title", f"red: {', '.join(outcome.red) or 'nothing'}")
    for line in outcome.message.split("\n")[:_LINES_OF_A_MESSAGE]:
        yield _Part("red", f"    {line}")
    for scene in outcome.scenes:
        yield _Part("plain")
        yield _Part("title", f"scene: {scene.title}")
        yield _Part("plain", f"    broken:    {scene.broken.seen}")
        yield _Part("plain", f"    reference: {scene.reference.seen}")
        yield from _files(breakage.lab.number, scene.broken.data, scene.reference.data)


def _files(lab: str, broken: bytes, reference: bytes) -> Iterator[_Part]:
    """Yield the file of a scene; where two trees have left two files, both, and what recovery says of them."""
    if lab == "10.4" or broken == reference:
        yield _Part("file", data=broken)
        return
    for whose, data in (("broken", broken), ("reference's", reference)):
        yield _Part("plain", f"    what the {whose} store leaves; recovery says: {reading(data)}")
        yield _Part("file", data=data)


def _of_mishap(name: str) -> Iterator[_Part]:
    seen = mishap(name)
    yield _Part("title", f"{name}: {seen.what}")
    yield _Part("plain")
    yield _Part("plain", f"before: half a line is in the file. Recovery says: {reading(seen.before)}")
    yield _Part("file", data=seen.before)
    yield _Part("plain")
    yield _Part("plain", f"what the careless writer said: {'; '.join(seen.said)}")
    yield _Part("plain", f"after. Recovery says: {reading(seen.after)}")
    yield _Part("file", data=seen.after)


def reading(data: bytes) -> str:
    """Say what lab 10.4 makes of the bytes of a file: the reference's, or in a practice folder the student's own."""
    lab = Tree(REFERENCE or ROOT / "labs").load(find_lab("10.4"))
    try:
        result = lab.recover_jsonl(data.decode(errors="replace"))
    except NotImplementedError:
        return "nothing yet, for your lab 10.4 is not written"
    except ValueError as error:
        return str(error)
    ids = ", ".join(entry["id"] for entry in result["entries"]) or "nothing"
    return f"{ids}; {'a torn tail' if result['warnings'] else 'no warning'}"


def _in_text(part: _Part) -> list[str]:
    if part.kind == "file":
        return [f"    {line}" for line in FileBytes(part.data).text().split("\n")]
    return _broken_up(part.text, 110)


def _drawn(paper: Paper, y: float, part: _Part) -> float:
    """Draw a part, and return the height that it takes."""
    if part.kind == "file":
        return FileBytes(part.data).draw(paper, y)
    if not part.text:
        return 8
    colours = {"taken": _RED, "added": _GREEN, "red": _RED, "title": INK}
    look: dict[str, float | str] = {"fill": colours.get(part.kind, PALE_INK), "font_size": 12}
    if part.kind == "title":
        look |= {"font_weight": "bold", "font_size": 13}
    lines = _broken_up(part.text, int((WIDTH - 28) / COLUMN))
    for number, line in enumerate(lines):
        paper.text(14, y + 15 + 18 * number, line, **look)
    return 18 * len(lines) + 2


def _broken_up(text: str, width: int) -> list[str]:
    """Break a line into lines of at most `width` columns, the later ones a little further in than the first."""
    indent = " " * (len(text) - len(text.lstrip()))
    return textwrap.wrap(
        text.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_on_hyphens=False,
        drop_whitespace=True,
    ) or [""]

"""Each display has three faces, and its widget does what a click asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.pictures import elements
from scaffold.given import samples
from scaffold.given.generator import make_session
from scaffold.notebook import BreakIt, FileBytes, SessionTree, TreeExplorer, break_it
from scaffold.notebook.careless import MISHAPS, mishap
from scaffold.notebook.faces import WIDGET_VIEW, Display

ENTRIES = samples.retry_session()
LINES = [json.dumps(entry, ensure_ascii=False).encode() + b"\n" for entry in ENTRIES]
DISPLAYS: list[Display] = [
    SessionTree(ENTRIES, ["start", "ask2"]),
    TreeExplorer(ENTRIES, "fail"),
    FileBytes(b"".join(LINES)),
    BreakIt("10.5"),
]


def widgets_in(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from widgets_in(child)


def part(display: Display, kind: str) -> Any:
    """Return the one widget of this kind in a new live face of a display."""
    [found] = [widget for widget in widgets_in(display.widget()) if type(widget).__name__ == kind]
    return found


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: type(display).__name__)
def test_a_display_has_three_faces_in_one_bundle(display: Display) -> None:
    bundle = display._repr_mimebundle_()

    assert set(bundle) == {"text/plain", "image/svg+xml", WIDGET_VIEW}
    assert bundle["text/plain"] == display.text() == str(display)
    assert bundle["image/svg+xml"] == display.svg()
    assert bundle[WIDGET_VIEW]["model_id"]
    assert set(display._repr_mimebundle_(include={"text/plain"})) == {"text/plain"}
    assert set(display._repr_mimebundle_(exclude={WIDGET_VIEW})) == {"text/plain", "image/svg+xml"}


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: type(display).__name__)
def test_a_picture_loads_nothing_and_styles_nothing(display: Display) -> None:
    attributes = {key for _, attribute in elements(display.svg()) for key in attribute}

    assert not attributes & {"style", "class", "href", "id"}
    assert {name for name, _ in elements(display.svg())} <= {"svg", "title", "rect", "circle", "path", "text"}
    assert max(float(dict(elements(display.svg()))["svg"]["width"]), 0) <= 860


def test_a_big_tree_is_unfolded_by_a_click() -> None:
    box = SessionTree(make_session(200, seed=2)).widget()
    unfold, picture = box.children
    before = picture.value

    unfold.value = True
    whole = picture.value
    unfold.value = False

    assert unfold.description == "Show all 200 entries"
    assert "folded" in before
    assert "folded" not in whole
    assert picture.value == before


def test_a_leaf_is_chosen_in_a_list() -> None:
    box = TreeExplorer(ENTRIES, "answer").widget()
    [leaves] = [widget for widget in widgets_in(box) if type(widget).__name__ == "Select"]
    [view] = [widget for widget in widgets_in(box) if type(widget).__name__ == "HTML"]
    assert [name.split()[0] for name, _ in leaves.options] == ["answer", "ask2"]
    assert "answer: number 8 of the list; its path has 8 entries" in view.value

    leaves.value = 8

    assert "ask2: number 9 of the list; its path has 2 entries" in view.value
    assert "1 message on the path" in view.value
    assert "Just tell me the word, please." in view.value


def test_any_entry_can_be_chosen_and_a_word_finds_it() -> None:
    box = TreeExplorer(ENTRIES, "answer").widget()
    kinds = {type(widget).__name__: widget for widget in widgets_in(box)}

    kinds["ToggleButtons"].value = "all entries"
    kinds["Text"].value = "NO INDEX"

    assert [name.split()[0] for name, _ in kinds["Select"].options] == ["fail"]
    assert "fail: number 4 of the list" in kinds["HTML"].value

    kinds["Text"].value = "nobody said this"

    assert list(kinds["Select"].options) == []
    assert "fail: number 4 of the list" in kinds["HTML"].value


def test_the_explorer_says_where_an_entry_stands_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(LINES[0] + b"\n" + LINES[1] + LINES[2])

    text = TreeExplorer(file, "ask").text()

    start = len(LINES[0]) + 1
    where = f"line 3, bytes {start:,} to {start + len(LINES[1]):,} ({len(LINES[1]):,} with the newline)"
    assert text.startswith(f"ask: {where}; its path has 2 entries\n")


def test_the_explorer_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(LINES[0] + LINES[1].strip() + LINES[2] + b"BAD\n" + LINES[8] + LINES[3][:40])

    explorer = TreeExplorer(file)

    assert explorer.text().split("\n")[:4] == [
        "! line 2 holds more than one record: a reader stops here with an error; the picture leaves the line out",
        "! line 3 is not JSON: Expecting value: a reader stops here with an error; the picture leaves the line out",
        "! line 5 is a torn tail: a reader warns, and leaves it out",
        explorer.text().split("\n")[3],
    ]
    assert "ask2: line 4" in explorer.text()
    assert "⚠ line 2 holds more than one record" in part(explorer, "HTML").value


def test_a_path_that_cannot_be_restored_is_said_to_be_one() -> None:
    lost = [*ENTRIES, samples.message_entry("lost", "gone", samples.user("Hello?"))]
    assert "! the parent of lost is gone, and there is no such entry" in TreeExplorer(lost, "lost").text()
    assert "this path can&#x27;t be restored" in TreeExplorer(lost, "lost").shown(9)
    assert "can&#x27;t be restored" not in TreeExplorer(lost, "lost").shown(8)


def test_what_a_session_says_is_no_markup() -> None:
    evil = [samples.message_entry("<b>a", None, samples.user("<script>alert(1)</script> & more"))]
    shown = TreeExplorer(evil).shown(0)

    assert "<script" not in shown
    assert "<b>a" not in shown
    assert "&lt;script&gt;" in shown


def test_an_unknown_leaf_is_refused() -> None:
    with pytest.raises(ValueError, match="no entry has the id 'nobody'"):
        TreeExplorer(ENTRIES, "nobody")


def test_an_empty_session_can_be_shown() -> None:
    assert TreeExplorer([]).text() == "a session without entries"
    assert "a session without entries" in TreeExplorer([]).widget().value
    assert SessionTree([]).text() == "a session of 0 entries, 0 forks, 0 leaves"


def test_the_bytes_of_a_line_are_shown_on_request() -> None:
    kinds = {type(widget).__name__: widget for widget in widgets_in(FileBytes(b'{"a":1}\n').widget())}
    box = FileBytes(b"one\n{").widget()
    chosen, dump = box.children[1:]

    chosen.value = 0

    assert "6f 6e 65 0a" in dump.value
    assert "one·" in dump.value
    assert [name for name, _ in chosen.options] == ["choose a line", "line 1: damaged", "line 2: torn"]
    assert "Dropdown" in kinds


@pytest.mark.parametrize("name", MISHAPS)
def test_the_careless_writer_makes_a_committed_line_that_nobody_can_read(name: str) -> None:
    seen = mishap(name)

    assert seen.after.startswith(seen.before)
    assert [line.split(":")[0] for line in BreakIt("10.5", name).text().split("\n") if line.startswith("after")]
    assert "Recovery says: a; a torn tail" in BreakIt("10.5", name).text()
    assert "Recovery says: line 2: is not JSON" in BreakIt("10.5", name).text()
    assert "^ fused line: another record begins at byte 208" in BreakIt("10.5", name).text()


def test_a_breakage_shows_its_edit_its_red_tests_and_the_bytes() -> None:
    text = BreakIt("10.5", "queued-appends-go-on").text()

    assert "  -         self._raise_fault()" in text
    assert "\nred: test_after_a_failed_write_the_file_is_left_alone, test_a_write_that_is_broken_off" in text
    assert "scene: The second of three appends fails half-way; the third is already queued" in text
    assert "recovery says: line 2: is not JSON" in text
    assert "recovery says: root; a torn tail" in text


def test_a_breakage_is_chosen_and_made_with_a_button() -> None:
    box = BreakIt("10.1", "last-duplicate-wins").widget()
    kinds = {type(widget).__name__: widget for widget in widgets_in(box)}

    kinds["Dropdown"].value = "given-entries-are-returned"
    kinds["Button"].click()

    assert "10.1 given-entries-are-returned" in kinds["HTML"].value
    assert kinds["Button"].disabled is False
    assert set(MISHAPS) < set(kinds["Dropdown"].options)


def test_an_unknown_breakage_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"lab 10\.1 has no breakage 'nonsense' here; there are: no-cycle-check"):
        BreakIt("10.1", "nonsense")


def test_without_the_reference_there_is_the_careless_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(break_it, "REFERENCE", None)

    assert BreakIt("10.1").names == list(MISHAPS)
    assert "Recovery says: nothing yet, for your lab 10.4 is not written" in BreakIt("10.5").text()

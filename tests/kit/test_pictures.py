"""The picture of a session shows its tree, whatever the session is like, and looks the same everywhere."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.pictures import elements, looks, words_in
from scaffold.given import samples
from scaffold.given.entries import AgentMessage
from scaffold.given.generator import make_session
from scaffold.notebook.graph import Graph, Layout, Row, lay_out, rows_of
from scaffold.notebook.tree_picture import SessionTree
from scaffold.notebook.words import NAMES, Kind, columns, cut

PATH = ["a", "d", "m"]
ODD_TEXT = "tab\t, bell\x07, line\u2028end, turn\u202eround, half \ud83d, <b>&amp;</b>, ﷽, 道, e\u0301 " + "long " * 500


def chain(parents: list[int | None]) -> list[Any]:
    """Return a session in which each entry has the parent with that index."""
    return [
        samples.metadata_entry(f"e{number}", None if parent is None else f"e{parent}", "note", number)
        for number, parent in enumerate(parents)
    ]


# Any list of parents: trees, forests, children before their parents, rings.
parents = st.integers(1, 25).flatmap(
    lambda size: st.lists(st.none() | st.integers(0, size - 1), min_size=size, max_size=size)
)


@settings(max_examples=200, deadline=None)
@given(parents, st.integers(0, 24), st.integers(1, 30))
def test_no_line_runs_through_another_entry(parent_of: list[int | None], leaf: int, at_most: int) -> None:
    graph = Graph(chain(parent_of))
    path = graph.path(leaf % len(parent_of))
    rows = rows_of(graph, path, at_most)
    layout = lay_out(graph, rows, path)

    assert runs_through(rows, layout) == []


def runs_through(rows: list[Row], layout: Layout) -> list[tuple[int, int, int]]:
    """Return each line that passes the row of an entry in that entry's lane: parent, child, and the row in between."""
    found = []
    for edge in layout.edges:
        low, high = sorted((edge.parent_row, edge.child_row))
        lane = layout.lanes[edge.child_row]
        found += [
            (edge.parent_row, edge.child_row, row)
            for row in range(low + 1, high)
            if layout.lanes[row] == lane and not rows[row].is_fold
        ]
    return found


@settings(max_examples=200, deadline=None)
@given(parents, st.integers(0, 24), st.integers(2, 30))
def test_every_entry_is_shown_or_folded_once_and_in_order(parent_of: list[int | None], leaf: int, at_most: int) -> None:
    graph = Graph(chain(parent_of))
    path = graph.path(leaf % len(parent_of))

    rows = rows_of(graph, path, at_most)

    assert [number for row in rows for number in row.entries] == list(range(len(parent_of)))
    assert len(rows) <= 2 * at_most + 1
    assert path[-1] in [row.entries[0] for row in rows if not row.is_fold]


@settings(max_examples=200, deadline=None)
@given(parents, st.integers(0, 24))
def test_the_path_goes_straight_down_at_the_left(parent_of: list[int | None], leaf: int) -> None:
    graph = Graph(chain(parent_of))
    path = graph.path(leaf % len(parent_of))
    rows = rows_of(graph, path, 100)

    layout = lay_out(graph, rows, path)

    if path == sorted(path) and not graph.trouble(path[-1]):
        assert {layout.lanes[number] for number in path} == {0}


def test_branches_have_lanes_of_their_own() -> None:
    graph = Graph(chain([None, 0, 0, 0, 1, 2, 3]))
    layout = lay_out(graph, rows_of(graph, [], 100), [])

    assert layout.lanes == (0, 0, 1, 2, 0, 1, 2)


def test_a_lane_is_used_again_when_its_branch_has_ended() -> None:
    graph = Graph(chain([None, 0, 0, 1, 3, 3, 4, 6]))
    assert lay_out(graph, rows_of(graph, [0, 1, 3, 4], 100), [0, 1, 3, 4]).lanes == (0, 0, 1, 0, 0, 1, 0, 0)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([{"id": "a", "parentId": "gone"}], "parent gone is missing"),
        ([{"id": "a", "parentId": None}, {"id": "a", "parentId": None}], "this id stands twice"),
        ([{"id": "a", "parentId": "b"}, {"id": "b", "parentId": "a"}], "after"),
        ([{"id": "a", "parentId": "a"}], "after a"),
        (["no entry", None, 7, {"id": 5, "parentId": ["x"]}], "?"),
        ([], "a session of 0 entries"),
        ([samples.message_entry(ODD_TEXT, None, samples.user(ODD_TEXT))], "tab"),
        ([{"id": "a", "parentId": None, "type": "message", "message": {"role": "user", "content": "no list"}}], "user"),
    ],
)
def test_a_damaged_session_is_shown_as_it_is(entries: list[Any], words: str) -> None:
    picture = SessionTree(entries)

    assert words in picture.text()
    assert elements(picture.svg())[0][0] == "svg"


def test_the_picture_has_presentation_attributes_only() -> None:
    """So that a code host, which takes out styles, scripts, links and foreign objects, shows all of it."""
    odd = [samples.message_entry("a", None, samples.user(ODD_TEXT))]
    for picture in (SessionTree(samples.retry_session(), ["start", "ask2"]), SessionTree(odd)):
        found = elements(picture.svg())
        assert {name for name, _ in found} == {"svg", "title", "rect", "circle", "path", "text"} - (
            {"circle", "path"} - {name for name, _ in found}
        )
        attributes = {key for _, attribute in found for key in attribute}
        assert not attributes & {"style", "class", "href", "onclick", "id"}
        assert "url(" not in picture.svg()
        assert found[0][1]["role"] == "img"


def test_the_picture_has_its_own_ground() -> None:
    _, ground = elements(SessionTree(samples.chapter_session()).svg())[2]
    assert ground["fill"].startswith("#f")


def test_the_same_session_gives_the_same_picture() -> None:
    entries = make_session(300, seed=1)
    assert SessionTree(entries).svg() == SessionTree(entries).svg()


def test_each_kind_of_entry_is_told_by_shape_and_by_word() -> None:
    kinds: dict[Kind, AgentMessage] = {
        "user": samples.user("x"),
        "assistant": samples.assistant(samples.text("x")),
        "call": samples.assistant(samples.tool_call("c", "read", {})),
        "result": samples.tool_result(samples.tool_call("c", "read", {}), "x", is_error=False),
        "error": samples.tool_result(samples.tool_call("c", "read", {}), "x", is_error=True),
    }
    pictures = {kind: SessionTree([samples.message_entry("a", None, message)]) for kind, message in kinds.items()}
    pictures["note"] = SessionTree([samples.metadata_entry("a", None, "x", 1)])

    shapes = [looks(picture.svg()) for picture in pictures.values()]

    assert len(set(shapes)) == len(shapes)
    assert [kind for kind, picture in pictures.items() if NAMES[kind] not in picture.text()] == []


def test_the_path_is_told_without_colour() -> None:
    entries = samples.chapter_session()
    svg = SessionTree(entries, PATH).svg()
    bold = {text for text, attributes in words_in(svg) if attributes.get("font-weight") == "bold"}
    lines = SessionTree(entries, PATH).text().split("\n")

    assert {"a", "d", "m"} <= bold
    assert not {"b", "r"} & bold
    assert [line.split()[2] for line in lines[1:-1] if line.split()[1] == "*"] == PATH


def test_a_path_may_be_the_entries_themselves() -> None:
    entries = samples.chapter_session()
    assert SessionTree(entries, [entries[0], entries[3]]).svg() == SessionTree(entries, ["a", "d"]).svg()


def test_a_step_that_is_no_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="'x', and no entry of the session has that id"):
        SessionTree(samples.chapter_session(), ["a", "x"])


def test_the_text_can_be_read_aloud() -> None:
    """No lines are drawn with characters: a screen reader would read out each of them."""
    text = SessionTree(samples.retry_session(), ["start", "ask"]).text()
    assert re.search("[│├└─┬●○■◆]", text) is None
    assert "    3   try (after ask)  calls tool: Searching. → search" in text


def test_a_big_session_is_folded() -> None:
    entries = make_session(1_000, seed=3)
    leaf = entries[-1]["id"]
    graph = Graph(entries)
    path = [graph.ids[number] for number in graph.path(len(entries) - 1)]

    lines = SessionTree(entries, path).text().split("\n")

    assert len(lines) < 90
    assert any(f" {leaf} " in line for line in lines)
    assert sum("folded" in line for line in lines) > 5


@given(st.text(), st.integers(1, 40))
def test_a_text_is_cut_to_its_width(text: str, width: int) -> None:
    line = cut(text, width)
    assert columns(line) <= width
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\ntwo", "one two"),
        ("a\u202eb", "a\\u202eb"),
        ("道路" * 9, "道路道路…"),
        ("e\u0301" * 20, "e\u0301" * 8 + "…"),
    ],
)
def test_what_does_not_fit_is_cut_and_what_cannot_be_seen_is_written_out(text: str, line: str) -> None:
    assert cut(text, 9) == line


def test_one_row_an_entry() -> None:
    numbers = [text for text, attributes in words_in(SessionTree(samples.retry_session()).svg()) if text.isdecimal()]
    assert Counter(numbers) == Counter(str(number) for number in range(1, 10))

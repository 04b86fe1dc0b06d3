"""The lines of a session file are told apart by their bytes, whatever they hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.pictures import elements, words_in
from scaffold.given import samples
from scaffold.notebook.file_bytes import FileBytes
from scaffold.notebook.lines import PhysicalLine, physical_lines

A, B = (
    json.dumps(
        samples.metadata_entry(entry_id, None, "note", {"text": "道", "list": [{}]}), ensure_ascii=False
    ).encode()
    for entry_id in ("a", "b")
)

LINES: dict[str, tuple[bytes, list[str], list[tuple[int, ...]]]] = {
    "nothing": (b"", [], []),
    "an entry": (A + b"\n", ["committed"], [()]),
    "a line of another shape": (b"7\n", ["committed"], [()]),
    "blank lines": (b"\n \t\r\n", ["blank", "blank"], [(), ()]),
    "a no-break space": ("\u00a0\n".encode(), ["damaged"], [()]),
    "a tail that is complete": (A + b"\n" + B, ["committed", "torn"], [(), ()]),
    "a tail that ends inside a character": (A[: A.index("道".encode()) + 1], ["torn"], [()]),
    "a blank tail": (b"\n ", ["blank", "torn"], [(), ()]),
    "damage": (b"BAD\n" + A + b"\n", ["damaged", "committed"], [(), ()]),
    "bytes that are not UTF-8": (b'{"id":"\xff"}\n', ["damaged"], [()]),
    "two records": (A + B + b"\n", ["fused"], [(len(A),)]),
    "three records": (A + B + A + b"\n", ["fused"], [(len(A), len(A) + len(B))]),
    "half a record and a whole one": (A[:12] + B + b"\n", ["fused"], [(12,)]),
    "a record cut inside a character and a whole one": (
        A[: A.index("道".encode()) + 2] + B + b"\n",
        ["fused"],
        [(A.index("道".encode()) + 2,)],
    ),
    "a whole record and half of one": (A + B[:12] + b"\n", ["damaged"], [()]),
    "a key that is no JSON, before an object": (b'{"a":oops,"b":{"c":1}}\n', ["damaged"], [()]),
    "thousands of brackets": (b"[" * 100_000 + b"\n", ["damaged"], [()]),
}


@pytest.mark.parametrize(("data", "status", "seams"), LINES.values(), ids=LINES)
def test_each_line_is_what_it_is(data: bytes, status: list[str], seams: list[tuple[int, ...]]) -> None:
    lines = physical_lines(data)

    assert [line.status for line in lines] == status
    assert [line.seams for line in lines] == seams
    assert FileBytes(data).text()
    assert elements(FileBytes(data).svg())


@given(st.lists(st.sampled_from([A, B, A[:9], b"\n", b" ", b"\xff", b"{", b"}"])).map(b"".join) | st.binary())
def test_lines_and_offsets_cover_the_file(data: bytes) -> None:
    lines = physical_lines(data)

    assert b"".join(line.content + b"\n" * line.is_committed for line in lines) == data
    assert [line.offset for line in lines] == [sum(line.size for line in lines[:n]) for n in range(len(lines))]
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(is_sound(line) for line in lines)


def is_sound(line: PhysicalLine) -> bool:
    """Tell whether a line is committed exactly if it can be read, and a seam begins a record."""
    starts = [line.content[seam : seam + 1] for seam in line.seams]
    return set(starts) <= {b"{"} and (line.status == "fused") == bool(starts)


def test_a_line_shows_its_number_its_byte_and_its_commit_mark() -> None:
    text = FileBytes(A + b"\n\n" + B + b"\n").text().split("\n")

    assert text[0].split() == ["line", "byte"]
    assert [line.split()[:2] for line in text[1:4]] == [["1", "0"], ["2", str(len(A) + 1)], ["3", str(len(A) + 2)]]
    assert [line[-1] for line in text[1:4]] == ["⏎"] * 3
    assert text[4] == f"{len(A) + len(B) + 3} bytes in 3 lines"


def test_a_torn_tail_has_no_commit_mark_and_is_named() -> None:
    text = FileBytes(A + b"\n" + B[:20]).text().split("\n")

    assert text[2].endswith(B[:20].decode())
    assert text[3].strip() == "^ torn tail: no newline, so it was never committed"
    assert text[4].endswith("line 2 is a torn tail")


def test_a_fused_line_shows_where_the_next_record_begins() -> None:
    told = FileBytes(A + b"\n" + A[:12] + B + b"\n")

    assert f"another record begins at byte {len(A) + 1 + 12}, and one newline commits both" in told.text()
    assert " ‖ " in told.text()
    assert sum(attributes.get("stroke-width") == "3" for _, attributes in elements(told.svg())) == 1


def test_what_is_no_committed_line_is_told_without_colour() -> None:
    marks = [
        {text for text, _ in words_in(FileBytes(data).svg())} & {"✓", "·", "…", "⚡", "✗"}
        for data in (A + b"\n", b"\n", A, A + B + b"\n", b"BAD\n")
    ]
    assert marks == [{"✓"}, {"·"}, {"…"}, {"⚡"}, {"✗"}]


def test_of_a_long_file_the_ends_and_all_that_is_odd_are_shown() -> None:
    data = (A + b"\n") * 50 + b"BAD\n" + (A + b"\n") * 49 + B[:9]
    numbers = [text for text, look in words_in(FileBytes(data).svg()) if look.get("text-anchor") == "end"][::2]

    assert numbers == ["1", "2", "3", "50", "51", "52", "99", "100", "101"]
    assert "(46 committed lines folded)" in FileBytes(data).text()


def test_a_line_that_is_too_long_loses_its_middle() -> None:
    long = json.dumps({"id": "a", "text": "x" * 10_000_000, "end": "here"}).encode() + b"\n"
    [_, line, _] = FileBytes(long).text().split("\n")

    assert len(line) < 120
    assert '{"id": "a", "text": "xxx' in line
    assert '"end": "here"}⏎' in line
    assert "…(10,000,038 bytes)…" in line


def test_what_cannot_be_seen_is_written_out() -> None:
    text = FileBytes("tab\t, mark\ufeff, turn\u202e\n".encode()).text()
    assert r"tab\t, mark\ufeff, turn\u202e⏎" in text


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(A + b"\n")

    shown = FileBytes(path)
    path.write_bytes(b"")

    assert shown.text() == FileBytes(A + b"\n").text()

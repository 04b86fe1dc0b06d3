"""Foreign text does nothing where it is written to, and can still be read there."""

from __future__ import annotations

import re
import unicodedata

import mistune
import pytest

from kit.report_samples import HOSTILE
from scaffold.classroom.report import safe

TEXTS = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
UNSEEN = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
DIRECTIONS = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


@TEXTS
def test_a_line_holds_nothing_that_cannot_be_seen(text: str) -> None:
    shown = safe.line(text)

    assert [each for each in shown if unicodedata.category(each) in UNSEEN or DIRECTIONS.match(each)] == []
    shown.encode("utf-8")


SHOWN = {
    "a colour": ("\x1b[31mred", r"\x1b[31mred"),
    "a text that is turned round": ("a\u202ecod.exe", r"a\u202ecod.exe"),
    "the end of a line": ("a\nb\r\n", r"a\nb\r\n"),
    "half a surrogate pair": ("\ud800", r"\ud800"),
    "a wide space": ("山田\u3000太郎", "山田\u3000太郎"),
    "an emoji of several": ("👩\u200d🔬", "👩\u200d🔬"),
    "a Persian word": ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
    "a joiner between plain letters": ("a\u200db", r"a\u200db"),
    "plain text": ("Zoë O'Hara", "Zoë O'Hara"),
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_can_be_read_stays_and_what_acts_is_an_escape(text: str, shown: str) -> None:
    assert safe.line(text) == shown


def test_a_paragraph_keeps_its_lines_and_is_cut() -> None:
    assert safe.paragraph("\n a\r\n\tb\x07\n") == " a\n    b\\x07"
    assert safe.paragraph("x" * 3_000) == "x" * 2_000 + "\n… (3,000 characters)"
    assert safe.paragraph("x\n" * 500).count("\n") == 200
    assert safe.line("x" * 600) == "x" * 500 + "… (600 characters)"
    assert safe.joined(" a\n\n  b ") == "a b"


CELLS = {
    "a plain text": ("Smith, Bob", "Smith, Bob"),
    "an equals sign": ("=1", "'=1"),
    "a plus": ("+1", "'+1"),
    "a minus": ("-1", "'-1"),
    "an at sign": ("@A1", "'@A1"),
    "a full-width equals sign": ("\uff1d1", "'\uff1d1"),
    "a tab": ("\t=1", r"\t=1"),
    "a blank": (" =1", "' =1"),
    "a quote": ('"=1', "'\"=1"),
    "a semicolon": ("a;=1", "a;'=1"),
    "a semicolon and a quote": ('a; "=1', "a;' \"=1"),
    "a sign in the middle": ("a=b-c; d", "a=b-c; d"),
    "no text": ("", ""),
}


@pytest.mark.parametrize(("text", "cell"), CELLS.values(), ids=CELLS)
def test_a_cell_is_no_formula(text: str, cell: str) -> None:
    assert safe.cell(text) == cell
    assert safe.cell(cell) == cell  # once is enough


def as_html(markdown: str) -> str:
    render = mistune.create_markdown(escape=False, plugins=["url", "table", "strikethrough", "footnotes", "task_lists"])
    html = render(markdown)
    assert isinstance(html, str)
    return html


@TEXTS
def test_a_code_span_is_the_text_and_nothing_else(text: str) -> None:
    html = as_html(f"before {safe.code_span(text)} after {safe.code_span('x')} end")

    found = re.fullmatch(r"<p>before <code>(.*)</code> after <code>x</code> end</p>\n", html)
    assert found
    assert mistune.util.unescape(found[1]) == (safe.line(text) or " ")


@TEXTS
def test_a_fenced_block_is_the_text_and_nothing_else(text: str) -> None:
    html = as_html(f"before\n\n{safe.fenced(text)}\n\nafter")

    found = re.fullmatch(
        r'<p>before</p>\n<pre><code class="language-text">(.*)</code></pre>\n<p>after</p>\n', html, re.DOTALL
    )
    assert found
    assert mistune.util.unescape(found[1]).rstrip("\n") == safe.paragraph(text)


STEMS = {
    "a login": ("ada", "ada"),
    "a number": ("1234567", "1234567"),
    "dots and dashes": ("ada.b-c_d", "ada.b-c_d"),
    "a capital": ("Ada", r"ada-[0-9a-f]{20}"),
    "a way up": ("../../etc/passwd", r"etc-passwd-[0-9a-f]{20}"),
    "dots alone": ("..", r"student-[0-9a-f]{20}"),
    "a dot at the end": ("ada.", r"ada-[0-9a-f]{20}"),
    "a hidden file": (".ada", r"ada-[0-9a-f]{20}"),
    "an option": ("-rf", r"rf-[0-9a-f]{20}"),
    "a device of Windows": ("con", r"con-[0-9a-f]{20}"),
    "a device with an ending": ("lpt1.x", r"lpt1-x-[0-9a-f]{20}"),
    "an address": ("ada@example.org", r"ada-example-org-[0-9a-f]{20}"),
    "a drive": ("C:\\x", r"c-x-[0-9a-f]{20}"),
    "a stream": ("ada:x", r"ada-x-[0-9a-f]{20}"),
    "another script": ("محمد", r"student-[0-9a-f]{20}"),
    "no id": ("", r"student-[0-9a-f]{20}"),
    "a very long one": ("a" * 10_000, r"a{40}-[0-9a-f]{20}"),
    "a NUL": ("a\0b", r"ab?.*-[0-9a-f]{20}"),
}


@pytest.mark.parametrize(("student_id", "stem"), STEMS.values(), ids=STEMS)
def test_a_stem_is_a_name_on_every_system(student_id: str, stem: str) -> None:
    assert re.fullmatch(stem, safe.stem(student_id))
    assert safe.is_stem(safe.stem(student_id))


def test_no_two_ids_have_one_stem() -> None:
    ids = [
        "ada",
        "Ada",
        "ADA",
        "a-da",
        "a/da",
        "a\\da",
        "á",
        "a\u0301",
        "a",
        "con",
        "CON",
        "con.txt",
        "",
        " ",
        *HOSTILE.values(),
    ]
    ids.append(safe.stem("Ada"))  # who calls himself like another one's file
    stems = [safe.stem(each).casefold() for each in dict.fromkeys(ids)]
    assert len(set(stems)) == len(stems)


@pytest.mark.parametrize("name", ["../x", "a/b", "", "A", ".x", "x" * 200, "a\n"])
def test_what_can_be_no_stem_is_known(name: str) -> None:
    assert not safe.is_stem(name)

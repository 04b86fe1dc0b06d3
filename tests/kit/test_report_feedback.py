"""A student's feedback says what came of each item, in Markdown that no foreign text breaks. The exam is not in it."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import mistune
import pytest

from kit.report_samples import DIFFERENCE, HOSTILE, SEED, class_of, hostile_report, hostile_row, row
from scaffold.classroom.model import STATUSES, Item, LabResult, Marks, Row, Status, Student, Witness
from scaffold.classroom.report import words
from scaffold.classroom.report.feedback import feedback
from scaffold.classroom.report.safe import line, paragraph

TAGS = {"h1", "h2", "h3", "p", "ul", "li", "strong", "code", "pre"}


class Seen(HTMLParser):
    """Which tags a text has, and the texts of some."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            self.texts[tag][-1] += data


def seen(markdown: str) -> Seen:
    render = mistune.create_markdown(escape=False, plugins=["url", "table", "strikethrough", "footnotes", "task_lists"])
    return Seen(str(render(markdown)))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_foreign_text_becomes_text_only(text: str) -> None:
    page = seen(feedback(hostile_row(text), text))

    assert page.tags <= TAGS
    assert page.attributes <= {"class"}
    assert page.texts["h1"] == ["Feedback"]
    assert page.texts["h2"] == ["Lab 10.1: timed out"]
    assert len(page.texts["li"]) == 8 - (not text)  # without a note
    if text:
        assert [each.rstrip("\n") for each in page.texts["pre"]] == [paragraph(text)] * 3
        assert f"Student: {line(text.strip(), 200)}" in [html.unescape(each) for each in page.texts["li"]]


def test_the_exam_the_flags_and_the_problems_are_not_in_it() -> None:
    texts = [feedback(each, "Chapter 10") for each in hostile_report().rows]
    assert [text for text in texts if DIFFERENCE in text or SEED in text] == []

    marked = replace(row("ada"), flags=["a flag"], problems=["a problem"], origin="ada.zip", digest="abc")
    assert [word for word in ("a flag", "a problem", "ada.zip", "abc") if word in feedback(marked, "Chapter 10")] == []


def test_nobody_else_is_in_it() -> None:
    whole = class_of(30)
    for one in whole.rows:
        others = {each.student.email for each in whole.rows} - {one.student.email}
        text = feedback(one, whole.title)
        assert [other for other in others if other in text or other.partition("@")[0] in text] == []


def test_it_says_how_the_points_came_about() -> None:
    text = feedback(Row(Student("ada", "Ada"), "graded", Marks(20, 4, 16, 23, "2 days late: -20 %")), "Chapter 10")

    assert "- Points: **16 of 23**\n" in text
    assert "- Taken off for being late: 4\n" in text
    assert "- Note: `2 days late: -20 %`\n" in text
    assert "Taken off" not in feedback(row("ada"), "Chapter 10")


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_is_the_same_word_and_is_explained(status: Status) -> None:
    text = feedback(row("ada", status, labs=[LabResult("10.1", status)]), "Chapter 10")

    assert f"- Status: **{status}** ({words.ABOUT[status]})" in text
    assert f"## Lab `10.1`: {status}\n" in text


WITNESSES: dict[tuple[Witness, Witness], str] = {
    ("passed", "passed"): "- ✓ `x` (checkpoint): right",
    ("passed", "failed"): "- ✗ `x` (checkpoint): wrong: it passes the lab's tests, but not the exam",
    ("passed", "not run"): "- … `x` (checkpoint): not run to its end",
    ("failed", "passed"): "- ✗ `x` (checkpoint): wrong: the lab's tests find a mistake",
    ("failed", "failed"): "- ✗ `x` (checkpoint): wrong: the lab's tests find a mistake",
    ("failed", "not run"): "- ✗ `x` (checkpoint): wrong: the lab's tests find a mistake",
    ("not run", "passed"): "- … `x` (checkpoint): not run",
    ("not run", "failed"): "- ✗ `x` (checkpoint): wrong: the lab's tests did not get that far",
    ("not run", "not run"): "- … `x` (checkpoint): not run",
}


@pytest.mark.parametrize(("witnesses", "said"), WITNESSES.items(), ids=[" and ".join(each) for each in WITNESSES])
def test_an_item_is_right_only_if_both_witnesses_say_so(witnesses: tuple[Witness, Witness], said: str) -> None:
    tests, exam = witnesses
    item = Item("test_x", "checkpoint", tests, exam, "what the test says")
    text = feedback(row("ada", labs=[LabResult("10.1", "graded", "", [item])]), "Chapter 10")

    assert re.search(f"^{re.escape(said)}", text, re.MULTILINE)
    assert ("what the test says" in text) == (witnesses != ("passed", "passed"))

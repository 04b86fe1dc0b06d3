"""`feedback/*.md`: what a student is told. No exam, no flags, nobody else. GitHub's job summaries take the same text.

Foreign text stands only in code, where Markdown knows no links, images, mentions or HTML.
"""

from __future__ import annotations

from collections.abc import Iterator

from scaffold.classroom.model import LabResult, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import NAME, code_span, fenced, joined

_MARKS = {"right": "✓", "wrong": "✗", "not run": "…"}


def feedback(row: Row, title: str) -> str:
    """Return the feedback for one student, as Markdown."""
    return "\n".join([*_head(row, title), *(line for lab in row.labs for line in _lab(lab))]) + "\n"


def _head(row: Row, title: str) -> Iterator[str]:
    marks = row.marks
    points, maximum = words.number(words.points_of(marks)), words.number(marks.maximum)
    yield "# Feedback"
    yield ""
    yield f"- Assignment: {code_span(title, NAME)}"
    yield f"- Student: {code_span(words.name_of(row.student), NAME)}"
    yield f"- Status: **{row.status}** ({words.ABOUT[row.status]})"
    yield f"- Points: **{points} of {maximum}**"
    if marks.penalty > 0:
        yield f"- Taken off for being late: {words.number(marks.penalty)}"
    if marks.note:
        yield f"- Note: {code_span(joined(marks.note))}"


def _lab(lab: LabResult) -> Iterator[str]:
    yield ""
    yield f"## Lab {code_span(lab.lab, NAME)}: {lab.status}"
    if lab.reason:
        yield ""
        yield f"What happened: {code_span(joined(lab.reason))}"
    if lab.items:
        yield ""
    for item in lab.items:
        mark = _MARKS[words.judgement(item)]
        yield f"- {mark} {code_span(words.item_title(item.name))} ({item.kind}): {words.explained(item)}"
    for item in lab.items:
        if item.message and not item.counts:
            yield ""
            yield f"### {code_span(words.item_title(item.name))}"
            yield ""
            yield fenced(item.message)

"""The page of a class is complete, loads nothing, and shows foreign text as text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from kit.report_samples import HOSTILE, SEED, class_of, hostile_report, marks, report, row
from scaffold.classroom.model import ClassReport, Item, LabResult
from scaffold.classroom.report import charts
from scaffold.classroom.report.page import page
from scaffold.classroom.report.safe import line, stem


class Seen(HTMLParser):
    """What is in a page: tags and attributes, the cells of the table of students, and what stands in scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.blocks: dict[str, list[str]] = {"style": [], "script": [], "title": []}
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "tr" and "data-student" in dict(attrs):
            self.rows.append([])
        elif tag in {"td", "th"} and self.rows:
            self.rows[-1].append("")
        elif tag in self.blocks:
            self.blocks[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside in self.blocks:
            self.blocks[self._inside][-1] += data
        elif self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    @property
    def details(self) -> Any:
        return json.loads(self.blocks["script"][0])


@pytest.fixture(scope="module")
def hostile() -> Seen:
    return Seen(page(replace(hostile_report(), title=HOSTILE["a script's end"], seed=HOSTILE["HTML"])))


def test_foreign_text_adds_no_tag_and_no_attribute(hostile: Seen) -> None:
    plain = Seen(page(report(*(row(str(number)) for number in range(len(HOSTILE))))))

    assert {tag for tag, _ in hostile.tags} == {tag for tag, _ in plain.tags}
    assert sum(tag == "script" for tag, _ in hostile.tags) == 2
    assert [name for _, attributes in hostile.tags for name in attributes if name.startswith(("on", "style"))] == []
    assert hostile.blocks["title"][0] == HOSTILE["a script's end"] + ": class report"


def test_what_went_in_comes_back(hostile: Seen) -> None:
    ids = list(HOSTILE.values())

    assert [cells[1] for cells in hostile.rows] == [line(text, 200) for text in ids]
    students = hostile.details["students"]
    assert list(students) == sorted(stem(text) for text in ids)
    assert {name: each["id"] for name, each in students.items()} == {stem(text): line(text, 200) for text in ids}


def test_the_details_have_the_witnesses_and_the_differences() -> None:
    items = [
        Item("test_a_b", "checkpoint", "passed", "failed", "", "call 3 differs"),
        Item("test_c", "python", "not run", "not run"),
        Item("test_d", "bonus", "passed", "passed", "", "nobody needs this"),
    ]
    details = Seen(page(report(row("ada", labs=[LabResult("10.1", "timed out", "time was up", items)])))).details

    [[lab, status, reason, found]] = details["students"]["ada"]["labs"]
    texts = details["texts"]
    assert (lab, status, texts[reason]) == ("10.1", "timed out", "time was up")
    assert details["items"] == [["a b", "checkpoint"], ["c", "python"], ["d", "bonus"]]
    assert [each[:3] for each in found] == [[0, 1, 0], [1, -1, -1], [2, 1, 1]]
    assert [texts[number] for number in found[0][3:]] == ["", "call 3 differs"]
    assert "nobody needs this" not in texts


def test_the_page_loads_nothing_and_allows_only_its_own_script(hostile: Seen) -> None:
    loaded = [each for _, attributes in hostile.tags for name, each in attributes.items() if name in {"src", "data"}]
    linked = [attributes["href"] or "" for _, attributes in hostile.tags if "href" in attributes]
    assert loaded == []
    assert [each for each in linked if not each.startswith(("#student-", "data:,", "similarity.html"))] == []

    [policy] = [each["content"] or "" for tag, each in hostile.tags if tag == "meta" and "http-equiv" in each]
    style, script = hostile.blocks["style"][0], hostile.blocks["script"][1]
    assert policy.startswith("default-src 'none'; ")
    assert re.findall("'(sha256-[^']*)'", policy) == [sha256(style), sha256(script)]
    assert "unsafe" not in policy
    assert re.findall(r"@import|url\(|https?:", style + script) == []
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script) == []


def sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


SANDBOXES = {
    "named": ("Landlock 7 and namespaces", False),
    "with a no in it": ("bubblewrap, no network", False),
    "none": ("none", True),
    "no sandbox": ("no sandbox (--no-sandbox)", True),
    "without": ("WITHOUT a sandbox", True),
    "empty": ("", True),
    "blank": ("  ", True),
}


@pytest.mark.parametrize(("sandbox", "loud"), SANDBOXES.values(), ids=SANDBOXES)
def test_a_run_without_a_sandbox_is_said_aloud(sandbox: str, loud: bool) -> None:
    text = page(replace(report(row("ada")), sandbox=sandbox))
    assert ('role="alert"' in text) == loud
    assert SEED in text


def test_a_thousand_students_are_a_page_of_a_few_megabytes() -> None:
    text = page(class_of(1_000))
    assert len(text.encode("utf-8")) < 4_000_000
    assert len(Seen(text).rows) == 1_000


def test_bars_and_rates_are_of_those_who_handed_something_in() -> None:
    [first, *_] = report().checkpoints
    right, wrong = (
        [LabResult("10.1", "graded", "", [Item(first[1], "checkpoint", "passed", exam)])]
        for exam in ("passed", "failed")
    )
    points = {"a": 23, "b": 22.9, "c": 2.3, "d": 0}
    rows = [row(each, "graded", points[each], wrong if each == "d" else right) for each in points]
    whole = report(*rows, row("e", "missing"))

    assert [bar.students for bar in charts.distribution(whole)] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (charts.rates(whole)[0].right, charts.rates(whole)[0].students) == (3, 4)
    summary = charts.summary(whole)
    assert (summary.students, summary.handed_in, summary.full, summary.to_look_at) == (5, 4, 1, 1)
    assert (summary.median, summary.mean, summary.maximum) == ("12.6", "12.05", "23")


NOBODY = {
    "no students": report(),
    "nobody handed in": report(row("ada", "missing")),
    "no points to be had": report(replace(row("ada"), marks=marks(0, 0))),
}


@pytest.mark.parametrize("empty", NOBODY.values(), ids=NOBODY)
def test_a_class_with_nothing_to_draw_has_a_page(empty: ClassReport) -> None:
    assert charts.distribution(empty)[9].students == 0
    assert len(Seen(page(empty)).rows) == len(empty.rows)

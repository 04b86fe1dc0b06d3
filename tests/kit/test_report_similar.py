"""The page and the table of similar submissions: who is alike, and where. Foreign text stays text."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from kit.report_samples import HOSTILE, class_of, hostile_report, hostile_similarity, report, row
from scaffold.classroom.model import ClassReport, Pair, Passage, Similarity, Student
from scaffold.classroom.report import similar
from scaffold.classroom.report.page import page
from scaffold.classroom.report.safe import line, stem
from scaffold.classroom.report.similar import similarity_csv, similarity_page

FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
TEN = "".join(f"line {number}\n" for number in range(1, 11))


class Seen(HTMLParser):
    """What is in a page: its tags and attributes, all its text, and the lines of each excerpt."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.excerpts: list[list[tuple[str, int, str]]] = []
        self.text = ""
        self._line: tuple[str, int] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag == "pre":
            self.excerpts.append([])
        if number := attributes.get("data-line"):
            self._line = tag, int(number)
            self.excerpts[-1].append((*self._line, ""))

    def handle_endtag(self, tag: str) -> None:
        if self._line and tag == self._line[0]:
            self._line = None

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._line:
            *before, (tag, number, text) = self.excerpts[-1]
            self.excerpts[-1] = [*before, (tag, number, text + data)]


def alike(*pairs: Pair, found: int | None = None, text: str = TEN) -> ClassReport:
    sides = {(side, pair.lab) for pair in pairs for side in (pair.first, pair.second)}
    known = Similarity(pairs, len(pairs) if found is None else found, 0.6, dict.fromkeys(sides, text))
    return replace(report(row("ann"), row("bob"), row("cy")), similar=known)


def pair(*passages: Passage, first: str = "ann", second: str | None = "bob", lab: str = "10.1") -> Pair:
    return Pair(first, second, lab, 0.925, 0.5, passages)


def words_of(text: str) -> str:
    return " ".join(Seen(text).text.split())


def test_a_passage_has_its_lines_marked_and_some_around_it() -> None:
    seen = Seen(similarity_page(alike(pair(Passage((4, 5), (1, 3))))))
    assert seen.excerpts == [
        [
            ("span", 2, "line 2\n"),
            ("span", 3, "line 3\n"),
            ("mark", 4, "line 4\n"),
            ("mark", 5, "line 5\n"),
            ("span", 6, "line 6\n"),
            ("span", 7, "line 7\n"),
        ],
        [*(("mark", n, f"line {n}\n") for n in (1, 2, 3)), ("span", 4, "line 4\n"), ("span", 5, "line 5\n")],
    ]


def test_lines_are_counted_as_python_counts_them() -> None:
    text = "a\x0cb\x1cc\u2028d\r\n\te\n"
    seen = Seen(similarity_page(alike(pair(Passage((2, 2), (2, 2))), text=text)))
    assert seen.excerpts[0] == [("span", 1, "a\\x0cb\\x1cc\\u2028d\n"), ("mark", 2, "    e\n"), ("span", 3, "\n")]


def test_a_long_passage_and_a_long_line_are_cut_and_it_says_so() -> None:
    passages = [Passage((1, 1_000), (1, 900)), Passage((1_001, 1_002), (901, 902)), Passage((1_003, 1_003), (903, 903))]
    text = similarity_page(alike(pair(*passages), text=("x" * 10_000 + "\n") * 1_010))

    assert [len(excerpt) for excerpt in Seen(text).excerpts] == [similar.LINES] * 2
    assert "… and 700 more lines of this passage" in words_of(text)
    assert "… and 2 more passages" in words_of(text)
    assert len(text) < 300_000


@pytest.mark.parametrize(("found", "listed"), [(2_000, "lists 201 of them"), (201, "lists all of them")])
def test_a_page_that_has_not_all_pairs_says_so(found: int, listed: str) -> None:
    pairs = [pair(Passage((1, 2), (3, 4)))] * (similar.PAIRS + 1)
    text = similarity_page(alike(*pairs, found=found))

    assert "This page shows the 200 most similar." in words_of(text)
    assert listed in words_of(text)
    assert f"{found:,} pairs with 60 % or more in common" in words_of(text)
    assert len([tag for tag, _ in Seen(text).tags if tag == "tr"]) == 201
    assert "This page shows" not in similarity_page(alike(*pairs[:2]))


def test_a_class_without_pairs_has_a_page_that_says_so() -> None:
    assert "No two submissions of a lab have 60 % or more in common" in words_of(similarity_page(alike()))
    assert "No two submissions are alike" in words_of(page(alike()))
    assert "1 pair of similar submissions" in words_of(page(alike(pair())))


def test_a_student_called_like_the_reference_is_told_from_it() -> None:
    known = alike(pair(first="the reference", second="ann"), pair(second=None))
    links = [attributes.get("href") for tag, attributes in Seen(similarity_page(known)).tags if tag == "a"]
    assert links.count(f"index.html#student-{stem('the reference')}") == 2
    assert [each["second_is"] for each in table(known)] == ["student", "reference"]


@pytest.fixture(scope="module")
def hostile() -> ClassReport:
    return replace(hostile_report(), title=HOSTILE["a script's end"], similar=hostile_similarity())


def test_foreign_text_adds_no_tag_and_no_attribute(hostile: ClassReport) -> None:
    ids = [f"s{number}" for number in range(len(HOSTILE))]
    plain_pairs = [
        replace(each, first=one, second=each.second and one, lab="1", passages=each.passages)
        for one, each in zip(ids, hostile.similar.pairs, strict=True)
    ]
    texts = {key: "x\n" * 9 for each in plain_pairs for key in ((each.first, "1"), (each.second, "1"))}
    plain = replace(report(*map(row, ids)), similar=Similarity(plain_pairs, len(ids), 0.6, texts))
    seen = Seen(similarity_page(hostile))

    assert {tag for tag, _ in seen.tags} <= {tag for tag, _ in Seen(similarity_page(plain)).tags} | {"small"}
    assert sum(tag == "script" for tag, _ in seen.tags) == 1
    assert [name for _, attributes in seen.tags for name in attributes if name.startswith(("on", "style"))] == []
    links = [attributes["href"] or "" for tag, attributes in seen.tags if tag == "a"]
    assert [each for each in links if not each.startswith(("#pair", "index.html"))] == []


def test_what_was_written_comes_back(hostile: ClassReport) -> None:
    seen = Seen(similarity_page(hostile))
    for (name, text), excerpt in zip(HOSTILE.items(), seen.excerpts[::2], strict=True):
        rows = [line(each.removesuffix("\r").expandtabs(4), similar.WIDTH) for each in text.split("\n")]
        marked = [each for tag, _, each in excerpt if tag == "mark"]
        assert marked == [f"{each}\n" for each in ["x = 1", *rows, "y = 2"][:3]], name
    assert [each for each in seen.text if not each.isprintable() and each not in "\n\u200d\u3000"] == []


def table(whole: ClassReport) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(similarity_csv(whole).removeprefix("\ufeff"), newline=""), strict=True))


def test_the_table_has_the_pairs_with_their_longest_passages() -> None:
    known = alike(pair(Passage((1, 2), (3, 4)), Passage((5, 8), (9, 10))), pair(first="cy", second=None))
    named = replace(known, rows=(replace(row("ann"), student=Student("ann", "Ann Lee")), *known.rows[1:]))
    first, second = table(named)
    assert list(first.values()) == (
        ["1", "10.1", "ann", "Ann Lee", "bob", "bob", "student", "0.9250", "0.5000", "2", "4", "5", "8", "9", "10"]
    )
    assert list(second.values()) == (
        ["2", "10.1", "cy", "cy", "", "", "reference", "0.9250", "0.5000", "0", "0", "", "", "", ""]
    )


def test_no_cell_of_the_table_is_a_formula(hostile: ClassReport) -> None:
    rows = table(hostile)
    assert len(rows) == len(HOSTILE)
    assert similarity_csv(hostile).count("\n") == len(HOSTILE) + 1
    assert [each for one in rows for each in one.values() if FORMULA.match(each)] == []


def test_the_page_of_the_class_knows_whose_pairs_can_be_looked_at() -> None:
    whole = replace(class_of(3), similar=alike(pair(first="s0001", second=None)).similar)
    text = page(whole)
    assert re.findall(r'"alike": (true|false)', text) == ["false", "true", "false"]

"""Classes to report on: small ones that are written out, hostile ones, and one of any size."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scaffold.classroom.model import (
    STATUSES,
    ClassReport,
    Item,
    ItemKind,
    LabResult,
    Marks,
    Pair,
    Passage,
    Row,
    Similarity,
    Status,
    Student,
    Witness,
)
from scaffold.course import LABS, Lab

SEED = "seed-5d1c9a"
DIFFERENCE = "what-the-exam-saw"
CHECKPOINTS = tuple((lab.number, name) for lab in LABS for name in lab.checkpoints)

HOSTILE = {
    "a formula": '=HYPERLINK("http://evil.example","x")',
    "a formula behind a semicolon": 'x;"=1+1',
    "a plus": "+1+1",
    "a minus": "-1+1",
    "an at sign": "@SUM(A1)",
    "a tab and a formula": "\t=1+1",
    "a carriage return and a formula": "\r=1+1",
    "a full-width formula": "\uff1d1+1",
    "blanks and a formula": "  =1+1",
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "an attribute's end": '" onmouseover="alert(1)" x=\'',
    "a script's end": "</script><script>alert(1)</script>",
    "a template": "{{ 7*7 }}{% raw %}",
    "a Markdown link": "[x](http://evil.example) ![i](http://evil.example/i.png)",
    "a bare address": "http://evil.example www.evil.example me@evil.example @octocat #1",
    "a Markdown heading": "x\n# Points: 100\n\n---\n- y",
    "a fence": "x\n```\n</code></pre># out\n````\n~~~\nend",
    "backticks": "`` ` ```",
    "escapes of a terminal": "\x1b[2J\x1b]0;title\x07",
    "bidi controls": "\u202egnp.exe\u2066",
    "zero width": "a\u200bb\ufeffc\u2028d",
    "a NUL": "a\x00b\ufffe",
    "a surrogate": "a\ud800b",
    "commas, quotes and lines": 'Smith, "Bob"\nJr.\r\nIII',
    "a backslash before a quote": '\\",100,"\\',
    "a command for a job's log": "::error::x\n::add-mask::y\n##[group]z",
    "XML": "]]><!--&x;<?y?>",
    "not ASCII": "Đặng Thị Ánh, محمد, 山田\u3000太郎, 👩\u200d🔬",
    "very long": "a" * 5_000,
    "nothing": "",
}


def marks(points: float, maximum: float = 23, note: str = "") -> Marks:
    return Marks(points, 0, points, maximum, note)


def row(student_id: str, status: Status = "graded", points: float = 0, labs: Sequence[LabResult] = ()) -> Row:
    return Row(Student(student_id), status, marks(points), labs)


def report(*rows: Row, title: str = "Chapter 10") -> ClassReport:
    return ClassReport(title, rows, SEED, "Landlock and namespaces", CHECKPOINTS)


def kinds(lab: Lab) -> list[tuple[str, ItemKind]]:
    """Return the items of a lab, and the kind of each."""
    python: ItemKind = "bonus" if lab.is_bonus else "python"
    return [
        *((name, "checkpoint") for name in lab.checkpoints),
        *((name, python) for name in lab.python_tests),
        *((name, "bonus") for name in lab.bonus_tests),
    ]


def full_lab(lab: Lab, tests: Witness = "passed", exam: Witness = "passed") -> LabResult:
    return LabResult(lab.number, "graded", "", [Item(name, kind, tests, exam) for name, kind in kinds(lab)])


def hostile_row(text: str, student_id: str | None = None) -> Row:
    """Return a row in which each foreign text is this one, and an exam's difference that nobody else may see."""
    items = [
        Item("test_path_is_the_chain_of_the_chosen_leaf", "checkpoint", "failed", "failed", text, DIFFERENCE),
        Item("test_ids_are_unique_and_entries_are_copied", "checkpoint", "passed", "failed", text, DIFFERENCE + text),
        Item(f"test_{text}", "python", "not run", "not run", text),
    ]
    lab = LabResult("10.1", "timed out", text, items)
    platform_ids = dict.fromkeys(("ID", "SIS User ID", "SIS Login ID", "Section", "Identifier", "ID number"), text)
    student = Student(text if student_id is None else student_id, text, text, platform_ids)
    return Row(student, "partial", marks(5, note=text), [lab], text, None, [text], [text, DIFFERENCE], text)


def hostile_report() -> ClassReport:
    """Return a class in which everybody has another hostile text."""
    return report(*(hostile_row(text) for text in HOSTILE.values()))


def hostile_similarity(code_of_reference: str = "z = 3") -> Similarity:
    """Return pairs in which each foreign text is a student's id, a lab, and a part of what both have written."""
    ids = list(HOSTILE.values())
    pairs: list[Pair] = []
    texts: dict[tuple[str | None, str], str] = {}
    for number, (text, other) in enumerate(zip(ids, ids[1:] + ids[:1], strict=True)):
        second = None if number % 5 == 0 else other
        pairs.append(Pair(text, second, text, 0.9, 0.8, [Passage((1, 3), (2, 3))]))
        texts |= {(text, text): f"x = 1\n{text}\ny = 2\n", (second, text): f"{code_of_reference}\n{text}\n"}
    return Similarity(pairs, len(pairs), 0.6, texts)


def class_of(students: int, seed: int = 1) -> ClassReport:
    """Return a class of any size: most are good, some failed in every way, and many share a mistake."""
    chance = random.Random(seed)  # noqa: S311 (a sample, and no secret)
    names = (
        "Ada Lovelace",
        "Grace Hopper",
        "Đặng Thị Ánh",
        "محمد الخوارزمي",
        "山田\u3000太郎",
        "Bob, Jr.",
        "Zoë O'Hara",
    )
    rows = [_anybody(f"s{number:04}", f"{chance.choice(names)} {number}", chance) for number in range(students)]
    whole = report(*rows, title="Session Tree Labs, chapter 10")
    return replace(whole, sandbox="Landlock 7, user, mount, PID and network namespaces, limits")


def _anybody(student_id: str, name: str, chance: random.Random) -> Row:
    status = chance.choices(STATUSES, [60, 12, 5, 8, 3, 2, 2, 4, 1, 2, 1])[0]
    student = Student(student_id, name, f"{student_id}@example.org")
    if status == "missing":
        return Row(student, status, marks(0, 46))
    skill = chance.random() ** 0.4
    labs = [_some_lab(lab, status, skill, chance) for lab in LABS]
    earned = sum(item.counts for lab in labs for item in lab.items)
    late = 0.2 * earned if chance.random() < 0.1 else 0.0
    points = Marks(earned, late, earned - late, 46, "2 days late: -20 %" if late else "")
    flags = ["the witnesses disagree on 10.1"] if any(item.disagrees for lab in labs for item in lab.items) else []
    problems = ["notes.txt was left out: only session.py files are taken"] if chance.random() < 0.2 else []
    submitted = datetime(2026, 5, 1, 12, tzinfo=UTC) + timedelta(minutes=chance.randrange(5_000))
    return Row(
        student, status, points, labs, f"{student_id}.zip", submitted, problems, flags, f"{chance.getrandbits(64):x}"
    )


def _some_lab(lab: Lab, status: Status, skill: float, chance: random.Random) -> LabResult:
    if status in {"not attempted", "not loadable", "grader error"}:
        return LabResult(lab.number, status, "session.py line 3: SyntaxError: invalid syntax")
    items = [_some_item(name, kind, skill, chance) for name, kind in kinds(lab)]
    broken_off = status != "graded" and chance.random() < 0.5
    return LabResult(lab.number, status if broken_off else "graded", "the time was up" if broken_off else "", items)


def _some_item(name: str, kind: ItemKind, skill: float, chance: random.Random) -> Item:
    if chance.random() < skill:
        return Item(name, kind, "passed", "passed" if chance.random() < 0.99 else "failed", "", "call 3: [1] and [2]")
    message = f"rule: {name}\nexpected: an error that names {chance.choice('abc')}\nactual: nothing was raised"
    return Item(name, kind, "failed", "failed", message, "path_to(entries, 'd'): ['a', 'd'] and not ['d', 'a']")

"""All reports of a class are written, always the same, and only if they can be right."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from kit.report_samples import (
    DIFFERENCE,
    HOSTILE,
    SEED,
    class_of,
    hostile_report,
    hostile_similarity,
    marks,
    report,
    row,
)
from scaffold.classroom.model import ClassReport, LabResult
from scaffold.classroom.report import write_reports
from scaffold.classroom.report.safe import stem

WHOLE_CLASS = [
    *("index.html", "similarity.html", "grades.csv", "similarity.csv", "canvas.csv", "moodle.csv", "junit.xml"),
    "feedback/index.json",
]


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_there_are_files_for_the_class_and_three_for_each_student(tmp_path: Path) -> None:
    written = write_reports(report(row("ada"), row("Bob")), tmp_path / "new" / "report")

    each = [
        name.format(stem(one))
        for one in ("ada", "Bob")
        for name in ("feedback/{}.md", "gradescope/{}.json", "github/{}.json")
    ]
    assert [path.relative_to(tmp_path / "new" / "report").as_posix() for path in written] == [*WHOLE_CLASS, *each]
    assert names(tmp_path / "new" / "report") == {*WHOLE_CLASS, *each}


def test_the_index_tells_letter_by_letter_whose_a_file_is(tmp_path: Path) -> None:
    write_reports(hostile_report(), tmp_path)

    index = json.loads((tmp_path / "feedback" / "index.json").read_text("ascii"))
    assert list(index.values()) == list(HOSTILE.values())
    assert {f"{name}.md" for name in index} == {path.name for path in (tmp_path / "feedback").glob("*.md")}


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    def digests(folder: Path) -> dict[str, str]:
        paths = write_reports(class_of(25), folder)
        return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}

    assert digests(tmp_path / "a") == digests(tmp_path / "b") == digests(tmp_path / "a")


def test_lines_end_in_newlines_alone(tmp_path: Path) -> None:
    assert [path.name for path in write_reports(hostile_report(), tmp_path) if b"\r" in path.read_bytes()] == []


def test_only_the_page_of_the_instructor_knows_the_exam(tmp_path: Path) -> None:
    told = [path for path in write_reports(hostile_report(), tmp_path) if DIFFERENCE in path.read_text("utf-8")]
    seeds = [path for path in write_reports(hostile_report(), tmp_path) if SEED in path.read_text("utf-8")]
    assert told == seeds == [tmp_path / "index.html"]


def test_no_student_and_no_platform_sees_who_is_alike_and_the_code_of_the_reference(tmp_path: Path) -> None:
    alike = replace(hostile_report(), similar=hostile_similarity("THE-REFERENCES-CODE"))
    paths = write_reports(alike, tmp_path)
    with_code = [path.name for path in paths if "THE-REFERENCES-CODE" in path.read_text("utf-8")]
    assert with_code == ["similarity.html"]
    assert {path.name for path in paths if "similar" in path.read_text("utf-8")} == {"index.html", "similarity.html"}


def test_files_of_those_who_are_gone_go_too_and_others_stay(tmp_path: Path) -> None:
    write_reports(report(row("ada"), row("bob")), tmp_path)
    for name in ("letter.txt", "feedback/notes.md", "gradescope/mine.json"):
        (tmp_path / name).write_text("dear", "utf-8")

    write_reports(report(row("ada")), tmp_path)

    assert [name for name in names(tmp_path) if "bob" in name] == []
    assert {"letter.txt", "feedback/notes.md", "gradescope/mine.json", "feedback/ada.md"} <= names(tmp_path)


@pytest.mark.parametrize("index", ['{"../../letter": "x"}', '["../letter"]', "{", '{"letter.txt\\u0000": 1}'])
def test_an_index_that_somebody_changed_removes_nothing_else(tmp_path: Path, index: str) -> None:
    folder = tmp_path / "a" / "b"
    write_reports(report(row("ada")), folder)
    for path in (tmp_path / "letter.md", tmp_path / "a" / "letter.md", folder / "letter.md"):
        path.write_text("dear", "utf-8")
    (folder / "feedback" / "index.json").write_text(index, "utf-8")

    write_reports(report(row("ada")), folder)

    assert len([name for name in names(tmp_path) if name.endswith("letter.md")]) == 3


NAN = float("nan")
REFUSED: dict[str, tuple[ClassReport, str]] = {
    "two rows of one id": (report(row("ada"), row("ada")), "2 rows have the student id 'ada'"),
    "points that are no number": (report(replace(row("ada"), marks=marks(NAN))), "'ada': marks.earned is nan"),
    "an endless maximum": (report(replace(row("ada"), marks=marks(1, float("inf")))), "'ada': marks.maximum is inf"),
    "an unknown status": (report(replace(row("ada"), status="fine")), "'ada' has the status 'fine'"),  # type: ignore[arg-type]
    "an unknown status of a lab": (
        report(row("ada", labs=[LabResult("10.1", "fine")])),  # type: ignore[arg-type]
        "'ada' has the status 'fine'",
    ),
    "a title that Canvas ignores": (report(row("ada"), title="Final Score"), "choose another title"),
}


@pytest.mark.parametrize(("wrong", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_report_that_cannot_be_right_is_not_written(tmp_path: Path, wrong: ClassReport, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        write_reports(wrong, tmp_path / "report")
    assert not (tmp_path / "report").exists()

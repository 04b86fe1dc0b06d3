"""Points: what items are worth, what lateness costs, and what an instructor sets by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from scaffold.classroom.marks import marks_of
from scaffold.classroom.model import Item, LabResult
from scaffold.classroom.policy import Policy, kind_of, read_policy
from scaffold.course import LABS, find_lab

DUE = datetime.fromisoformat("2026-11-30T23:59:59+01:00")
LATE = "[late]\ndue = 2026-11-30T23:59:59+01:00\ngrace_minutes = 10\npercent_a_day = 10\nmost_percent = 25\n"


def policy(tmp_path: Path, text: str) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(text, "utf-8")
    return read_policy(path)


def right(*numbers: str) -> list[LabResult]:
    """All items of these labs count."""
    return [
        LabResult(
            number,
            "graded",
            items=[Item(name, kind_of(lab, name), "passed", "passed") for name in lab.required_tests + lab.bonus_tests],
        )
        for number in numbers
        for lab in [find_lab(number)]
    ]


def test_a_checkpoint_is_worth_two_points_and_the_others_one() -> None:
    marks = marks_of("ada", right("10.1"), None, Policy())
    assert (marks.earned, marks.points) == (6.0, 6.0)  # two checkpoints, and two tests that Python adds


def test_all_labs_together_are_the_maximum_and_the_bonus_is_on_top_of_what_is_lost() -> None:
    everything = [lab.number for lab in LABS]
    full = marks_of("ada", right(*everything), None, Policy())
    assert full.points == full.maximum < full.earned
    without_10_1 = marks_of("ada", right(*everything[1:]), None, Policy())
    assert without_10_1.points == full.maximum  # six points are lost, and thirteen are had besides


def test_a_lab_s_points_are_shared_by_the_weights_of_its_items(tmp_path: Path) -> None:
    worth = policy(tmp_path, '[points]\n"10.1" = 30\n[items]\ncheckpoint = 3\npython = 2\n').worth()
    lab = find_lab("10.1")
    assert [worth["10.1", name] for name in lab.checkpoints + lab.python_tests] == [9, 9, 6, 6]


@pytest.mark.parametrize(
    ("after", "lost", "note"),
    [
        (timedelta(0), 0, ""),
        (timedelta(minutes=10), 0, ""),
        (timedelta(minutes=10, seconds=1), 0.6, "1 day late: -10 %"),
        (timedelta(days=1), 0.6, "1 day late: -10 %"),
        (timedelta(days=1, seconds=1), 1.2, "2 days late: -20 %"),
        (timedelta(days=50), 1.5, "50 days late: -25 %"),
    ],
    ids=["in time", "within the grace", "a second after the grace", "a day", "a day and a second", "very late"],
)
def test_each_day_begun_costs_a_share_of_what_was_earned(
    tmp_path: Path, after: timedelta, lost: float, note: str
) -> None:
    marks = marks_of("ada", right("10.1"), DUE + after, policy(tmp_path, LATE))
    assert (marks.penalty, marks.points) == pytest.approx((lost, 6 - lost))
    assert marks.note == note


def test_who_is_late_without_a_known_time_is_not_late(tmp_path: Path) -> None:
    assert marks_of("ada", right("10.1"), None, policy(tmp_path, LATE)).penalty == 0


def test_what_is_set_by_hand_comes_before_all_else_but_never_above_the_maximum(tmp_path: Path) -> None:
    rules = policy(tmp_path, LATE + '[overrides.ada]\npoints = 5.5\nreason = "asked in person"\n')
    marks = marks_of("ada", right("10.1"), DUE + timedelta(days=3), rules)
    assert (marks.points, marks.note) == (5.5, "set by hand: asked in person")
    too_many = replace(rules, overrides={"ada": replace(rules.overrides["ada"], points=1_000)})
    assert marks_of("ada", [], None, too_many).points == rules.maximum()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("points = 3", "points must be a table"),
        ('[points]\n"10.9" = 3', "points.10.9 is not known; there are 10.1"),
        ('[points]\n"10.1" = -1', 'points."10.1" must be a number from 0'),
        ('[points]\n"10.1" = true', "must be a number"),
        ('[points]\n"10.1" = nan', "must be a number"),
        ("[items]\ncheckpoint = 0\npython = 0", "both 0"),
        ("[late]\ndue = 2026-11-30T23:59:59", "with a zone"),
        ("[late]\npercent_a_day = 10", "late.due must be"),
        ("[late]\ndue = 2026-11-30T23:59:59Z\npercent_a_day = 200", "from 0 to 100"),
        ("[overrides.ada]\npoints = 3", "overrides.ada.reason must say why"),
        ('[overrides.ada]\nreason = "so"', "overrides.ada.points must be a number"),
        ("[overrides]\nada = 3", "overrides.ada must be a table"),
        ("titel = 3", "titel is not known; there are items, late, overrides, points, title"),
        ("title = 3", "title must be a text"),
        ("title = ", "policy.toml: "),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_key_and_what_it_must_be(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"policy\.toml: ") as raised:
        policy(tmp_path, text)
    assert said in str(raised.value)

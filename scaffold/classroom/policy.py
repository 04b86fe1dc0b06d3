"""What an instructor decides about marks: a small TOML file. Without one, the defaults below hold.

title = "Session trees, autumn"

[points]                 # what each lab is worth; the default is the sum of its items
"10.5" = 30

[items]                  # how the items of a lab weigh against each other
checkpoint = 2
python = 1
bonus = 1                # on top: a bonus makes up for what is lost elsewhere

[late]
due = 2026-11-30T23:59:59+01:00
grace_minutes = 10
percent_a_day = 10       # of what was earned, for each day begun
most_percent = 50

[overrides.alice]        # by the student's id; kept whatever is graded again
points = 42.5
reason = "asked about it in person"
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scaffold.classroom.model import ItemKind
from scaffold.course import LABS, Lab

_TABLES: dict[str, set[str]] = {
    "items": {"checkpoint", "python", "bonus"},
    "late": {"due", "grace_minutes", "percent_a_day", "most_percent"},
}


@dataclass(frozen=True)
class Late:
    """When handing in is late, and what it costs: a share of what was earned for each day begun."""

    due: datetime
    grace: timedelta = timedelta(0)
    a_day: float = 0.1
    most: float = 1.0


@dataclass(frozen=True)
class Override:
    """Points that an instructor gives instead of those that were earned."""

    points: float
    reason: str


@dataclass(frozen=True)
class Policy:
    """How items become points."""

    title: str = "Session Tree Labs"
    points: Mapping[str, float] = field(default_factory=dict)  # by the lab's number
    weights: Mapping[ItemKind, float] = field(default_factory=lambda: {"checkpoint": 2.0, "python": 1.0, "bonus": 1.0})
    late: Late | None = None
    overrides: Mapping[str, Override] = field(default_factory=dict)  # by the student's id

    def worth(self) -> dict[tuple[str, str], float]:
        """Return the points of each item, by the lab's number and the item's name."""
        found: dict[tuple[str, str], float] = {}
        for lab in LABS:
            weights = {name: self.weights[kind_of(lab, name)] for name in lab.required_tests + lab.bonus_tests}
            whole = sum(weights[name] for name in lab.required_tests)
            scale = self.points.get(lab.number, whole) / whole if whole else 0.0
            found |= {(lab.number, name): weight * scale for name, weight in weights.items()}
        return found

    def maximum(self) -> float:
        """Return the points for all that is no bonus."""
        worth = self.worth()
        return math.fsum(worth[lab.number, name] for lab in LABS if not lab.is_bonus for name in lab.required_tests)


def kind_of(lab: Lab, name: str) -> ItemKind:
    """Return what kind of item a test function is."""
    if lab.is_bonus or name in lab.bonus_tests:
        return "bonus"
    return "checkpoint" if name in lab.checkpoints else "python"


def read_policy(path: Path) -> Policy:
    """Return the policy of a file. Raises ValueError that names the file, the key and what it must be, and OSError."""
    try:
        facts = tomllib.loads(path.read_text("utf-8"))
        return _policy(facts)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def _policy(facts: dict[str, Any]) -> Policy:
    _check_keys("", facts, {"title", "points", "items", "late", "overrides"})
    for table in ("points", "items", "late", "overrides"):
        _check_type(table, facts.get(table, {}), dict, f"a table: [{table}]")
    for table, keys in _TABLES.items():
        _check_keys(f"{table}.", facts.get(table, {}), keys)
    _check_keys("points.", facts.get("points", {}), {lab.number for lab in LABS})
    title = facts.get("title", Policy.title)
    _check_type("title", title, str, "a text")
    items = facts.get("items", {})
    weights: dict[ItemKind, float] = {
        kind: _number(f"items.{kind}", items.get(kind, weight)) for kind, weight in Policy().weights.items()
    }
    if not weights["checkpoint"] + weights["python"]:
        raise ValueError("items.checkpoint and items.python are both 0; then nothing is worth anything")
    return Policy(
        title,
        {number: _number(f'points."{number}"', value) for number, value in facts.get("points", {}).items()},
        weights,
        _late(facts["late"]) if "late" in facts else None,
        {student: _override(student, value) for student, value in facts.get("overrides", {}).items()},
    )


def _late(facts: dict[str, Any]) -> Late:
    due = facts.get("due")
    if not isinstance(due, datetime) or due.tzinfo is None:
        raise ValueError("late.due must be a date and time with a zone, such as 2026-11-30T23:59:59+01:00")
    return Late(
        due,
        timedelta(minutes=_number("late.grace_minutes", facts.get("grace_minutes", 0))),
        _number("late.percent_a_day", facts.get("percent_a_day", 10), most=100) / 100,
        _number("late.most_percent", facts.get("most_percent", 100), most=100) / 100,
    )


def _override(student: str, facts: Any) -> Override:
    name = f"overrides.{student}"
    _check_type(name, facts, dict, f"a table with points and reason: [{name}]")
    _check_keys(f"{name}.", facts, {"points", "reason"})
    reason = facts.get("reason", "")
    if not isinstance(reason, str) or not reason.strip():
        raise ValueError(f"{name}.reason must say why, in words")
    return Override(_number(f"{name}.points", facts.get("points")), reason)


def _check_type(name: str, value: Any, wanted: type, words: str) -> None:
    if not isinstance(value, wanted):
        raise ValueError(f"{name} must be {words}, not {value!r}")  # noqa: TRY004 (all that is wrong is a ValueError)


def _check_keys(prefix: str, facts: Mapping[str, Any], known: set[str]) -> None:
    for key in facts:
        if key not in known:
            raise ValueError(f"{prefix}{key} is not known; there are {', '.join(sorted(known))}")


def _number(name: str, value: Any, most: float = 1e6) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(f"{name} must be a number from 0 to {most:,.0f}, not {value!r}")
    return float(value)

"""Makes marks of results, by the policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from scaffold.classroom.model import LabResult, Marks
from scaffold.classroom.policy import Late, Policy

_DAY = timedelta(days=1)


def marks_of(student: str, labs: Sequence[LabResult], submitted: datetime | None, policy: Policy) -> Marks:
    """Return the marks of a student by id. Points are never less than 0, and never more than the maximum."""
    worth, maximum = policy.worth(), policy.maximum()
    earned = math.fsum(worth[lab.lab, item.name] for lab in labs for item in lab.items if item.counts)
    share, note = _lateness(submitted, policy.late)
    penalty = min(earned, maximum) * share
    points = min(earned, maximum) - penalty
    if (override := policy.overrides.get(student)) is not None:
        points, note = override.points, f"set by hand: {override.reason}"
    return Marks(earned, penalty, max(0.0, min(points, maximum)), maximum, note)


def _lateness(submitted: datetime | None, late: Late | None) -> tuple[float, str]:
    """Return which share of the points is lost, and the words for it."""
    if submitted is None or late is None or submitted <= late.due + late.grace:
        return 0.0, ""
    days = math.ceil((submitted - late.due) / _DAY)
    share = min(late.most, days * late.a_day)
    return share, f"{days} {'day' if days == 1 else 'days'} late: -{100 * share:.3g} %"

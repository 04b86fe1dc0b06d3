"""Each breakage turns red exactly the tests that it names, and each red says which rule broke."""

from __future__ import annotations

import pytest

from scaffold.breakages import Breakage, all_breakages, breakages_of
from scaffold.course import LABS
from scaffold.grading.engine import Engine

WORDS = {"broken rule", "timed out"}  # failures that say what is wrong, in the course's words


@pytest.mark.timeout(60)
@pytest.mark.parametrize("breakage", all_breakages(), ids=lambda breakage: f"{breakage.lab.number}-{breakage.name}")
def test_a_breakage_turns_red_what_it_names(breakage: Breakage, engine: Engine) -> None:
    with breakage.applied() as tree:
        verdict = engine.run_lab(breakage.lab, tree, stop_at_timeout=False)

    assert set(verdict.red()) == set(breakage.red)
    first_of_each = {result.function: result for result in reversed(verdict.results) if result.outcome == "failed"}
    silent = {name: result.message for name, result in first_of_each.items() if result.kind not in WORDS}
    assert silent == {}


def test_there_are_enough_of_them() -> None:
    assert len(all_breakages()) >= 50
    assert [lab.number for lab in LABS if len(breakages_of(lab)) < 5] == []
    assert sum(breakage.hangs for breakage in all_breakages()) >= 3


def test_each_required_test_is_turned_red_by_some_breakage() -> None:
    red = {(breakage.lab.number, test) for breakage in all_breakages() for test in breakage.red}
    assert [(lab.number, test) for lab in LABS for test in lab.checkpoints if (lab.number, test) not in red] == []

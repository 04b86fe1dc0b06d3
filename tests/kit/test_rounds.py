"""Which labs of a submission are run, over what, and in which order: each gets what it deserves, by no more runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, combinations

import pytest

from scaffold.classroom.model import Item, LabResult
from scaffold.classroom.oracle.questions import beneath
from scaffold.classroom.witness.job import Way
from scaffold.classroom.witness.rounds import results_of
from scaffold.course import LABS, Lab, find_lab

NUMBERS = [lab.number for lab in LABS]
MOST = 3  # items of each lab


def result(lab: Lab, right: int) -> LabResult:
    items = [Item(f"test_{n}", "checkpoint", "passed", "passed" if n < right else "failed") for n in range(MOST)]
    return LabResult(lab.number, "graded", "", items)


class Class:
    """Labs of which some are wrong, and some do as well over wrong ones as over right ones."""

    def __init__(
        self, wrong: Collection[str], robust: Collection[str] = (), seen_together: Collection[str] = ()
    ) -> None:
        self.wrong, self.robust, self.seen_together = wrong, robust, seen_together
        self.runs: list[tuple[Way, list[str]]] = []

    def alone(self, lab: Lab, way: Way) -> LabResult:
        own = MOST - 1 if lab.number in self.wrong else MOST
        on_sand = any(lower.number in self.wrong for lower in beneath(lab))
        return result(lab, 1 if way == "as it is" and on_sand and lab.number not in self.robust else own)

    def run(self, labs: Sequence[Lab], way: Way) -> dict[str, LabResult]:
        if labs:
            self.runs.append((way, [lab.number for lab in labs]))
        if way != "together":
            return {lab.number: self.alone(lab, way) for lab in labs}
        found = {lab.number: self.alone(lab, "as it is") for lab in labs if lab.number in self.seen_together}
        return {number: each for number, each in found.items() if all(item.counts for item in each.items)}

    def results(self, labs: Sequence[str] = NUMBERS, *, standins: bool = True) -> dict[str, int]:
        found = results_of([find_lab(number) for number in labs], self.run, standins=standins)
        return {number: sum(item.counts for item in each.items) for number, each in sorted(found.items())}

    def deserved(self, lab: Lab) -> int:
        """Return how many items of a lab count, by the rule: the better one, if a lab beneath it is wrong."""
        ways: Sequence[Way] = ["as it is", "over stand-ins"]
        return max(sum(item.counts for item in self.alone(lab, way).items) for way in ways)


def subsets(numbers: Sequence[str]) -> Sequence[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(numbers, size) for size in range(len(numbers) + 1)))


@pytest.mark.parametrize("robust", [(), NUMBERS], ids=["labs fail over wrong ones", "they don't"])
@pytest.mark.parametrize("seen_together", [(), NUMBERS, NUMBERS[::2]], ids=["none", "all", "every other one"])
def test_each_lab_gets_what_it_deserves_whatever_is_seen_together(
    robust: Collection[str], seen_together: Collection[str]
) -> None:
    for wrong in subsets(NUMBERS):
        one = Class(wrong, robust, seen_together)
        assert one.results() == {lab.number: one.deserved(lab) for lab in LABS}, wrong


def test_what_is_right_is_run_together_and_no_more() -> None:
    one = Class(wrong=(), seen_together=NUMBERS)
    one.results()
    assert one.runs == [("together", NUMBERS)]


def test_a_mistake_that_nothing_is_built_on_is_looked_at_alone() -> None:
    one = Class(wrong=["10.6"], seen_together=NUMBERS)
    one.results()
    assert one.runs == [("together", NUMBERS), ("as it is", ["10.6"])]


def test_what_stands_on_a_mistake_is_run_over_right_labs_and_again_only_if_that_does_not_help() -> None:
    one = Class(wrong=["10.2", "10.4"], seen_together=NUMBERS)
    one.results()
    assert one.runs[1:] == [
        ("as it is", ["10.2"]),
        ("over stand-ins", ["10.3", "10.4"]),
        ("as it is", ["10.4"]),
        ("over stand-ins", ["10.5"]),
        ("over stand-ins", ["10.7"]),
    ]


def test_no_lab_is_run_before_those_beneath_it_have_their_results() -> None:
    one = Class(wrong=())
    one.results()
    done: set[str] = set()
    for way, numbers in one.runs[1:]:
        assert way == "as it is"
        assert all(lower.number in done for number in numbers for lower in beneath(find_lab(number)))
        done.update(numbers)
    assert done == set(NUMBERS)


def test_over_a_lab_that_was_not_handed_in_only_right_ones_are_tried() -> None:
    one = Class(wrong=(), seen_together=NUMBERS)
    one.results(["10.1", "10.3", "10.4", "10.6"])
    assert one.runs == [("together", ["10.1", "10.6"]), ("over stand-ins", ["10.3", "10.4"])]


def test_one_lab_has_no_other_to_share_with() -> None:
    one = Class(wrong=(), seen_together=NUMBERS)
    one.results(["10.1"])
    assert one.runs == [("as it is", ["10.1"])]


def test_without_right_labs_at_hand_all_are_run_as_they_are() -> None:
    one = Class(wrong=["10.2"])
    found: Mapping[str, int] = one.results(["10.2", "10.3", "10.5"], standins=False)
    assert found == {"10.2": MOST - 1, "10.3": 1, "10.5": 1}
    assert {way for way, _ in one.runs} == {"together", "as it is"}

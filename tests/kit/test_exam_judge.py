"""The judge believes what an honest driver can say, asks of errors what the rules ask, and nothing more."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from kit.exam import SEED, Examiner, observations_of, with_observations
from scaffold.classroom.exam.driver import Observation
from scaffold.classroom.exam.errors import same_error
from scaffold.classroom.exam.judge import ItemJudgement, Judge
from scaffold.classroom.exam.local_stage import Host
from scaffold.classroom.exam.operations import operations_for
from scaffold.classroom.exam.plan import CANARY_EVERY, RunSeen, plan
from scaffold.classroom.exam.reports import error_report
from scaffold.classroom.exam.stage import understood
from scaffold.course import find_lab
from scaffold.given.errors import ClosedError, EntryError, LineError, NeedsRepairError, TreeError

LAB = find_lab("10.1")
OPERATIONS = operations_for(LAB, SEED)


@pytest.fixture(scope="module")
def expected() -> Iterator[list[RunSeen]]:
    with Host() as host:
        yield Examiner(host).expected(LAB, SEED)


def judged(expected: Sequence[RunSeen], change: Callable[[list[Observation]], Any]) -> dict[str, ItemJudgement]:
    """Judge observations that are the reference's, but for a change."""
    [run] = expected
    observations = observations_of(run)
    changed = change(observations)
    seen = with_observations(run, observations if changed is None else changed)
    return Judge(OPERATIONS, expected).compare([seen])


def first_of(kind: str) -> int:
    [run] = plan(OPERATIONS)
    return next(number for number, operation in enumerate(run.operations) if operation["do"] == kind)


def with_seen(kind: str, **facts: Any) -> Callable[[list[Observation]], None]:
    """Return a change of the first observation of a kind."""

    def change(observations: list[Observation]) -> None:
        number = first_of(kind)
        observations[number] = {"n": number, "seen": {**observations[number]["seen"], **facts}}

    return change


FORGED: dict[str, Callable[[list[Observation]], Any]] = {
    "one is missing": lambda all_: all_.pop(5),
    "the first is missing": lambda all_: all_.pop(0),
    "one comes twice": lambda all_: all_.insert(5, all_[5]),
    "two are exchanged": lambda all_: [*all_[:5], all_[6], all_[5], *all_[7:]],
    "one comes after the end": lambda all_: all_.append({"n": len(all_), "seen": {}}),
    "one is of an operation that was never asked": lambda all_: all_.__setitem__(5, {"n": 500, "seen": {}}),
    "one has no number": lambda all_: all_.__setitem__(5, {"seen": {}}),
    "one has a number that only looks right": lambda all_: all_.__setitem__(1, {**all_[1], "n": True}),
    "one says more than it should": lambda all_: all_.__setitem__(5, {**all_[5], "passed": True}),
    "one is no JSON": lambda all_: [*all_[:5], understood(b'{"n": 5, "seen"\n'), *all_[6:]],
    "one is no object": lambda all_: [*all_[:5], understood(b"[1, 2]\n"), *all_[6:]],
    "one is too deep": lambda all_: [*all_[:5], understood(b"[" * 100_000), *all_[6:]],
    "one is two": lambda all_: [*all_[:5], understood(b'{"n": 5, "seen": 1}, {"n": 6, "seen": 1}'), *all_[6:]],
    "the encoder was changed": with_seen("canary", value=1),
    "nothing is changed any more": with_seen("canary", changed=None),
    "nothing is ever shared": with_seen("canary", shared=[]),
}


def test_each_change_of_an_observation_is_a_change(expected: list[RunSeen]) -> None:
    assert not any(judgement.tampered for judgement in judged(expected, lambda _: None).values())
    assert all(judgement.passed for judgement in judged(expected, lambda _: None).values())


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_what_no_honest_driver_says_is_tampered_with(
    change: Callable[[list[Observation]], Any], expected: list[RunSeen]
) -> None:
    # A change may return what it took out, which is no list of observations.
    def only_lists(observations: list[Observation]) -> list[Observation] | None:
        changed = change(observations)
        return changed if isinstance(changed, list) else None

    result = judged(expected, only_lists)
    assert {(judgement.passed, judgement.tampered) for judgement in result.values()} == {(False, True)}
    assert list(result) == list(OPERATIONS)


def test_a_run_too_few_is_tampered_with(expected: list[RunSeen]) -> None:
    assert all(judgement.tampered for judgement in Judge(OPERATIONS, expected).compare([]).values())


def test_a_mutation_that_was_not_made_is_noticed(expected: list[RunSeen]) -> None:
    def undo(observations: list[Observation]) -> None:
        number = first_of("path twice")
        seen = observations[number]["seen"]
        observations[number] = {"n": number, "seen": {**seen, "changed": seen["first"]}}

    result = judged(expected, undo)
    failed = [item for item, judgement in result.items() if not judgement.passed]
    assert failed == ["test_ids_are_unique_and_entries_are_copied"]


NEARLY_EQUAL: dict[str, tuple[Any, Any]] = {
    "1 and 1.0": (1, 1.0),
    "1 and True": (1, True),
    "0 and False": (0, False),
    "0.0 and -0.0": (0.0, -0.0),
    "null and absent": ({"a": None}, {}),
    "a list and its first item": ([1], 1),
    "a list and a longer one": ([1], [1, 1]),
    "a value and an error": (1, {"$error": {}}),
}


@pytest.mark.parametrize("swapped", [False, True], ids=["", "the other way round"])
@pytest.mark.parametrize("pair", NEARLY_EQUAL.values(), ids=NEARLY_EQUAL)
def test_values_are_compared_with_their_types(pair: tuple[Any, Any], swapped: bool, expected: list[RunSeen]) -> None:
    right, wrong = pair[::-1] if swapped else pair
    if isinstance(right, dict) and "$error" in right:
        right = error_report(ValueError("no"))
    [run] = expected

    def with_value(value: Any) -> list[RunSeen]:
        observation = {"n": 1, "seen": {"value": {"deep": [value]}}}
        first, _, *others = observations_of(run)
        return [with_observations(run, [first, observation, *others])]

    judgement = Judge(OPERATIONS, with_value(right)).compare(with_value(wrong))[
        "test_path_is_the_chain_of_the_chosen_leaf"
    ]
    assert (judgement.passed, judgement.tampered) == (False, False)


def test_an_end_that_is_missing_costs_what_comes_after_it(expected: list[RunSeen]) -> None:
    [run] = plan(OPERATIONS)
    last = run.operations[-2]["item"]
    result = judged(expected, lambda observations: observations[:-2])
    assert [item for item, judgement in result.items() if not judgement.passed] == [last]
    assert (result[last].ran, result[last].tampered) == (False, False)


def test_a_reference_that_does_not_come_to_its_end_judges_nobody(expected: list[RunSeen]) -> None:
    [run] = expected
    short = [dataclasses.replace(run, lines=run.lines[:-1])]
    with pytest.raises(ValueError, match="reference"):
        Judge(OPERATIONS, short)


def test_the_first_difference_says_what_was_asked_what_came_and_what_is_right(expected: list[RunSeen]) -> None:
    def wrong(observations: list[Observation]) -> None:
        observations[1] = {"n": 1, "seen": {"value": "x" * 10_000}}

    difference = judged(expected, wrong)["test_path_is_the_chain_of_the_chosen_leaf"].first_difference
    words = [line.partition(":")[0] for line in difference.splitlines()]
    assert words == ["operation", "where", "reference", "submission"]
    assert "path_to" in difference
    assert '"xxxx' in difference
    assert len(difference) < 1_500


def test_there_are_canaries_at_both_ends_and_in_between() -> None:
    [run] = plan(operations_for(find_lab("10.2"), SEED))
    kinds = [operation["do"] for operation in run.operations]
    assert (kinds[0], kinds[-1]) == ("canary", "canary")
    assert kinds.count("canary") == (len(kinds) - kinds.count("canary") - 1) // CANARY_EVERY + 2


# Errors


class _OwnError(ValueError):
    def __init__(self, text: str, **facts: Any) -> None:
        super().__init__(text)
        self.__dict__.update(facts)


def caused(error: Exception, cause: Exception | None) -> Exception:
    error.__cause__ = cause
    return error


PATH = EntryError("must be a string", "message", "content", 1, "text")
IDS = TreeError("no parent", "kid7", "ghost9")
LINE = LineError(7, "is not JSON: what")
REPLAYED = caused(LineError(3, "twice"), TreeError("twice", "dup4"))
TORN = NeedsRepairError(4)
CLOSED = ClosedError("closed")

# The lab, the reference's error, the submission's, whether it is as good, and what the operation leaves open.
ERRORS: dict[str, tuple[str, Exception, Exception, bool, dict[str, Any]]] = {
    "the same": ("10.2", PATH, PATH, True, {}),
    "the path in other words": ("10.2", PATH, ValueError("MESSAGE.content[1].TEXT is bad"), True, {}),
    "the path in an attribute": ("10.2", PATH, _OwnError("bad", where="x.message.content[1].text"), True, {}),
    "another class": ("10.2", PATH, TypeError("message.content[1].text"), False, {}),
    "another index": ("10.2", PATH, ValueError("message.content[0].text"), False, {}),
    "a path that ends too early": ("10.2", PATH, ValueError("message.content[1]"), False, {}),
    "a path that goes on": ("10.2", PATH, ValueError("message.content[1].text.more"), False, {}),
    "a path that may go on": ("10.2", PATH, ValueError("message.content[1].text.more"), True, {"_open": True}),
    "a path that may end a step earlier": (
        "10.2",
        PATH,
        ValueError("message.content[1]"),
        True,
        {"_open": 1, "_up": 1},
    ),
    "a path that ends two steps earlier": ("10.2", PATH, ValueError("message.content"), False, {"_open": 1, "_up": 1}),
    "a name that only ends in the path": ("10.2", EntryError("x", "id"), ValueError("entry.grid"), False, {}),
    "no path, of the whole entry": ("10.2", EntryError("x"), ValueError("no"), True, {}),
    "no path where none is asked for": ("10.3", PATH, ValueError("no"), True, {}),
    "both ids in another order": ("10.1", IDS, LookupError("ghost9 of KID7"), True, {}),
    "an id in a tuple": ("10.1", IDS, _OwnError("kid7", ids=("ghost9",)), True, {}),
    "one of two ids": ("10.1", IDS, ValueError("kid7"), False, {}),
    "one id of a ring": ("10.1", IDS, ValueError("r3"), True, {"_one_of": ["r1", "r2", "r3"]}),
    "no id of a ring": ("10.1", IDS, ValueError("r4"), False, {"_one_of": ["r1", "r2", "r3"]}),
    "a RuntimeError in 10.1": ("10.1", IDS, RuntimeError("kid7 ghost9"), False, {}),
    "a RuntimeError of a store": ("10.3", IDS, RuntimeError("kid7 ghost9"), True, {"do": "program"}),
    "not written yet": ("10.3", IDS, NotImplementedError("kid7 ghost9"), False, {"do": "program"}),
    "a class that is called ValueError": ("10.1", IDS, type("ValueError", (Exception,), {})("kid7 ghost9"), False, {}),
    "the line and the kind": ("10.4", LINE, ValueError("bad json on line 7"), True, {}),
    "the line in an attribute": ("10.4", LINE, _OwnError("no JSON", line_number=7), True, {}),
    "another line": ("10.4", LINE, ValueError("line 8 is not JSON"), False, {}),
    "a second line number": ("10.4", LINE, ValueError("line 7 is not JSON: line 1 column 2"), False, {}),
    "a line number that has the right one in it": ("10.4", LINE, ValueError("line 77 is not JSON"), False, {}),
    "another kind of damage": ("10.4", LINE, ValueError("line 7 is no session entry"), False, {}),
    "a kind that is left open": ("10.4", LINE, ValueError("line 7 is bad"), True, {"_any_damage": True}),
    "no cause where one is asked for": (
        "10.4",
        caused(LineError(7, "is not JSON"), ValueError()),
        LINE,
        False,
        {"_cause": 1},
    ),
    "the ids of a replay": ("10.5", REPLAYED, ValueError("dup4 stands twice"), True, {"do": "program"}),
    "a replay without its ids": ("10.5", REPLAYED, ValueError("line 3"), False, {"do": "program"}),
    "the cure and the line": ("10.5", TORN, RuntimeError("REPAIR line 4"), True, {"do": "program"}),
    "the cure without the line": ("10.5", TORN, RuntimeError("repair it"), False, {"do": "program"}),
    "the line is left open": ("10.5", TORN, RuntimeError("repair it"), True, {"do": "program", "_names": False}),
    "the line without the cure": ("10.5", TORN, RuntimeError("line 4"), False, {"do": "program", "_names": False}),
    "it is closed": ("10.5", CLOSED, RuntimeError("closing"), True, {"do": "program"}),
    "it is not said that it is closed": ("10.5", CLOSED, RuntimeError("no"), False, {"do": "program"}),
}


@pytest.mark.parametrize(("lab", "right", "error", "good", "notes"), ERRORS.values(), ids=ERRORS)
def test_an_error_must_name_what_the_rules_ask_for(
    lab: str, right: Exception, error: Exception, good: bool, notes: dict[str, Any]
) -> None:
    operation = {"do": "call", "lab": lab, "item": "an item", **notes}
    assert same_error(operation, error_report(error), error_report(right)["$error"]) is good


FORGED_ERRORS: dict[str, Any] = {
    "no report": {"value": 1},
    "none": None,
    "a list": [],
    "no facts": {"$error": {}},
    "facts of another kind": {"$error": {"types": "ValueError", "text": "kid7 ghost9", "facts": {}}},
    "a text of another kind": {"$error": {"types": ["ValueError"], "text": ["kid7 ghost9"], "facts": {}}},
    "types of another kind": {"$error": {"types": [["ValueError"]], "text": "kid7 ghost9", "facts": {}}},
}


@pytest.mark.parametrize("forged", FORGED_ERRORS.values(), ids=FORGED_ERRORS)
def test_a_forged_report_is_no_error(forged: Any) -> None:
    operation = {"do": "call", "lab": "10.1", "item": "an item"}
    assert same_error(operation, forged, error_report(IDS)["$error"]) is False

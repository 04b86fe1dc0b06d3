"""What the tests say when a rule is broken: the rule, what was expected, and what came instead."""

from __future__ import annotations

import inspect
import json
import reprlib
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pytest

from scaffold.grading.failure import BrokenRuleError as BrokenRuleError  # noqa: PLC0414 (tests raise it too)
from scaffold.grading.failure import MissingNameError, NotLoadableError, described, safe_str

# Errors that say themselves what is wrong, and are no answer of the code under test.
OURS = (NotImplementedError, MissingNameError, NotLoadableError, BrokenRuleError, pytest.exit.Exception)
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 300
_SHORT.maxlist = _SHORT.maxdict = 30


def cases(by_rule: Mapping[str, object]) -> list[Any]:
    """Return one parameter set for each rule: the rule's text first, and then what stands beside it."""
    return [
        pytest.param(rule, *(values if isinstance(values, tuple) else (values,)), id=rule)
        for rule, values in by_rule.items()
    ]


def holds(condition: object, rule: str, expected: str, actual: object) -> None:
    """Check one fact."""
    if not condition:
        raise BrokenRuleError(rule, expected, actual if isinstance(actual, str) else shown(actual))


def same(actual: object, expected: object, rule: str) -> None:
    """Check that two JSON values are equal in value and in type: True is not 1, and 1 is not 1.0."""
    if not _alike(actual, expected):
        raise BrokenRuleError(rule, shown(expected), shown(actual))


def accepted(call: Callable[[], Any], rule: str) -> Any:
    """Check that a call raises nothing, and return its result."""
    try:
        return call()
    except OURS:
        raise
    except Exception as error:
        raise BrokenRuleError(rule, "no error", described(error)) from error


async def done(outcome: Any, rule: str) -> Any:
    """Check that what a call returned can be awaited, and comes to a good end; return its result."""
    holds(inspect.isawaitable(outcome), rule, "a future that can be awaited", outcome)
    try:
        return await outcome
    except OURS:
        raise
    except Exception as error:
        raise BrokenRuleError(rule, "no error", described(error)) from error


def refused(
    call: Callable[[], object], *facts: str, rule: str, kinds: tuple[type[Exception], ...] = (ValueError,)
) -> Exception:
    """Check that a call raises an error of one of these kinds which names the facts; return the error.

    A fact may stand in the text of the error or in one of its attributes, in any case and any order.
    """
    try:
        result = call()
    except OURS:
        raise
    except Exception as error:
        names_facts(error, *facts, rule=rule, kinds=kinds)
        return error
    raise BrokenRuleError(rule, _wanted(facts, kinds), f"no error; the result is {shown(result)}")


def names_facts(
    error: BaseException, *facts: str, rule: str, kinds: tuple[type[Exception], ...] = (ValueError,)
) -> None:
    """Check the kind of an error that was caught, and the facts that it names."""
    if isinstance(error, OURS):
        raise error
    told = told_by(error)
    if not isinstance(error, kinds) or not all(fact.lower() in told for fact in facts):
        raise BrokenRuleError(rule, _wanted(facts, kinds), described(error)) from error


def names_line(error: BaseException, line: int, rule: str) -> None:
    """Check that an error gives this line number, and no other one."""
    told = told_by(error).replace("lines", "line")
    words = "".join(character if character.isalnum() else " " for character in told).split()
    after_line = {int(word) for before, word in pairwise(words) if before == "line" and word.isdigit()}
    if str(line) not in words or after_line - {line}:
        raise BrokenRuleError(rule, f"an error that names line {line}, and no other line", described(error)) from error


def told_by(error: BaseException) -> str:
    """Return what an error says in its text and in its attributes, in lower case."""
    attributes = [f"{name} {_repr(value)}" for name, value in vars(error).items()]
    return " ".join([safe_str(error), *attributes]).lower()


def unshared(one: object, other: object, rule: str) -> None:
    """Check that no list and no dict is part of both values."""
    others = _containers(other)
    common = [part for number, part in _containers(one).items() if number in others]
    if common:
        raise BrokenRuleError(rule, "copies that share nothing", f"both hold the very same object {shown(common[0])}")


def shown(value: object) -> str:
    """Return a value as JSON if it is short enough to be read, and as a shortened Python value otherwise."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return _repr(value)
    return text if len(text) <= 600 else _repr(value)


def _repr(value: object) -> str:
    try:
        return _SHORT.repr(value)
    except Exception as error:  # an integer of 5,000 digits has no text, and a foreign __repr__ may do anything
        return f"a Python {type(value).__name__} without a text ({type(error).__name__})"


def _wanted(facts: tuple[str, ...], kinds: tuple[type[Exception], ...]) -> str:
    kind = " or ".join(kind.__name__ for kind in kinds)
    facts = tuple(filter(None, facts))
    return f"an error that names {' and '.join(map(repr, facts))} ({kind})" if facts else f"an error ({kind})"


def _alike(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return (
            list(map(type, one)) == [str] * len(one)
            and one.keys() == other.keys()
            and all(_alike(one[key], other[key]) for key in one)
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


def _containers(value: object) -> dict[int, object]:
    found: dict[int, object] = {}
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list | dict) and id(part) not in found:
            found[id(part)] = part
            waiting.extend(part.values() if isinstance(part, dict) else part)
    return found

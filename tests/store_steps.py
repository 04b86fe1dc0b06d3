"""Steps that the tests of both stores are made of: append, wait, look. Each says its rule when it goes wrong."""

from __future__ import annotations

import asyncio
import inspect
from functools import partial
from typing import Any

import expect
from scaffold.given.samples import metadata_entry

OUT_OF_PLACE = (ValueError, LookupError, RuntimeError)  # kinds of errors for a duplicate or a missing parent


def note(entry_id: str, parent_id: str | None, value: Any = 1) -> Any:
    return metadata_entry(entry_id, parent_id, "note", value)


def append(store: Any, *entries: Any) -> list[Any]:
    """Call `append` for each entry, and return what the calls return."""
    rule = "append raises nothing at the call: its future fails"
    outcomes = [expect.accepted(partial(store.append, entry), rule) for entry in entries]
    for outcome in outcomes:
        expect.holds(inspect.isawaitable(outcome), "append returns a future that can be awaited", "a future", outcome)
    return outcomes


async def appended(store: Any, entry: Any, rule: str) -> Any:
    """Append an entry, wait until it is stored, and return the result; the rule says why it must be stored."""
    [outcome] = append(store, entry)
    return await expect.done(outcome, rule)


async def error_of(outcome: Any, rule: str) -> BaseException:
    """Return the error with which something fails; the rule says why it must."""
    expect.holds(inspect.isawaitable(outcome), rule, "a future that can be awaited", outcome)
    try:
        result = await outcome
    except expect.OURS:
        raise
    except (Exception, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # it is this test that is cancelled: its time is over
            raise
        return error
    raise expect.BrokenRuleError(rule, "an error", f"no error; the result is {expect.shown(result)}")


async def refusal_of(store: Any, entry: Any, rule: str) -> BaseException:
    """Return the error with which an append fails; the rule says why it must."""
    [outcome] = append(store, entry)
    return await error_of(outcome, rule)


def check_identity(error: BaseException, first: BaseException, rule: str) -> None:
    actual = "an equal error, but another object" if repr(error) == repr(first) else repr(error)
    expect.holds(error is first, rule, f"the very same object as the first error, {first!r}", actual)


def check_state(store: Any, wanted: str, rule: str) -> None:
    expect.holds(not callable(store.state), "state is a property", "a text", "a method")
    expect.same(str(getattr(store.state, "value", store.state)), wanted, rule)


async def check_ids(store: Any, wanted: list[str], rule: str) -> None:
    """Check which entries are stored, in their order."""
    entries = await expect.done(store.entries(), rule)
    expect.same([entry["id"] for entry in entries], wanted, rule)


async def let_others_run() -> None:
    for _ in range(20):
        await asyncio.sleep(0)

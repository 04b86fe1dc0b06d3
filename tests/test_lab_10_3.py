"""Lab 10.3: `InMemorySessionStore` keeps entries as they were when `append` was called, in the order of the calls."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

import expect
from scaffold.given.samples import chapter_session, message_entry, metadata_entry, user

pytestmark = pytest.mark.lab_10_3


def note(entry_id: str, parent_id: str | None, value: Any = 1) -> Any:
    return metadata_entry(entry_id, parent_id, "note", value)


async def error_of(outcome: Any) -> Exception:
    """Return the error with which an append fails; None (which no test accepts) if it doesn't."""
    try:
        await outcome
    except Exception as error:
        return error
    return AssertionError("the append succeeded")


# 10.3 a


async def copy_at_the_call(store: Any) -> None:
    root: Any = message_entry("root", None, user("as it was at the call"))
    pending = store.append(root)
    root["message"]["content"][0]["text"] = "changed after the call"
    root["id"] = "changed"
    await pending

    [stored] = await store.entries()
    expect.same(stored["id"], "root", "the entry is stored as it was at the call, not at the await")
    expect.same(stored["message"]["content"][0]["text"], "as it was at the call", "the copy at the call is deep")


async def order_of_the_calls(store: Any) -> None:
    first = store.append(note("root", None))
    second = store.append(note("child", "root"))
    await asyncio.gather(second, first)

    order = [entry["id"] for entry in await store.entries()]
    expect.same(order, ["root", "child"], "the order is that of the calls, not that of the awaits")


async def parent_and_child_without_await(store: Any) -> None:
    outcomes = [store.append(entry) for entry in chapter_session()]
    await outcomes[-1]

    expect.same(
        await store.entries(), chapter_session(), "a child may be appended before its parent's append is awaited"
    )


async def copies_for_readers(store: Any) -> None:
    await store.append(message_entry("a", None, user("original")))
    first = await store.entries()
    first[0]["message"]["content"][0]["text"] = "changed by a reader"
    first[0]["id"] = "changed"
    first.append("more")

    second = await store.entries()
    expect.same(len(second), 1, "each reading gets a list of its own")
    expect.same(second[0]["id"], "a", "what a reader does to its copy stays with the reader")
    expect.same(second[0]["message"]["content"][0]["text"], "original", "the copies for readers are deep")
    expect.unshared(second, await store.entries(), "two readings share nothing")


async def reading_waits(store: Any) -> None:
    store.append(note("a", None))
    store.append(note("b", "a"))

    order = [entry["id"] for entry in await store.entries()]
    expect.same(order, ["a", "b"], "a reading sees every append that was called before it")


STORING = {
    "an entry is copied when append is called": copy_at_the_call,
    "entries are kept in the order of the calls": order_of_the_calls,
    "a parent and its child need no await between them": parent_and_child_without_await,
    "each reader gets copies": copies_for_readers,
    "a reading waits for the appends before it": reading_waits,
}


@pytest.mark.parametrize("scenario", STORING.values(), ids=STORING)
async def test_append_takes_a_copy_at_the_call_and_keeps_the_order(session: Any, scenario: Any) -> None:
    await scenario(session.InMemorySessionStore())


# 10.3 b: what can't be stored, and the ids that the error must name

REFUSED = {
    "a missing parent is refused, with both ids": (note("kid", "ghost"), ("kid", "ghost")),
    "an entry can't be its own parent": (note("selfish", "selfish"), ("selfish",)),
    "a duplicate id is refused by name": (note("known", None), ("known",)),
    "a duplicate id under a parent is refused by name": (note("known", "known"), ("known",)),
    "what is no entry is refused": ({"id": "x"}, ()),
    "what JSON can't hold is refused": (note("x", None, value={1, 2}), ()),
}


@pytest.mark.parametrize(("rule", "entry", "ids"), expect.cases(REFUSED))
async def test_a_refused_entry_leaves_no_trace(session: Any, rule: str, entry: Any, ids: tuple[str, ...]) -> None:
    store = session.InMemorySessionStore()
    await store.append(note("known", None))

    outcomes = [store.append(entry), store.append(note("new-root", None)), store.append(note("leaf", "known"))]
    error = await error_of(outcomes[0])
    await outcomes[2]

    expect.names_facts(error, *ids, rule=rule)
    order = [stored["id"] for stored in await store.entries()]
    expect.same(order, ["known", "new-root", "leaf"], f"{rule}, and does not disturb the appends after it")


# What Python adds


async def child_before_parent(store: Any) -> None:
    child, parent = store.append(note("child", "parent")), store.append(note("parent", None))
    error = await error_of(child)
    await parent

    expect.names_facts(error, "child", "parent", rule="a child that is appended before its parent is refused")


async def refused_parent(store: Any) -> None:
    parent, child = store.append(note("parent", "ghost")), store.append(note("child", "parent"))
    await error_of(parent)

    expect.names_facts(await error_of(child), "child", "parent", rule="a child of a refused parent is refused too")


async def not_awaited(store: Any) -> None:
    store.append(note("a", None))
    await asyncio.sleep(0)

    order = [entry["id"] for entry in await store.entries()]
    expect.same(order, ["a"], "an append that nobody awaits is stored all the same")


async def no_error_at_the_call(store: Any) -> None:
    try:
        outcome = store.append({"id": ""})
    except ValueError as error:
        raise expect.BrokenRuleError(
            "append never raises for bad data: the future fails", "a future", f"{type(error).__name__} at the call"
        ) from None
    expect.names_facts(await error_of(outcome), rule="the future of bad data fails")


CALLS = {
    "a child can't come before its parent": child_before_parent,
    "a child can't follow a parent that was refused": refused_parent,
    "an append happens whether or not it is awaited": not_awaited,
    "bad data fails the future, not the call": no_error_at_the_call,
}


@pytest.mark.parametrize("scenario", CALLS.values(), ids=CALLS)
async def test_append_is_done_without_await(session: Any, scenario: Any) -> None:
    await scenario(session.InMemorySessionStore())


async def test_a_cancelled_caller_takes_nothing_back(session: Any) -> None:
    store = session.InMemorySessionStore()

    cancelled = asyncio.ensure_future(store.append(note("a", None)))
    cancelled.cancel()
    later = store.append(note("b", None))
    await later
    with contextlib.suppress(asyncio.CancelledError):
        await cancelled

    order = [entry["id"] for entry in await store.entries()]
    expect.holds(order in (["a", "b"], ["b"]), "the queue goes on after a cancelled caller", '["a", "b"]', order)

"""Lab 10.3: `InMemorySessionStore` keeps entries as they were when `append` was called, in the order of the calls."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from typing import Any

import pytest

import expect
from scaffold.given.samples import chapter_session, message_entry, user
from store_steps import OUT_OF_PLACE, append, appended, check_ids, error_of, note

pytestmark = pytest.mark.lab_10_3


BAD_DATA = (ValueError,)


# 10.3 a


async def copy_at_the_call(store: Any) -> None:
    root: Any = message_entry("root", None, user("as it was at the call"))
    [pending] = append(store, root)
    root["message"]["content"][0]["text"] = "changed after the call"
    root["id"] = "changed"
    await expect.done(pending, "a complete entry is stored")

    await check_ids(store, ["root"], "the entry is stored as it was at the call, not at the await")
    [stored] = await store.entries()
    expect.same(stored["message"]["content"][0]["text"], "as it was at the call", "the copy at the call is deep")


async def order_of_the_calls(store: Any) -> None:
    rule = "the order is that of the calls, not that of the awaits"
    first, second = append(store, note("root", None), note("child", "root"))
    await expect.done(second, rule)
    await expect.done(first, rule)

    await check_ids(store, ["root", "child"], rule)


async def parent_and_child_without_await(store: Any) -> None:
    rule = "a child may be appended before its parent's append is awaited, and a parent may have several"
    outcomes = append(store, *chapter_session())
    await expect.done(outcomes[-1], rule)

    await check_ids(store, ["a", "b", "r", "d", "m"], rule)
    expect.same(await store.entries(), chapter_session(), "entries come back as they were appended")


async def copies_for_readers(store: Any) -> None:
    await appended(store, message_entry("a", None, user("original")), "a complete entry is stored")
    first = await expect.done(store.entries(), "what is stored can be read")
    first[0]["message"]["content"][0]["text"] = "changed by a reader"
    first[0]["id"] = "changed"
    first.append("more")

    second = await store.entries()
    expect.same(len(second), 1, "each reading gets a list of its own")
    expect.same(second[0]["id"], "a", "what a reader does to its copy stays with the reader")
    expect.same(second[0]["message"]["content"][0]["text"], "original", "the copies for readers are deep")
    expect.unshared(second, await store.entries(), "two readings share nothing")


async def nothing_for_the_caller(store: Any) -> None:
    result = await appended(store, note("a", None), "a complete entry is stored")
    if isinstance(result, dict):
        result["id"] = "changed"

    await check_ids(store, ["a"], "the result of an append is not the stored entry, which its caller could change")


async def reading_waits(store: Any) -> None:
    append(store, note("a", None), note("b", "a"))

    await check_ids(store, ["a", "b"], "a reading sees every append that was called before it")


STORING = {
    "an entry is copied when append is called": copy_at_the_call,
    "entries are kept in the order of the calls": order_of_the_calls,
    "a parent and its child need no await between them": parent_and_child_without_await,
    "each reader gets copies": copies_for_readers,
    "the caller of append does not get the stored entry": nothing_for_the_caller,
    "a reading waits for the appends before it": reading_waits,
}


@pytest.mark.parametrize("scenario", STORING.values(), ids=STORING)
async def test_append_takes_a_copy_at_the_call_and_keeps_the_order(session: Any, scenario: Any) -> None:
    await scenario(session.InMemorySessionStore())


# 10.3 b: what can't be stored, the kind of error that says so, and the ids that it must name

REFUSED = {
    "a missing parent is refused, with both ids": (note("kid", "ghost"), OUT_OF_PLACE, ("kid", "ghost")),
    "an entry can't be its own parent": (note("selfish", "selfish"), OUT_OF_PLACE, ("selfish",)),
    "a duplicate id is refused by name": (note("known", None), OUT_OF_PLACE, ("known",)),
    "a duplicate id under a parent is refused by name": (note("known", "known"), OUT_OF_PLACE, ("known",)),
    "what is no entry is refused": ({"id": "x"}, BAD_DATA, ()),
    "what JSON can't hold is refused": (note("x", None, value={1, 2}), BAD_DATA, ()),
}


@pytest.mark.parametrize(("rule", "entry", "kinds", "ids"), expect.cases(REFUSED))
async def test_a_refused_entry_leaves_no_trace(session: Any, rule: str, entry: Any, kinds: Any, ids: Any) -> None:
    store = session.InMemorySessionStore()
    await appended(store, note("known", None), "a root is stored")

    refused, *others = append(store, entry, note("new-root", None), note("leaf", "known"))
    error = await error_of(refused, rule)
    await expect.done(others[-1], f"{rule}, and does not disturb the appends after it")

    expect.names_facts(error, *ids, rule=rule, kinds=kinds)
    await check_ids(store, ["known", "new-root", "leaf"], f"{rule}, and is not stored")


# What Python adds


async def child_before_parent(store: Any) -> None:
    rule = "a child that is appended before its parent is refused"
    child, parent = append(store, note("child", "parent"), note("parent", None))
    error = await error_of(child, rule)
    await expect.done(parent, "a refused child does not disturb its parent")

    expect.names_facts(error, "child", "parent", rule=rule, kinds=OUT_OF_PLACE)
    await appended(store, note("child", "parent"), "the id of a refused entry can be used again")


async def refused_parent(store: Any) -> None:
    rule = "a child of a refused parent is refused too"
    parent, child = append(store, note("parent", "ghost"), note("child", "parent"))
    await error_of(parent, "an entry whose parent is missing is refused")

    expect.names_facts(await error_of(child, rule), "child", "parent", rule=rule, kinds=OUT_OF_PLACE)


async def not_awaited(store: Any) -> None:
    append(store, note("a", None))
    await asyncio.sleep(0)

    await check_ids(store, ["a"], "an append that nobody awaits is stored all the same")


async def no_error_at_the_call(store: Any) -> None:
    [outcome] = append(store, {"id": ""})

    rule = "the future of bad data fails"
    expect.names_facts(await error_of(outcome, rule), rule=rule)


async def nothing_is_logged(store: Any) -> None:
    logged: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context["message"]))
    append(store, {"id": ""}, note("kid", "ghost"))
    await expect.done(store.entries(), "a refused entry does not disturb a reading")
    gc.collect()

    expect.same(logged, [], "asyncio has nothing to complain of if nobody awaits an append that fails")


CALLS = {
    "a child can't come before its parent": child_before_parent,
    "a child can't follow a parent that was refused": refused_parent,
    "an append happens whether or not it is awaited": not_awaited,
    "bad data fails the future, not the call": no_error_at_the_call,
    "a failure that nobody awaits is not logged": nothing_is_logged,
}


@pytest.mark.parametrize("scenario", CALLS.values(), ids=CALLS)
async def test_append_is_done_without_await(session: Any, scenario: Any) -> None:
    await scenario(session.InMemorySessionStore())


async def cancelled_append(store: Any) -> None:
    rule = "the queue goes on after a cancelled caller"
    [outcome] = append(store, note("a", None))
    cancelled = asyncio.ensure_future(outcome)
    cancelled.cancel()
    try:
        await appended(store, note("b", None), rule)
    except asyncio.CancelledError:
        raise expect.BrokenRuleError(rule, "no error", "the append of the next caller is cancelled too") from None
    with contextlib.suppress(asyncio.CancelledError):
        await expect.done(cancelled, rule)

    order = [entry["id"] for entry in await expect.done(store.entries(), rule)]
    expect.holds(order in (["a", "b"], ["b"]), rule, '["a", "b"]', order)


async def cancelled_reading(store: Any) -> None:
    append(store, note("a", None))
    cancelled = asyncio.ensure_future(store.entries())
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.sleep(0)

    rule = "a cancelled reader does not take along the append that it waits for"
    await appended(store, note("b", None), rule)
    await check_ids(store, ["a", "b"], rule)


CANCELLED = {"an append": cancelled_append, "a reading": cancelled_reading}


@pytest.mark.parametrize("scenario", CANCELLED.values(), ids=CANCELLED)
async def test_a_cancelled_caller_takes_nothing_back(session: Any, scenario: Any) -> None:
    await scenario(session.InMemorySessionStore())

# %% [markdown] tags=["walkthrough"]
# {question}
#
# {common: the reference runs}

# %% [markdown] tags=["student"]
# {question}
#
# {common: your code runs}

# %%
import asyncio
import copy

from scaffold.given import samples
from scaffold.notebook import SessionTree, lab

# %% tags=["walkthrough"]
session = lab("10.3", "solutions")

# %% tags=["student"]
session = lab("10.3")

# %% [markdown]
# {text: Predict first}

# %% [markdown]
# ## Why `append` is no `async def`
#
# A notebook has an event loop that runs, so `await` works in its cells. Here is the store that one would write first. Its
# `append` is a coroutine, and it does take a copy:

# %%
class LateStore:
    def __init__(self) -> None:
        self.kept = []

    async def append(self, entry: dict) -> None:
        self.kept.append(copy.deepcopy(entry))


def note(entry_id: str, parent_id: str | None, value: object) -> dict:
    return samples.metadata_entry(entry_id, parent_id, "note", value)


# %% [markdown]
# The caller appends a note, changes its own object, and only then awaits. What was stored?

# %%
late = LateStore()
mine = note("n", None, "as it was at the call")
pending = late.append(mine)
mine["value"] = "changed after the call"
await pending
late.kept[0]["value"]

# %% [markdown]
# The body of a coroutine runs when somebody awaits it, not when it is called. So the copy came too late. The order is that
# of the awaits, too:

# %%
late = LateStore()
first, second = late.append(note("first", None, 1)), late.append(note("second", None, 2))
await second
await first
[entry["id"] for entry in late.kept]

# %% [markdown]
# And an append that nobody awaits never happens. (Python would warn of it; `close` keeps it quiet here.)

# %%
late = LateStore()
forgotten = late.append(note("n", None, "important"))
await asyncio.sleep(0)
forgotten.close()
late.kept

# %% [markdown] tags=["student"]
# {common: your turn}

# %% tags=["student", "yours"]
# %%lab 10.3
# {stub}

# %% [markdown]
# ## A plain `def` that returns a future
#
# The same three, with the store of this lab. `append` does at the call what must be true at the call, and gives back a
# future: a place where the outcome will be.

# %% tags=["yours"]
store = session.InMemorySessionStore()
mine = note("n", None, "as it was at the call")
pending = store.append(mine)
mine["value"] = "changed after the call"
await pending
(await store.entries())[0]["value"]

# %% tags=["yours"]
store = session.InMemorySessionStore()
first, second = store.append(note("first", None, 1)), store.append(note("second", None, 2))
await second
await first
[entry["id"] for entry in await store.entries()]

# %% tags=["yours"]
store = session.InMemorySessionStore()
store.append(note("n", None, "important"))
[entry["value"] for entry in await store.entries()]

# %% [markdown]
# ## Two moments of checking
#
# What depends on the entry alone is asked at the call. What depends on the store is asked in the queue, when the turn of
# the entry has come. So a child can be appended right behind its parent, without an `await` between them:

# %% tags=["yours"]
store = session.InMemorySessionStore()
for entry in samples.chapter_session():
    store.append(entry)
SessionTree(await store.entries())

# %% [markdown]
# An orphan and a duplicate are refused in the queue. The futures say so:

# %% tags=["yours"]
outcomes = [store.append(note("kid", "ghost", 1)), store.append(note("a", None, 1)), store.append(note("end", "m", 1))]
for outcome in await asyncio.gather(*outcomes, return_exceptions=True):
    print(outcome or "appended")

# %% [markdown]
# Neither has left a trace, and the append behind them went on:

# %% tags=["yours"]
SessionTree(await store.entries())

# %% [markdown]
# ## Stop waiting, take nothing back
#
# Cancelling the future ends the waiting. The entry was handed over already:

# %% tags=["yours"]
pending = store.append(note("cancelled", "end", "still stored"))
pending.cancel()
[entry["id"] for entry in await store.entries()]

# %% [markdown]
# ## Copies out
#
# What a reader gets is the reader's:

# %% tags=["yours"]
mine = await store.entries()
mine[0]["message"]["content"].clear()
(await store.entries())[0]["message"]["content"]

# %% [markdown] tags=["walkthrough"]
# {common: the tests}

# %% tags=["walkthrough"]
# %lab 10.3 --tree solutions

# %% [markdown] tags=["walkthrough"]
# {common: break it}

# %% tags=["walkthrough"]
from scaffold.notebook import BreakIt

BreakIt("10.3", "append-is-a-coroutine")

# %% [markdown] tags=["student"]
# {text: Break it}

# %% [markdown]
# {text: What this does not prove}

# %% [markdown]
# {text: Bonus}

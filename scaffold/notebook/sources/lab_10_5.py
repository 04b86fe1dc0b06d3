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
from pathlib import Path
from tempfile import TemporaryDirectory

from scaffold.given import samples
from scaffold.given.faults import FaultyFileIO, GatedFileIO
from scaffold.notebook import BreakIt, FileBytes, SessionTree, TreeExplorer, lab

# %% tags=["walkthrough"]
session = lab("10.5", "solutions")

# %% tags=["student"]
session = lab("10.5")

# %% [markdown]
# {text: Predict first}

# %% [markdown]
# ## What a careless writer does
#
# First without a store. This writer appends a line for each entry, and never looks back. One write fails half-way, and it
# goes on:

# %%
BreakIt("10.5", "careless: goes on after a failure")

# %% [markdown]
# It said that `d` is appended. But `d` is welded to half of `b`, and not even `a` can be read any more. Trying again is no
# better:

# %%
BreakIt("10.5", "careless: tries again")

# %% [markdown] tags=["student"]
# {common: your turn}

# %% tags=["student", "yours"]
# %%lab 10.5
# {stub}

# %% [markdown]
# ## Lines are only added
#
# Now the store. All files of this notebook are in a folder that is gone when the kernel is:

# %%
folder = TemporaryDirectory(prefix="session-tree-")
file = Path(folder.name, "session.jsonl")
a, b, r, d, m = samples.chapter_session()

# %% tags=["yours"]
store = await session.JsonlSessionStore.open(file)
await store.append(a)
before = file.read_bytes()
FileBytes(file)

# %% [markdown]
# Two more. The old bytes are a prefix of the new ones, to the last one:

# %% tags=["yours"]
await asyncio.gather(store.append(b), store.append(r))
file.read_bytes().startswith(before)

# %% tags=["yours"]
FileBytes(file)

# %% [markdown]
# Going back means appending a new child. A new store reads the file, and the old attempt is still there:

# %% tags=["yours"]
await asyncio.gather(store.append(d), store.append(m))
again = await session.JsonlSessionStore.open(file)
SessionTree(await again.entries(), ["a", "d", "m"])

# %% [markdown]
# ## Half a line
#
# A write takes time, and while it is under way, half a line is in the file. This disk waits in the middle of each write,
# until its gate is opened:

# %% tags=["yours"]
slow = Path(folder.name, "slow.jsonl")
disk = GatedFileIO()
store = await session.JsonlSessionStore.open(slow, disk)
pending = store.append(a)
await asyncio.wait_for(disk.arrived.wait(), 2)
FileBytes(slow)

# %% [markdown]
# Who reads the file now sees a torn tail, that a healthy writer is about to finish. So `read` waits in the same queue as
# the appends. It is called now, while the line is half there, and sees it whole:

# %% tags=["yours"]
reading = asyncio.ensure_future(store.read())
await asyncio.sleep(0)
disk.gate.set()
result = await asyncio.wait_for(reading, 2)
[entry["id"] for entry in result["entries"]], result["warnings"]

# %% [markdown]
# ## A write fails
#
# The second write fails after 27 bytes. The third append is queued already, and the disk would take it:

# %% tags=["yours"]
torn = Path(folder.name, "torn.jsonl")
disk = FaultyFileIO(fail_at=1, written=27)
store = await session.JsonlSessionStore.open(torn, disk)
outcomes = await asyncio.gather(store.append(a), store.append(b), store.append(d), return_exceptions=True)
for outcome in outcomes:
    print(outcome or "appended")

# %% [markdown]
# The same error twice, and it is the very same object. The writer has asked the disk two times, not three:

# %% tags=["yours"]
outcomes[1] is outcomes[2], disk.appends, store.state

# %% [markdown]
# That leaves a torn tail, alone on its line. Compare it with what the careless writer left:

# %% tags=["yours"]
FileBytes(torn)

# %% [markdown]
# ## Reading what is left
#
# The tainted store tells nothing any more, not even what it read before: it can't know what is in the file.

# %% tags=["yours"]
try:
    await store.entries()
except OSError as error:
    print(error)

# %% [markdown]
# A new store looks at the file afresh. Because the old one stopped in time, everything that was committed can be read:

# %% tags=["yours"]
new = await session.JsonlSessionStore.open(torn)
print(new.state, await new.read())

# %% [markdown]
# And only read. An append would be welded to the tail:

# %% tags=["yours"]
[refusal] = await asyncio.gather(new.append(d), return_exceptions=True)
print(refusal)

# %% [markdown]
# Walk about in the file. The tail is said above the tree, and is no part of it:

# %% tags=["yours"]
TreeExplorer(torn)

# %% [markdown] tags=["walkthrough"]
# {common: the tests}

# %% tags=["walkthrough"]
# %lab 10.5 --tree solutions

# %% [markdown] tags=["walkthrough"]
# {common: break it}

# %% tags=["walkthrough"]
BreakIt("10.5", "queued-appends-go-on")

# %% [markdown] tags=["student"]
# {text: Break it}

# %% [markdown]
# {text: What this does not prove}

# %% [markdown]
# {text: Bonus}

# %% [markdown] tags=["walkthrough"]
# {question}
#
# {common: the reference runs}

# %% [markdown] tags=["student"]
# {question}
#
# {common: your code runs}

# %%
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from scaffold.given import samples
from scaffold.notebook import BreakIt, FileBytes, lab

# %% tags=["walkthrough"]
session = lab("10.7", "solutions")

# %% tags=["student"]
session = lab("10.7")

# %% [markdown]
# {text: Predict first}

# %% [markdown]
# ## A torn file
#
# Two committed lines, and a tail that a dying process left. It could be parsed; only its newline is missing:

# %%
folder = TemporaryDirectory(prefix="session-tree-")
file = Path(folder.name, "session.jsonl")
a, b, _, d, _ = samples.chapter_session()
lines = [json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in (a, b, d)]
torn = "".join(lines)[:-1].encode()
file.write_bytes(torn)
FileBytes(file)

# %% [markdown]
# No store will append to it, for this would come of it:

# %%
BreakIt("10.7", "careless: appends behind a torn tail")

# %% [markdown] tags=["student"]
# {common: your turn}

# %% tags=["student", "yours"]
# %%lab 10.7
# {stub}

# %% [markdown]
# ## The repair
#
# It is asked for, and says what it has dropped:

# %% tags=["yours"]
file.write_bytes(torn)
repair = session.repair_unterminated_tail(file)
len(repair.dropped), repair.durable

# %%
FileBytes(file)

# %% [markdown]
# Nothing is lost. The backup beside it is the whole file, as it was:

# %% tags=["yours"]
repair.backup.name, repair.backup.read_bytes() == torn

# %% [markdown]
# A second repair finds nothing to do, and does nothing. There is no second backup:

# %% tags=["yours"]
again = session.repair_unterminated_tail(file)
again.dropped, again.backup, len(list(file.parent.iterdir()))

# %% [markdown]
# A new store can write again:

# %% tags=["walkthrough"]
store_lab = lab("10.5", "solutions")

# %% tags=["student"]
store_lab = lab("10.5")

# %% tags=["yours"]
store = await store_lab.JsonlSessionStore.open(file)
await store.append(d)
store.state

# %%
FileBytes(file)

# %% [markdown]
# ## What no repair may touch
#
# A damaged line before the tail. Cutting off the tail would make the file look sound. The repair is refused, and the file
# stays as it is:

# %% tags=["yours"]
file.write_bytes(lines[0].encode() + b"BAD\n" + lines[1][:20].encode())
try:
    session.repair_unterminated_tail(file)
except ValueError as error:
    print(error)
FileBytes(file)

# %% [markdown] tags=["walkthrough"]
# {common: the tests}

# %% tags=["walkthrough"]
# %lab 10.7 --tree solutions

# %% [markdown] tags=["walkthrough"]
# {common: break it}

# %% tags=["walkthrough"]
BreakIt("10.7", "the-backup-is-overwritten")

# %% [markdown] tags=["student"]
# {text: Break it}

# %% [markdown]
# {text: What this does not prove}

# %% [markdown]
# {text: Bonus}

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

from scaffold.given import samples
from scaffold.notebook import BreakIt, FileBytes, SessionTree, lab

# %% tags=["walkthrough"]
session = lab("10.4", "solutions")

# %% tags=["student"]
session = lab("10.4")

# %% [markdown]
# {text: Predict first}

# %% [markdown]
# ## Lines and commit marks
#
# A session file has one entry a line. The newline at its end, drawn as ⏎, is the commit mark. Each line has its number,
# as an editor counts, and the byte at which it begins:

# %%
entries = samples.chapter_session()
lines = [json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in entries]
text = "".join(lines)
FileBytes(text.encode())

# %% [markdown]
# The process dies in the middle of the last write. What stands behind the last ⏎ is a torn tail:

# %%
torn = text[:-30]
FileBytes(torn.encode())

# %% [markdown]
# Only the newline is missing here. The line is complete JSON, and a correct entry. It is a torn tail all the same, for no
# writer has reported it as written:

# %%
almost = text[:-1]
FileBytes(almost.encode())

# %% [markdown] tags=["student"]
# {common: your turn}

# %% tags=["student", "yours"]
# %%lab 10.4
# {stub}

# %% [markdown]
# ## What recovery says
#
# To try many texts: the ids that come back, and the warnings; or the error.

# %%
def ask(text: str) -> None:
    try:
        result = session.recover_jsonl(text)
    except ValueError as error:
        print(error)
    else:
        print([entry["id"] for entry in result["entries"]], result["warnings"])


# %% tags=["yours"]
ask(text)
ask(torn)
ask(almost)

# %% [markdown]
# The tail is not there for anybody who reads. The tree ends before it:

# %% tags=["yours"]
SessionTree(session.recover_jsonl(torn)["entries"])

# %% [markdown]
# ## A damaged line is not a torn tail
#
# This line has its newline. Somebody was told that it is written, so it can't be passed over:

# %%
damaged = lines[0] + "\n" + "BAD\n" + lines[3]
FileBytes(damaged.encode())

# %% [markdown]
# Reading stops, and names the line as an editor would show it. The blank line holds no entry, but it is a line:

# %% tags=["yours"]
ask(damaged)

# %% [markdown]
# Why not skip it? Because a later entry may stand on it. Here `b` is damaged. Without it the file looks like a healthy
# tree, in which `r` has lost its parent:

# %%
SessionTree([entry for entry in entries if entry["id"] != "b"])

# %% [markdown]
# ## Lines end at a newline, and nowhere else
#
# A text may hold other characters that Python's `splitlines` takes for the end of a line:

# %%
odd = json.dumps(samples.metadata_entry("u", None, "note", "one\u2028two"), ensure_ascii=False) + "\n"
len(odd.splitlines()), odd.count("\n")

# %% tags=["yours"]
ask(odd)

# %% [markdown]
# ## A key that stands twice
#
# Python's `json` lets the last one win, and says nothing of the first:

# %%
twice = lines[4].replace('"key"', '"key":"first","key"')
json.loads(twice)["key"]

# %% tags=["yours"]
ask(twice)

# %% [markdown]
# ## A writer that does not look
#
# Why does a tail never count, even when it could be parsed? Look what the next append does to it, if a writer does not look
# first. Two records in one line, committed by one newline, and nobody can read them:

# %%
BreakIt("10.4", "careless: appends behind a torn tail")

# %% [markdown] tags=["walkthrough"]
# {common: the tests}

# %% tags=["walkthrough"]
# %lab 10.4 --tree solutions

# %% [markdown] tags=["walkthrough"]
# {common: break it}

# %% tags=["walkthrough"]
BreakIt("10.4", "complete-tail-is-an-entry")

# %% [markdown] tags=["student"]
# {text: Break it}

# %% [markdown]
# {text: What this does not prove}

# %% [markdown]
# {text: Bonus}

# %% [markdown] tags=["walkthrough"]
# {question}
#
# {common: the reference runs}

# %% [markdown] tags=["student"]
# {question}
#
# {common: your code runs}

# %%
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from scaffold.given import samples
from scaffold.given.agent import ScriptedAgent, keep_run
from scaffold.notebook import FileBytes, SessionTree, TreeExplorer, lab

# %% tags=["walkthrough"]
session = lab("10.6", "solutions")

# %% tags=["student"]
session = lab("10.6")

# %% [markdown]
# {text: Predict first}

# %% [markdown]
# ## The order of the lines is no context
#
# The chapter's session once more. In the list, the second attempt (`d`) comes after the first one's tool call (`b`, `r`):

# %%
entries = samples.chapter_session()
SessionTree(entries)

# %% [markdown] tags=["student"]
# {common: your turn}

# %% tags=["student", "yours"]
# %%lab 10.6
# {stub}

# %% [markdown]
# ## One branch, complete
#
# What the model gets for the leaf `r`:

# %% tags=["yours"]
for message in session.messages_on_path(entries, "r"):
    print(message["role"], message["content"])

# %% [markdown]
# And for `m`. It is metadata, so it is on the path and gives no message:

# %% tags=["yours"]
for message in session.messages_on_path(entries, "m"):
    print(message["role"], message["content"])

# %% [markdown]
# A tool call and its result find each other by the call's id. Nothing of a message is left out, or they would not:

# %% tags=["yours"]
_, call, result = session.messages_on_path(entries, "r")
call["content"][1]["id"], result["toolCallId"], result["isError"], result["details"]

# %% [markdown]
# A context may be edited freely: cut, annotated, sent. The history does not notice:

# %% tags=["yours"]
context = session.messages_on_path(entries, "r")
context[0]["content"].clear()
entries[0]["message"]["content"]

# %% [markdown]
# ## With an agent
#
# Now all six labs together. The agent of this course follows a script. A line that begins with `read` is a tool call. What
# it has finished is appended, each message under the one before (`keep_run`, in `scaffold/given/agent.py`):

# %% tags=["walkthrough"]
store_lab = lab("10.5", "solutions")

# %% tags=["student"]
store_lab = lab("10.5")

# %% tags=["yours"]
folder = TemporaryDirectory(prefix="session-tree-")
file = Path(folder.name, "session.jsonl")
store = await store_lab.JsonlSessionStore.open(file)
ids = (f"e{number}" for number in count(1))

question = samples.message_entry(next(ids), None, samples.user("What do my notes say?"))
await store.append(question)
agent = ScriptedAgent(["read notes.txt", "They say: buy milk."], {"notes.txt": "Buy milk."})
leaf = await keep_run(agent.run([question["message"]]), store, question["id"], ids)
SessionTree(await store.entries())

# %% [markdown]
# The user is not content, and goes back to the question. A new child of `e1`, another run. Nothing old is changed:

# %% tags=["yours"]
shorter = samples.message_entry(next(ids), "e1", samples.user("In one word, please."))
await store.append(shorter)
context = session.messages_on_path(await store.entries(), shorter["id"])
other = await keep_run(ScriptedAgent(["Milk."], {}).run(context), store, shorter["id"], ids)
SessionTree(await store.entries(), ["e1", "e5", "e6"])

# %% [markdown]
# ## Back to the first branch
#
# Now the process ends. Another one opens the file, and chooses the leaf of the first branch, in which there was a round
# trip with a tool. This is what the agent is handed:

# %% tags=["yours"]
later = await store_lab.JsonlSessionStore.open(file)
branch = session.messages_on_path(await later.entries(), leaf)
for message in branch:
    print(message["role"], message["content"])

# %% [markdown]
# It can go on where it was. The call and its result are there, with the same id, so a model knows that it has read the
# notes:

# %% tags=["yours"]
more = samples.message_entry(next(ids), leaf, samples.user("And the shopping list?"))
await later.append(more)
agent = ScriptedAgent(["read list.txt", "Only milk on that one, too."], {"list.txt": "milk"})
context = session.messages_on_path(await later.entries(), more["id"])
end = await keep_run(agent.run(context), later, more["id"], ids)
[message["role"] for message in session.messages_on_path(await later.entries(), end)]

# %% [markdown]
# Three runs, two branches, one file. Choose a leaf, and see what a model would be given:

# %% tags=["yours"]
TreeExplorer(file, end)

# %% tags=["yours"]
FileBytes(file)

# %% [markdown]
# ## The figures of a branch

# %% tags=["yours"]
session.branch_stats(samples.retry_session(), "answer")

# %% [markdown] tags=["walkthrough"]
# {common: the tests}

# %% tags=["walkthrough"]
# %lab 10.6 --tree solutions

# %% [markdown] tags=["walkthrough"]
# {common: break it}

# %% tags=["walkthrough"]
from scaffold.notebook import BreakIt

BreakIt("10.6", "text-only")

# %% [markdown] tags=["student"]
# {text: Break it}

# %% [markdown]
# {text: What this does not prove}

# %% [markdown]
# {text: Bonus}

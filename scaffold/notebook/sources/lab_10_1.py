# %% [markdown] tags=["walkthrough"]
# {question}
#
# {common: the reference runs}

# %% [markdown] tags=["student"]
# {question}
#
# {common: your code runs}

# %%
from scaffold.given import samples
from scaffold.notebook import SessionTree, TreeExplorer, lab

# %% tags=["walkthrough"]
session = lab("10.1", "solutions")

# %% tags=["student"]
session = lab("10.1")

# %% [markdown]
# {text: Predict first}

# %% [markdown]
# ## One list, one tree
#
# A session is a list of entries, in the order in which they were appended. Each names its parent. Here is the chapter's
# session, as a list:

# %%
entries = samples.chapter_session()
[(entry["id"], entry["parentId"]) for entry in entries]

# %% [markdown]
# And the same, as a tree. The rows keep the order of the list, and the lines go from parent to child. `a` has two
# children: the second attempt did not replace the first, it was appended beside it.

# %%
SessionTree(entries)

# %% [markdown] tags=["student"]
# {common: your turn}

# %% tags=["student", "yours"]
# %%lab 10.1
# {stub}

# %% [markdown]
# ## A path is a choice
#
# Nothing in the list says which branch is the current one. Whoever reads it chooses a leaf. `path_to` gives the way from
# the root to it, in reading order:

# %% tags=["yours"]
[entry["id"] for entry in session.path_to(entries, "m")]

# %% [markdown]
# `b` and `r` stand between `a` and `m` in the list, and are not on the path:

# %% tags=["yours"]
SessionTree(entries, session.path_to(entries, "m"))

# %% [markdown]
# Another leaf, another branch. Both share `a`:

# %% tags=["yours"]
SessionTree(entries, session.path_to(entries, "r"))

# %% [markdown]
# The last entry is not special, and a leaf need not be the end of anything. Any entry can be chosen:

# %% tags=["yours"]
[entry["id"] for entry in session.path_to(entries, "d")]

# %% [markdown]
# Choose for yourself. Take a leaf in the list (the arrow keys work too), and look what becomes bold. Then take "all
# entries", and choose one in the middle.

# %%
TreeExplorer(samples.retry_session(), "answer")

# %% [markdown]
# ## Where a path can't be trusted
#
# A child of an entry that is not there. The path to it is refused, and the error names both ids, so that somebody can
# go and look:

# %% tags=["yours"]
damaged = [*entries, samples.message_entry("lost", "gone", samples.user("Is anybody there?"))]
try:
    session.path_to(damaged, "lost")
except (ValueError, LookupError) as error:
    print(error)

# %% [markdown]
# The same damage, seen from another leaf. It is not on this path, so it does no harm:

# %% tags=["yours"]
SessionTree(damaged, session.path_to(damaged, "m"))

# %% [markdown]
# An id that stands twice does harm everywhere. Which of the two is the parent of `m`? A lookup by id would take one of
# them, and say nothing:

# %% tags=["yours"]
doubled = [*entries, samples.message_entry("d", "b", samples.user("I am d as well."))]
try:
    session.path_to(doubled, "m")
except (ValueError, LookupError) as error:
    print(error)

# %% [markdown]
# A ring. Parents lead round and round, and a walk that remembers nothing would never end:

# %% tags=["yours"]
ring = [
    samples.message_entry("x", "z", samples.user("x")),
    samples.message_entry("y", "x", samples.user("y")),
    samples.message_entry("z", "y", samples.user("z")),
]
try:
    session.path_to(ring, "z")
except (ValueError, LookupError) as error:
    print(error)

# %% [markdown]
# ## A path is a copy
#
# Whoever gets a path may do with it what they like. The session must not notice:

# %% tags=["yours"]
path = session.path_to(entries, "m")
path[0]["message"]["content"][0]["text"] = "Something else."
entries[0]["message"]["content"][0]["text"]

# %% [markdown] tags=["walkthrough"]
# {common: the tests}

# %% tags=["walkthrough"]
# %lab 10.1 --tree solutions

# %% [markdown] tags=["walkthrough"]
# {common: break it}

# %% tags=["walkthrough"]
from scaffold.notebook import BreakIt

BreakIt("10.1", "last-duplicate-wins")

# %% [markdown] tags=["student"]
# {text: Break it}

# %% [markdown]
# {text: What this does not prove}

# %% [markdown]
# {text: Bonus}

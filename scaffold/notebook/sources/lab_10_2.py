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
from scaffold.notebook import SessionTree, lab

# %% tags=["walkthrough"]
session = lab("10.2", "solutions")

# %% tags=["student"]
session = lab("10.2")

# %% [markdown]
# {text: Predict first}

# %% [markdown]
# ## What comes from outside
#
# A line of a session file is text. `json.loads` makes a value of it: a dict, or a list, or a number, of any shape. This
# one is an entry:

# %%
line = json.dumps(samples.message_entry("a", None, samples.user("What do my notes say?")))
value = json.loads(line)
print(json.dumps(value, indent=2))

# %% [markdown]
# And this one is not, although it looks like one, and a picture of it can be drawn. Only a gate that looks at every field
# can tell:

# %%
looks_fine = samples.message_entry("a", None, samples.user("What do my notes say?"))
looks_fine["timestamp"] = True
SessionTree([looks_fine])

# %% [markdown] tags=["student"]
# {common: your turn}

# %% tags=["student", "yours"]
# %%lab 10.2
# {stub}

# %% [markdown]
# ## Through the gate
#
# What is an entry comes out as it went in: equal, and not the same.

# %% tags=["yours"]
entry = session.parse_session_entry(value)
entry == value, entry is value

# %% [markdown]
# What is none is refused, and the error says where. To try many values, here is a line for each: the path of the first
# wrong field, or `accepted`.

# %%
def ask(value: object) -> None:
    try:
        session.parse_session_entry(value)
    except ValueError as error:
        print(error)
    else:
        print("accepted")


# %% tags=["yours"]
ask(looks_fine)

# %% [markdown]
# A field that is missing, one that nobody knows, and one that is misspelt:

# %% tags=["yours"]
base = {"id": "n", "parentId": None, "timestamp": samples.NOON, "type": "metadata", "key": "label", "value": 1}
ask({name: base[name] for name in base if name != "parentId"})
ask(base | {"colour": "red"})
ask({("parentID" if name == "parentId" else name): base[name] for name in base})

# %% [markdown]
# Deep inside, the path has every step:

# %% tags=["yours"]
call = samples.tool_call("c1", "read", {"path": "notes.txt"})
deep = samples.message_entry("b", "a", samples.assistant(samples.text("I'll look."), call))
deep["message"]["content"][1]["name"] = " "
ask(deep)

# %% [markdown]
# ## What Python's `json` takes too kindly
#
# `json.dumps` writes all four of these. None of them comes back as it was, or can be read by others:

# %%
odd_values = {"a tuple": (1, 2), "NaN": float("nan"), "a number as key": {1: "x"}, "half a character": "\ud800"}
for name, odd in odd_values.items():
    print(f"{name:<17}", json.dumps(odd))

# %% [markdown]
# The gate is stricter than the writer:

# %% tags=["yours"]
for odd in odd_values.values():
    ask(base | {"value": odd})

# %% [markdown]
# ## Twice is not a ring
#
# One object in two places is legal JSON, and becomes two copies:

# %% tags=["yours"]
shared = ["S"]
parsed = session.parse_session_entry(base | {"value": {"first": shared, "second": shared}})
parsed["value"], parsed["value"]["first"] is parsed["value"]["second"]

# %% [markdown]
# An object inside itself can't be written at all:

# %% tags=["yours"]
ring = []
ring.append(ring)
ask(base | {"value": ring})

# %% [markdown]
# ## After the gate, the value is yours
#
# The caller changes what it gave. The copy does not notice. Labs 10.3 and 10.5 rely on that:

# %% tags=["yours"]
given = base | {"value": {"list": [1]}}
copy = session.parse_session_entry(given)
given["value"]["list"].append(2)
copy["value"]

# %% [markdown] tags=["walkthrough"]
# {common: the tests}

# %% tags=["walkthrough"]
# %lab 10.2 --tree solutions

# %% [markdown] tags=["walkthrough"]
# {common: break it}

# %% tags=["walkthrough"]
from scaffold.notebook import BreakIt

BreakIt("10.2", "seen-instead-of-ancestors")

# %% [markdown] tags=["student"]
# {text: Break it}

# %% [markdown]
# {text: What this does not prove}

# %% [markdown]
# {text: Bonus}

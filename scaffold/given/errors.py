"""The errors of the session tree, one for each thing that the caller can do next.

EntryError        mend the value
TreeError         choose another id, parent or leaf
LineError         look at that line of the file
NeedsRepairError  repair the file, then open a new store
ClosedError       open a new store
InterruptedWriteError  open a new store, and look at what it warns of
RepairRefusedError     find out who else uses the file, then repair again
"""

from __future__ import annotations

import reprlib


class EntryError(ValueError):
    """A value is not a session entry.

    `path` says where, as in `entry.message.content[0].text`. It is made of `steps`, which are put together from the
    inside to the outside: a check raises the error without any, and each container that it passes adds one.
    """

    def __init__(self, problem: str, *steps: str | int) -> None:
        super().__init__(problem, *steps)
        self.problem = problem
        self.path = "entry" + "".join(f".{step}" if isinstance(step, str) else f"[{step}]" for step in steps)

    def __str__(self) -> str:
        return f"{self.path} {self.problem}"

    def under(self, step: str | int) -> EntryError:
        """Return the same error as seen from the container in which the value stands, at this key or index."""
        problem, *steps = self.args
        return EntryError(problem, step, *steps)


class TreeError(ValueError):
    """An entry does not fit into the tree. `ids` are the ids that matter, the child before its parent."""

    def __init__(self, problem: str, *ids: str) -> None:
        super().__init__(problem, *ids)
        self.problem = problem
        self.ids = ids

    def __str__(self) -> str:
        return self.problem


class LineError(ValueError):
    """A committed line is damaged. `line` is its physical number in the file, counted from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(line, problem)
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}"


class NeedsRepairError(Exception):
    """The file ended in a torn tail when it was opened. `line` is the physical line of the tail."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line} was never finished; repair the file and open a new store before you append to it"


class ClosedError(Exception):
    """The store was closed and takes no more entries."""


class RepairRefusedError(Exception):
    """A repair could not be done safely, and was not done. The file is as it was."""


class InterruptedWriteError(Exception):
    """A write was cancelled or broken off, so that nobody knows how much of the line is in the file."""


def kind_of(value: object) -> str:
    """Say what a value is in JSON's words, or by its Python type where JSON has no word for it.

    >>> kind_of(True), kind_of([]), kind_of({1}), kind_of("a")
    ('a boolean', 'an array', 'a Python set', "'a'")
    """
    if value is None:
        return "null"
    if type(value) is str:
        return quoted(value)
    words = {bool: "a boolean", int: "an integer", float: "the number", list: "an array", dict: "an object"}
    word = words.get(type(value), f"a Python {type(value).__name__}")
    return f"{word} {value}" if word == "the number" else word


def quoted(text: str) -> str:
    """Return `text` in quotes, shortened so that one odd id can't fill a screen."""
    shorten = reprlib.Repr()
    shorten.maxstring = 80
    return shorten.repr(text)

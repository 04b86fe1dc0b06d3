"""What an operation is, so that all who make them agree."""

from __future__ import annotations

from typing import Any

# JSON: `do` says what, and the rest is for whoever does it. What begins with an underscore is for the judge alone, and
# never reaches a submission: it says how much of an error is left to the one who writes it, and what does not count.
Operation = dict[str, Any]


def accepted(operation: Operation) -> Operation:
    """Return an operation of which only this counts: that it raises no error.

    Each item that is about errors has some of these, so that whoever refuses everything earns nothing by it.
    """
    return {**operation, "_accepted": True}


def sent(operation: Operation) -> Operation:
    """Return what the driver gets to see of an operation."""
    return {key: value for key, value in operation.items() if not key.startswith("_")}

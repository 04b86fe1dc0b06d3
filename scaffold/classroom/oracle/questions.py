"""What may be asked: the functions that students write in the labs beneath the one under test."""

from __future__ import annotations

from scaffold.course import Lab, find_lab


def beneath(lab: Lab) -> tuple[Lab, ...]:
    """Return the labs that this lab needs, directly or not, in no order that matters, each once."""
    found: dict[str, Lab] = {}
    waiting = [*lab.needs]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found[number] = find_lab(number)
            waiting += found[number].needs
    return tuple(found.values())


def functions_of(lab: Lab) -> tuple[str, ...]:
    """Return the tasks of a lab that are functions. A store has a state and a file: it is nothing to ask for."""
    return tuple(task for task in lab.tasks if "." not in task)

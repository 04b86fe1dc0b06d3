"""The operations of a lab, made from a seed. They hold no answers: those are what the reference does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scaffold.classroom.exam import lab_10_1, lab_10_2, lab_10_3, lab_10_4, lab_10_5, lab_10_6, lab_10_7
from scaffold.classroom.exam.material import Chance
from scaffold.classroom.exam.operation import Operation
from scaffold.course import Lab

Items = Mapping[str, Callable[[Chance], list[Operation]]]

_LABS: dict[str, Items] = {
    "10.1": lab_10_1.ITEMS,
    "10.2": lab_10_2.ITEMS,
    "10.3": lab_10_3.ITEMS,
    "10.4": lab_10_4.ITEMS,
    "10.5": lab_10_5.ITEMS,
    "10.6": lab_10_6.ITEMS,
    "10.7": lab_10_7.ITEMS,
}


def operations_for(lab: Lab, seed: str) -> dict[str, list[Operation]]:
    """Return the operations of each item, by the name of its test function. The same seed gives the same ones.

    Raises KeyError for a lab, or an item of it, that has no operations.
    """
    if lab.number not in _LABS:
        raise KeyError(f"lab {lab.number} has no exam; add its operations to {__name__}")
    items = _LABS[lab.number]
    names = lab.required_tests + lab.bonus_tests
    if missing := [name for name in names if name not in items]:
        raise KeyError(f"lab {lab.number} has no operations for {', '.join(missing)}")
    return {
        name: [
            {"lab": lab.number, "item": name, **operation} for operation in items[name](Chance(seed, lab.number, name))
        ]
        for name in names
    }

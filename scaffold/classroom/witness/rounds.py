"""Which labs of a submission are run, over what, and in which order, so that each has the result that it deserves.

A lab is judged over the submission's own earlier labs. Where these are not right, it is judged over right ones too, and
the better result counts: a mistake in an earlier lab is paid for once, and there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from scaffold.classroom.model import LabResult
from scaffold.classroom.oracle.questions import beneath
from scaffold.classroom.witness.job import Way
from scaffold.course import Lab


class RunLabs(Protocol):
    """Runs labs, which may be none, in their order, and returns their results by their numbers.

    Together, they share what a run costs, and only those are returned whose result is beyond doubt.
    """

    def __call__(self, labs: Sequence[Lab], way: Way) -> dict[str, LabResult]: ...


def results_of(labs: Sequence[Lab], run: RunLabs, *, standins: bool) -> dict[str, LabResult]:
    """Return the results of labs, by their numbers. They are in the course's order.

    So are those of each run: a later lab may ask for an earlier one's answers, and leave them in the scratch folder.
    """
    # Over a lab that was not handed in, nothing can be right: that need not be tried.
    incomplete = [lab for lab in labs if standins and not set(beneath(lab)) <= set(labs)]
    left = [lab for lab in labs if lab not in incomplete]
    results = run(left, "together") if len(left) > 1 else {}
    while left := [lab for lab in left if lab.number not in results]:
        ready = [lab for lab in left if not set(beneath(lab)) & set(left)]
        results |= _results_of_round(ready, results, run, standins=standins)
    return results | run(incomplete, "over stand-ins")


def is_whole(result: LabResult) -> bool:
    """Tell whether both witnesses say of all items of a lab that they are right."""
    return all(item.counts for item in result.items)


def _results_of_round(
    labs: Sequence[Lab], results: Mapping[str, LabResult], run: RunLabs, *, standins: bool
) -> dict[str, LabResult]:
    """Return the results of labs over others that have theirs."""
    on_sand = [lab for lab in labs if standins and not all(is_whole(results[one.number]) for one in beneath(lab))]
    found = {**run([lab for lab in labs if lab not in on_sand], "as it is"), **run(on_sand, "over stand-ins")}
    doubtful = [lab for lab in on_sand if not is_whole(found[lab.number])]
    for number, as_it_is in run(doubtful, "as it is").items():
        found[number] = _better(as_it_is, found[number])
    return found


def _better(as_it_is: LabResult, over_standins: LabResult) -> LabResult:
    """Return the result with more items that count."""
    first, second = (sum(item.counts for item in result.items) for result in (as_it_is, over_standins))
    return over_standins if second >= first else as_it_is

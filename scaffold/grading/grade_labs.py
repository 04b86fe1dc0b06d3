"""Grades labs in order, and lets one mistake be paid for once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from scaffold.course import Lab, find_lab
from scaffold.grading.engine import Engine
from scaffold.grading.verdict import Verdict


def grade_labs(
    engine: Engine, tree: Path, labs: Iterable[Lab], reference: Path | None, *, go_on: bool
) -> Iterator[Verdict]:
    """Yield the verdict of each lab as soon as it is there.

    After a lab that is not green, the others are "not checked", unless `go_on`. A lab that is red while one that it
    needs is not green is run over the reference's earlier labs, and so judged on its own. Without a reference (in a
    practice folder) it is "not checked".
    """
    judge = _Judge(engine, tree, reference)
    waiting_for = ""
    for lab in labs:
        if waiting_for and not go_on:
            yield Verdict(lab, "not checked", f"comes after lab {waiting_for}")
            continue
        verdict = judge.judge(lab)
        yield verdict
        if not verdict.passed and not lab.is_bonus:
            waiting_for = waiting_for or lab.number


class _Judge:
    def __init__(self, engine: Engine, tree: Path, reference: Path | None) -> None:
        self._engine = engine
        self._tree = tree
        self._reference = reference
        self._verdicts: dict[str, Verdict] = {}

    def judge(self, lab: Lab) -> Verdict:
        verdict = self._as_it_is(lab)
        if verdict.passed or verdict.status == "missing" or self._tree == self._reference:
            return verdict
        wrong = [needed.number for needed in _needs(lab) if not self._as_it_is(needed).passed]
        if not wrong:
            return verdict
        beneath = f"lab {wrong[0]}"
        if self._reference is None:
            return Verdict(lab, "not checked", f"needs {beneath}, which is not right yet")
        alone = self._engine.run_lab(lab, self._tree, beneath=self._reference)
        if alone.passed:
            return alone.noting(f"right on its own; {beneath} beneath it is not")
        return alone.noting(f"judged on its own, since {beneath} beneath it is not right yet")

    def _as_it_is(self, lab: Lab) -> Verdict:
        if lab.number not in self._verdicts:
            self._verdicts[lab.number] = self._engine.run_lab(lab, self._tree)
        return self._verdicts[lab.number]


def _needs(lab: Lab) -> list[Lab]:
    """Return all labs beneath a lab, the lowest first."""
    found: dict[str, Lab] = {}
    for number in lab.needs:
        needed = find_lab(number)
        found |= {lower.number: lower for lower in _needs(needed)} | {number: needed}
    return list(found.values())

"""Finds out which file of a submission is the `session.py` of which lab, without running any.

These are looked for, and the first that is there counts:

    0  `labs/lab_10_N/session.py`
    1  `session.py` in another folder `lab_10_N` or `10.N`
    2  a `.py` file whose name has the lab's number: `lab_10_3.py`, `session_10_3.py`, `10.3-session.py`
    3  a `.py` file that defines what the lab's tasks are called
    4  a notebook's last cell that begins with `%%lab 10.N`
    5  `session.py` in `solutions/lab_10_N`: a copy of the whole course may be beside the student's own work

Of several in one row of this list, the one nearest to the top folder counts, and then the latest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from scaffold.classroom.members import (
    LARGEST,
    Budget,
    Contents,
    Member,
    Moment,
    Refusal,
    RefusedError,
    is_passed_over,
    shown,
    suffix_of,
)
from scaffold.classroom.notebook_cells import answers_in
from scaffold.classroom.unpack import Archive
from scaffold.course import LABS, Lab
from scaffold.stubs import fresh_stub

DEEPEST_ARCHIVE = 2  # an archive in an archive is read, and one in that is not
OTHER_ARCHIVES = {".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz"}
_OF_THE_COURSE = {"scaffold", "tests"}  # folders of a practice folder in which no student writes
_NAMED, _BY_NAMES, _NOTEBOOK, _SOLUTIONS = 2, 3, 4, 5
_BY_NUMBER = {tuple(lab.number.split(".")): lab for lab in LABS}
_NUMBER = re.compile(r"(\d+)[-._ ](\d+)")  # of a date, the year and the month, so that its day is no lab
# Not parsed as Python: a file that can't be compiled has a lab too, and no text is too deep for this.
_DEFINED = re.compile(rb"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)


@dataclass
class LabFiles:
    """The text of each lab's `session.py`, by the lab's folder; what was left out; when the latest was changed."""

    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    modified: Moment = ()


@dataclass(frozen=True)
class _Candidate:
    lab: Lab
    rank: int
    member: Member
    content: bytes

    @property
    def key(self) -> tuple[int, int, int, tuple[int, ...], tuple[str, ...]]:
        """Return by what candidates are ordered. The last counts."""
        return -self.rank, -len(self.member.path), self.member.order, self.member.modified, self.member.path

    @property
    def text(self) -> bytes:
        """Return what is compared: how lines end makes no difference."""
        return self.content.replace(b"\r\n", b"\n").rstrip()


def lab_files(contents: Contents) -> LabFiles:
    """Choose the `session.py` of each lab. Nothing is raised: what can't be read becomes a problem."""
    found = LabFiles(problems=[str(refusal) for refusal in contents.refusals])
    candidates: dict[Lab, list[_Candidate]] = {}
    unknown: list[str] = []
    for member in _unpacked(contents, Budget(), found.problems):
        try:
            answers = list(_answers(member))
        except RefusedError as error:
            found.problems.append(str(Refusal(member.path, str(error))))
            continue
        for candidate in answers:
            candidates.setdefault(candidate.lab, []).append(candidate)
        if not answers and member.suffix == ".py":
            unknown.append(shown("/".join(member.path)))
    for lab in LABS:
        if lab in candidates:
            _choose(lab, candidates[lab], found)
    if not found.files:
        seen = f": which lab is {', '.join(unknown[:5])}? Name it like lab_10_3.py" if unknown else ""
        found.problems.append(f"no session.py was found{seen}")
    return found


def lab_named(text: str) -> Lab | None:
    """Return the lab whose number stands in the name of a file or folder."""
    for match in _NUMBER.finditer(text):
        if match.groups() in _BY_NUMBER:
            return _BY_NUMBER[match[1], match[2]]
    return None


def lab_of_names(content: bytes) -> Lab | None:
    """Return the one lab of whose tasks the file defines the most, and at least half; None if two labs are as good."""
    defined = {name.decode("ascii", "replace") for name in _DEFINED.findall(content)}
    shares = sorted(((len(defined & names) / len(names), lab.number) for lab, names in _task_names().items()))
    (second, _), (best, number) = shares[-2:]
    return next(lab for lab in LABS if lab.number == number) if best >= 0.5 and best > second else None  # noqa: PLR2004


@cache
def _task_names() -> dict[Lab, frozenset[str]]:
    return {lab: frozenset(task.partition(".")[0] for task in lab.tasks) for lab in LABS}


@cache
def _stub(lab: Lab) -> bytes:
    return fresh_stub(lab).encode().rstrip()


def _unpacked(contents: Contents, budget: Budget, problems: list[str]) -> Iterator[Member]:
    """Yield what may be an answer, also out of archives, as long as the budget lasts."""
    for member in contents.members:
        if any(is_passed_over(part) or part in _OF_THE_COURSE for part in member.path):
            continue
        if member.suffix in OTHER_ARCHIVES:
            problems.append(f"{shown('/'.join(member.path))}: only zip archives are read; pack it as one")
        elif member.suffix in LARGEST:
            try:
                budget.spend(members=1)
                held = _held(member, budget)
                if member.suffix != ".zip":
                    yield held
                    continue
                yield from _inside(held, budget, problems)
            except RefusedError as error:
                problems.append(str(Refusal(member.path, str(error))))


def _held(member: Member, budget: Budget) -> Member:
    """Return the member with its bytes in memory."""
    content = member.read()
    budget.spend(content=len(content))
    return Member(member.path, member.modified, lambda limit: content[:limit], member.order, member.zips)


def _inside(member: Member, budget: Budget, problems: list[str]) -> Iterator[Member]:
    if member.zips >= DEEPEST_ARCHIVE:
        raise RefusedError("lies in two other archives; unpack one of them")
    archive = Archive(member.read(), member.zips + 1)
    try:
        inside = archive.contents()
        budget.spend(members=len(inside.members))
        problems += [f"{shown('/'.join(member.path))}: {refusal}" for refusal in inside.refusals]
        below = [
            Member((*member.path, *each.path), each.modified, each.read_at_most, member.order, each.zips)
            for each in inside.members
        ]
        yield from _unpacked(Contents(below), budget, problems)
    finally:
        archive.close()


def _answers(member: Member) -> Iterator[_Candidate]:
    name = member.path[-1].lower()
    if member.suffix == ".ipynb":
        for lab, content in answers_in(member.read()).items():
            yield _Candidate(lab, _NOTEBOOK, member, content)
    elif member.suffix == ".py" and not name.startswith("test_") and name not in {"grade.py", "conftest.py"}:
        content = member.read()
        place = _place(member.path)
        if place is not None:
            yield _Candidate(*place, member, content)
        elif (defined := lab_of_names(content)) is not None:
            yield _Candidate(defined, _BY_NAMES, member, content)


def _place(path: tuple[str, ...]) -> tuple[Lab, int] | None:
    """Return the lab that a path names, and its row in the list above; an archive's name counts as a folder's."""
    *folders, name = path
    if name.lower() == "session.py":
        for depth in range(len(folders) - 1, -1, -1):
            lab = lab_named(folders[depth])
            if lab is not None:
                above = folders[depth - 1].lower() if depth else ""
                exactly = folders[depth].lower() == lab.folder
                return lab, {"labs": 0, "solutions": _SOLUTIONS}.get(above, 1) if exactly else 1
    lab = lab_named(name.removesuffix(suffix_of(name)))
    return (lab, _NAMED) if lab is not None else None


def _choose(lab: Lab, candidates: list[_Candidate], found: LabFiles) -> None:
    """Take the best, and name the others that say something else. An untouched stub says nothing."""
    *others, best = sorted(candidates, key=lambda candidate: candidate.key)
    found.files[lab.folder] = best.content
    found.modified = max(found.modified, best.member.modified)
    place = shown("/".join(best.member.path))
    for other in reversed(others):
        if other.text not in {best.text, _stub(lab)} and other.rank != _SOLUTIONS:
            stub = ", though it is the unchanged stub" if best.text == _stub(lab) else ""
            found.problems.append(
                f"lab {lab.number}: {shown('/'.join(other.member.path))} is different and was left out; "
                f"{place} counts{stub}"
            )

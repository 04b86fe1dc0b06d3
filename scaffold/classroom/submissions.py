"""Reads what an instructor drops into a folder: one submission for each student, whatever form it came in.

A folder or a zip archive a student, clones of GitHub Classroom's repositories, the exports of Canvas and Moodle as
folders or archives, single files, notebooks, and all of these beside each other. `claims.py` says whose is what,
`owners.py` how platforms name their files, `lab_files.py` which file is which lab's, and `roster.py` how a list of the
class looks.

Nothing is run, unpacked to the disk, or followed out of the folder. What can't be read is named in a submission's
`problems`, and never keeps others from being read. When something was handed in is known from the roster alone: Canvas
only says that it was late, and the times in archives have no zone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from scaffold.classroom.claims import Claim, claims_in
from scaffold.classroom.lab_files import LabFiles, lab_files
from scaffold.classroom.matching import Match, hint, match
from scaffold.classroom.members import shown, visible
from scaffold.classroom.model import Student, Submission
from scaffold.classroom.owners import Owner
from scaffold.classroom.roster import Person, read_roster

MOST_PROBLEMS = 20  # lines of one submission


@dataclass(frozen=True)
class _HandedIn:
    claim: Claim
    found: LabFiles

    @property
    def key(self) -> tuple[bool, bool, tuple[int, ...], str]:
        """Return by what submissions of one student are ordered. The last counts."""
        return bool(self.found.files), self.claim.is_direct, self.found.modified, self.claim.origin


def read_submissions(folder: Path, roster: Path | None = None) -> list[Submission]:
    """Return the submissions in a folder, ordered by student id; people of the roster without one have no files.

    Raises NotADirectoryError; ValueError for a roster that can't be read, or a folder in which nothing was handed in;
    OSError.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is no folder; name the folder with what the students handed in")
    people = read_roster(roster) if roster is not None else []
    with ExitStack() as archives:
        claims = claims_in(folder, {person.student.id for person in people}, roster, archives)
        handed_in = [_HandedIn(claim, lab_files(claim.contents)) for claim in claims]
    if not handed_in and not people:
        raise ValueError(f"{folder}: nothing was handed in; put a folder or a zip for each student there, or an export")
    matches = match(_owners(claims), people)
    groups: dict[object, list[_HandedIn]] = {}
    for each in handed_in:
        owner = each.claim.owner
        person = matches[owner].person if owner in matches else None
        groups.setdefault(person or (owner, "" if owner.id else each.claim.origin), []).append(each)
    listed = {person: Submission(person.student, {}) for person in people}  # who handed in nothing has no files
    unlisted = []
    for key, group in groups.items():
        submission = _submission(group, matches, people)
        if isinstance(key, Person):
            listed[key] = submission
        else:
            unlisted.append(submission)
    taken = {person.student.id for person in people}
    return sorted([*listed.values(), *_with_unique_ids(unlisted, taken)], key=lambda each: each.student.id)


def digest_of(submission: Submission) -> str:
    """Return the SHA-256 of the files: of the length and the bytes of each lab's name and content, in their order."""
    digest = hashlib.sha256()
    for lab, content in sorted(submission.files.items()):
        for part in (lab.encode(), content):
            digest.update(len(part).to_bytes(8))
            digest.update(part)
    return digest.hexdigest()


def _owners(claims: Sequence[Claim]) -> dict[Owner, bool]:
    """Return who claims something, and whether with a clone of git. One whose folder is no clone comes without."""
    owners: dict[Owner, bool] = {}
    for claim in claims:
        if claim.owner.id:
            owners[claim.owner] = owners.get(claim.owner, True) and claim.is_clone
    return owners


def _submission(group: Sequence[_HandedIn], matches: dict[Owner, Match], people: Sequence[Person]) -> Submission:
    """Make one submission of all that one student handed in: the latest counts, and the others are named."""
    *others, best = sorted(group, key=lambda each: each.key)
    owner = best.claim.owner
    found = matches.get(owner)
    student = _student(best, [each.claim.owner for each in group], found)
    problems = [_not_on_roster(best, people)] if people and not found else []
    problems += [found.note] if found and found.note else []
    problems += [_left_out(other, best) for other in reversed(others)]
    problems += best.found.problems
    if len(problems) > MOST_PROBLEMS:
        problems[MOST_PROBLEMS - 1 :] = [f"and {len(problems) - MOST_PROBLEMS + 1} more problems like these"]
    return Submission(
        student,
        best.found.files,
        origin=visible(best.claim.origin),
        submitted=found.person.submitted if found else None,
        problems=tuple(problems),
    )


def _student(best: _HandedIn, owners: Sequence[Owner], found: Match | None) -> Student:
    platform_ids = {column: visible(value) for owner in owners for column, value in owner.platform_ids.items()}
    if found:
        student = found.person.student
        return replace(student, platform_ids=platform_ids | dict(student.platform_ids))
    owner = best.claim.owner
    return Student(visible(owner.id or best.claim.origin), visible(owner.name), platform_ids=platform_ids)


def _not_on_roster(best: _HandedIn, people: Sequence[Person]) -> str:
    if not best.claim.owner.id:
        return "this is no student's row: the archive has something in it that belongs to nobody"
    return f"not on the roster{hint(best.claim.owner, people)}"


def _left_out(other: _HandedIn, best: _HandedIn) -> str:
    if not other.found.files:
        why = "no session.py was found in it"
    elif other.claim.is_direct != best.claim.is_direct:
        why = "what lies in the folder itself comes before what a class's archive says"
    elif other.found.modified == best.found.modified:
        why = "both are of the same time, and it comes first in the order of the names"
    else:
        why = "it is older"
    return f"{shown(other.claim.origin)} was handed in too and does not count: {why}; {shown(best.claim.origin)} counts"


def _with_unique_ids(submissions: Sequence[Submission], taken: set[str]) -> Iterator[Submission]:
    """Tell those apart whom a folder's name, Canvas, Moodle and the roster give the same id."""
    for submission in sorted(submissions, key=lambda each: each.origin):
        student = submission.student
        names = (student.id, *(f"{student.id} ({number})" for number in range(2, len(submissions) + len(taken) + 2)))
        free = next(name for name in names if name not in taken)
        taken.add(free)
        note = (
            []
            if free == student.id
            else [f"called {shown(free)} here, for somebody else has the id {shown(student.id)}"]
        )
        yield replace(submission, student=replace(student, id=free), problems=(*note, *submission.problems))

"""Finds the submissions in what an instructor drops into a folder: who is said to have handed in which files.

A folder or archive is one student's, unless it is plain that it holds a class. A student chooses the names inside of
their own archive, and must not hand in for somebody else. So an archive or a folder is taken for a class's only if

    all that is in it was named by Canvas or Moodle, for two people or more;
    or two people or more of the roster have a folder or archive in it by their id;
    or it is all that was dropped, and has two or more folders or archives side by side with labs in them.

By platform or roster, one is enough in what is all that was dropped. A clone of git is never a class's. What is claimed
inside of a class's archive counts less than what lies in the folder.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from scaffold.classroom.folders import read_file, read_folder
from scaffold.classroom.lab_files import OTHER_ARCHIVES, lab_named
from scaffold.classroom.members import Contents, Member, Refusal, RefusedError, is_passed_over, same, suffix_of
from scaffold.classroom.owners import Owner, exported, owner_of
from scaffold.classroom.unpack import Archive

_LOOSE = {".py", ".ipynb", ".zip"} | OTHER_ARCHIVES  # files that are submissions by themselves, whatever their names
_OF_ONE_STUDENT = {"labs", "notebooks", "scaffold", "solutions", "tests", "session.py", "grade.py"}  # as in the course


@dataclass
class Claim:
    """Files that are said to be somebody's. `is_direct` is false for what a class's archive says."""

    owner: Owner
    origin: str
    is_direct: bool = True
    is_clone: bool = False
    contents: Contents = field(default_factory=Contents)


def claims_in(folder: Path, ids: Collection[str], roster: Path | None, archives: ExitStack) -> list[Claim]:
    """Return all claims in a folder. Files are not read yet.

    `ids` are those of the roster, and `roster` is its file, which is no submission. Archives stay open until `archives`
    is closed. Raises OSError if the folder can't be read.
    """
    things = sorted(path for path in folder.iterdir() if _is_submission(path, roster))
    if _is_one_students(things):
        return [Claim(Owner(same(folder.resolve().name)), ".", contents=read_folder(folder))]
    claims: list[Claim] = []
    for thing in things:
        contents = _below(thing.name, read_folder(thing)) if _is_folder(thing) else read_file(thing)
        inside = _of_a_class(thing, contents, ids, archives, is_alone=len(things) == 1)
        claims += inside or _split(contents, "", empty=thing.name if _is_folder(thing) else "")
    return _merged(claims)


def _is_submission(path: Path, roster: Path | None) -> bool:
    """Tell whether a thing in the folder of all submissions is one; lists and notes may lie beside them."""
    if is_passed_over(path.name) or (roster is not None and path.exists() and path.samefile(roster)):
        return False
    return path.is_symlink() or not path.is_file() or suffix_of(path.name) in _LOOSE or exported(path.name) is not None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_one_students(things: list[Path]) -> bool:
    """Tell whether the folder is itself the submission of one student, and has none of others in it."""
    return bool(things) and all(thing.name.lower() in _OF_ONE_STUDENT or _is_only_a_lab(thing.name) for thing in things)


def _is_only_a_lab(name: str) -> bool:
    """Tell whether a name says a lab, and nobody's name beside it."""
    return lab_named(name) is not None and lab_named(owner_of(name, is_file=suffix_of(name) != ".zip").id) is not None


def _below(name: str, contents: Contents) -> Contents:
    members = [replace(member, path=(name, *member.path)) for member in contents.members]
    refusals = [Refusal((name, *refusal.path), refusal.why) for refusal in contents.refusals]
    return Contents(members, refusals, contents.is_clone)


def _of_a_class(
    thing: Path, contents: Contents, ids: Collection[str], archives: ExitStack, *, is_alone: bool
) -> list[Claim]:
    """Return the claims inside of a class's folder or archive; none if it is one student's."""
    if exported(thing.name) or contents.is_clone:
        return []
    if _is_folder(thing):
        return _inside(contents, "", ids, is_alone=is_alone)
    if suffix_of(thing.name) != ".zip" or not contents.members:
        return []
    try:
        archive = Archive(thing)
    except RefusedError:
        return []  # the same is said where it is read as a student's
    claims = _inside(archive.contents(), thing.name, ids, is_alone=is_alone)
    if claims:
        archives.callback(archive.close)
    else:
        archive.close()
    return claims


def _inside(contents: Contents, origin: str, ids: Collection[str], *, is_alone: bool) -> list[Claim]:
    while (wrapper := _wrapper(contents, ids)) is not None:
        contents = _without(wrapper, contents)
        origin = f"{origin}/{wrapper}" if origin else wrapper
    claims = _split(contents, origin, is_direct=False)
    owners = {claim.owner for claim in claims if claim.owner.id}
    enough = 1 if is_alone else 2
    of_platform = {owner for owner in owners if owner.platform}
    if of_platform == owners and len(owners) >= enough:
        return claims
    if len({owner.id for owner in owners} & set(ids)) >= enough:
        return claims
    with_labs = {claim.owner for claim in claims if claim.owner.id and _has_labs(claim.contents)}
    firsts = {member.path[0].lower() for member in contents.members}
    is_one = any(first in _OF_ONE_STUDENT or lab_named(first) for first in firsts)
    return claims if is_alone and len(with_labs) >= 2 and not is_one else []  # noqa: PLR2004


def _wrapper(contents: Contents, ids: Collection[str]) -> str | None:
    """Return the name of a folder that all else is in, and that is nobody's."""
    firsts = {member.path[0] for member in contents.members}
    if len(firsts) != 1 or any(len(member.path) == 1 for member in contents.members):
        return None
    [first] = firsts
    is_somebodys = exported(first) or same(first) in ids or first.lower() in _OF_ONE_STUDENT or lab_named(first)
    return None if is_somebodys else first


def _without(wrapper: str, contents: Contents) -> Contents:
    members = [replace(member, path=member.path[1:]) for member in contents.members]
    refusals = [
        replace(refusal, path=refusal.path[1:]) if refusal.path[:1] == (wrapper,) else refusal
        for refusal in contents.refusals
    ]
    return Contents(members, refusals, contents.is_clone)


def _has_labs(contents: Contents) -> bool:
    return any(
        suffix_of(member.path[-1]) == ".zip"
        or member.path[-1].lower() == "session.py"
        or any(lab_named(part) is not None for part in member.path)
        for member in contents.members
    )


def _split(contents: Contents, origin: str, *, is_direct: bool = True, empty: str = "") -> list[Claim]:
    """Return a claim for each name on the first level, also if all below it is refused; and for an `empty` folder.

    What no name on the first level can answer for is claimed by nobody: by an owner without an id.
    """
    claims: dict[str, Claim] = {}
    if empty:
        claims[empty] = _claim(empty, origin, is_direct=is_direct, is_file=False)
        claims[empty].is_clone = contents.is_clone
    all_found: list[Member | Refusal] = [*contents.members, *contents.refusals]
    for found in all_found:
        first, *rest = found.path or ("",)
        if first not in claims:
            claims[first] = _claim(first, origin, is_direct=is_direct, is_file=not rest)
        said = exported(first)
        own_name = [said.original] if said and said.original else []
        path = (*own_name, *rest) or found.path
        if isinstance(found, Refusal):
            claims[first].contents.refusals.append(replace(found, path=path))
        else:
            claims[first].contents.members.append(replace(found, path=path, order=said.order if said else 0))
    return list(claims.values())


def _claim(first: str, origin: str, *, is_direct: bool, is_file: bool) -> Claim:
    said = exported(first)
    owner = said.owner if said else owner_of(first, is_file=is_file) if first else Owner("")
    claim = Claim(owner, "/".join(filter(None, [origin, first])), is_direct)
    if said and said.note:
        claim.contents.refusals.append(Refusal((), said.note))
    return claim


def _merged(claims: list[Claim]) -> list[Claim]:
    """Join the parts of one submission: all that a platform gives of somebody, and loose files of one name."""
    merged: dict[object, Claim] = {}
    for claim in claims:
        is_part = claim.owner.platform or suffix_of(claim.origin) in {".py", ".ipynb"}
        where = claim.origin.rpartition("/")[0] if is_part else claim.origin
        whole = merged.setdefault((claim.owner, bool(is_part), where), claim)
        if whole is not claim:
            whole.contents.members += claim.contents.members
            whole.contents.refusals += [each for each in claim.contents.refusals if each not in whole.contents.refusals]
    return list(merged.values())

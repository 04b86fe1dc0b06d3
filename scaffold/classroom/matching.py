"""Finds whose row of the list a submission belongs to. Nobody is given another's work on a guess without saying so."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scaffold.classroom.members import same, shown
from scaffold.classroom.owners import Owner, name_keys, squashed
from scaffold.classroom.roster import Person

_COLUMNS = {"Canvas": "ID", "Moodle": "Identifier"}  # of the list, in which a platform's number may stand


@dataclass(frozen=True)
class Match:
    """The person that somebody is, and what the instructor should know about how that was found."""

    person: Person
    note: str = ""


def match(owners: Mapping[Owner, bool], people: Sequence[Person]) -> dict[Owner, Match]:
    """Return who of the list the owners are, where that is known.

    `owners` says of each whether their folder is a clone of git. In this order: an id of the list; a login of the list,
    for names that no platform made; for a clone `assignment-login`, the login behind the prefix that most clones share;
    the full name that a platform gives, if just one on the list and one in the export has it.
    """
    found = _by_id(owners, people)
    found |= _by_clone([owner for owner, is_clone in owners.items() if is_clone and owner not in found], people)
    found |= _by_name([owner for owner in owners if owner.platform], found, people)
    return found


def hint(owner: Owner, people: Sequence[Person]) -> str:
    """Return what to add to "not on the roster": the one id that differs in nothing but case."""
    alike = [person.student.id for person in people if person.student.id.casefold() == owner.id.casefold()]
    return f" (which has {shown(alike[0])})" if len(alike) == 1 else ""


def _by_id(owners: Iterable[Owner], people: Sequence[Person]) -> dict[Owner, Match]:
    ids = {person.student.id: person for person in people}
    logins = _unique((login, person) for person in people for login in person.logins)
    numbers = {
        platform: _unique((same(person.student.platform_ids.get(column, "")), person) for person in people)
        for platform, column in _COLUMNS.items()
    }
    found = {}
    for owner in owners:
        if owner.platform:
            table = numbers[owner.platform]
            person = table.get(owner.id) or table.get(f"Participant {owner.id}") or ids.get(owner.id)
        else:
            person = ids.get(owner.id) or logins.get(owner.id)
        if person is not None:
            found[owner] = Match(person, _other_name(owner, person))
    return found


def _other_name(owner: Owner, person: Person) -> str:
    name = person.student.name
    if not owner.platform or not owner.name or not name or squashed(owner.name) in name_keys(name):
        return ""
    return f"{owner.platform} calls {shown(owner.id)} {shown(owner.name)}, and the roster {shown(name)}"


def _by_clone(clones: Sequence[Owner], people: Sequence[Person]) -> dict[Owner, Match]:
    """Match `assignment-login`. Logins have hyphens too, so the assignment is what most of the folders begin with."""
    logins = _unique((login, person) for person in people for login in person.logins)
    prefixes = Counter(
        clone.id.removesuffix(login) for clone in clones for login in logins if clone.id.endswith(f"-{login}")
    )
    if not prefixes:
        return {}
    prefix = min(prefixes, key=lambda each: (-prefixes[each], len(each), each))
    return {
        clone: Match(logins[clone.id.removeprefix(prefix)])
        for clone in clones
        if clone.id.startswith(prefix) and clone.id.removeprefix(prefix) in logins
    }


def _by_name(exported: Sequence[Owner], found: Mapping[Owner, Match], people: Sequence[Person]) -> dict[Owner, Match]:
    names = _unique((key, person) for person in people for key in name_keys(person.student.name))
    times = Counter((owner.platform, squashed(owner.name)) for owner in exported)
    taken = {(owner.platform, each.person.student.id) for owner, each in found.items()}
    matches = {}
    for owner in exported:
        person = names.get(squashed(owner.name)) if owner.name else None
        if person is None or owner in found or times[owner.platform, squashed(owner.name)] > 1:
            continue
        if (owner.platform, person.student.id) not in taken:
            matches[owner] = Match(person, f"found on the roster by the name {shown(owner.name)} alone")
    return matches


def _unique(pairs: Iterable[tuple[str, Person]]) -> dict[str, Person]:
    """Return the people by a key that just one of them has."""
    found: defaultdict[str, dict[str, Person]] = defaultdict(dict)
    for key, person in pairs:
        if key:
            found[key][person.student.id] = person
    return {key: next(iter(people.values())) for key, people in found.items() if len(people) == 1}

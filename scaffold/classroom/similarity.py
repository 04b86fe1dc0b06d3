"""Finds pairs of submissions that share much of their code. It says where to look, and is never a mark.

Each lab is compared by fingerprints (see `fingerprints.py`), without what the stub gives to everybody. In a class of ten
or more, what more than a fifth of it shares is left out too: it is an idiom, or came from the lesson. A solution that went
round in more than a fifth of the class is hidden by that as well, unless it is the reference, with which everybody is
compared by all fingerprints. Texts that are no Python are compared with all others by their lines.

An index from fingerprints to submissions finds the pairs, so that nobody is compared with those who share nothing.
`copydetect` was considered: it has the same algorithm, but compares every pair, and needs numpy, matplotlib and pygments.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scaffold.classroom.fingerprints import (
    LINES,
    TOKENS,
    Grain,
    NoTokensError,
    Part,
    Profile,
    hashes_of,
    lines_of,
    profile_of,
    tokens_of,
)

THE_REFERENCE = "the reference"  # what it is called in a pair
FEWEST_SHARED = 6  # fingerprints; fewer say nothing
SMALLEST_CLASS = 10  # in which something can be common
COMMON = 0.2  # of the class

Lines = tuple[int, int]  # the first and the last, counted from 1


@dataclass(frozen=True)
class Passage:
    """Lines of two submissions that say the same."""

    first_lines: Lines
    second_lines: Lines


@dataclass(frozen=True)
class Pair:
    """Two submissions of a lab. A share is of the fingerprints of one that the other has too, from 0 to 1."""

    first: str
    second: str
    lab: str
    share_of_first: float
    share_of_second: float
    passages: list[Passage] = field(default_factory=list)


_Found = tuple[Pair, Profile, Profile]


def similar_pairs(
    files: Mapping[str, Mapping[str, bytes]],
    stubs: Mapping[str, str],
    reference: Mapping[str, str],
    *,
    at_least: float = 0.5,
    most: int = 1_000,
) -> list[Pair]:
    """Return the pairs of which one has at least this share in common with the other, the most similar first.

    `files` has the files of each student id by the lab's folder, as `stubs` and `reference` have theirs. At most `most`
    pairs are returned. The order of the students makes no difference.
    """
    found: list[_Found] = []
    for lab, stub in sorted(stubs.items()):
        texts = {
            student: own[lab].decode("utf-8-sig", "replace") for student, own in sorted(files.items()) if lab in own
        }
        found += _pairs_of(lab, texts, stub, reference.get(lab, ""), at_least)
    found.sort(key=_rank)
    return [replace(pair, passages=_passages(first, second)) for pair, first, second in found[:most]]


def _rank(found: _Found) -> tuple[float, float, str, str, str]:
    pair = found[0]
    low, high = sorted((pair.share_of_first, pair.share_of_second))
    return -high, -low, pair.lab, pair.first, pair.second


def _pairs_of(lab: str, texts: Mapping[str, str], stub: str, reference: str, at_least: float) -> Iterator[_Found]:
    """Yield the pairs of one lab: by tokens, and those of texts that have none by lines."""
    tokens: dict[str, list[Part]] = {}
    for student, text in texts.items():
        with contextlib.suppress(NoTokensError):
            tokens[student] = tokens_of(text)
    without = texts.keys() - tokens.keys()
    yield from _compared(lab, tokens, tokens_of(stub), tokens_of(reference), TOKENS, at_least)
    if without:
        lines = {student: lines_of(text) for student, text in texts.items()}
        for found in _compared(lab, lines, lines_of(stub), lines_of(reference), LINES, at_least):
            if {found[0].first, found[0].second} & without:
                yield found


def _compared(
    lab: str,
    texts: Mapping[str, Sequence[Part]],
    stub: Sequence[Part],
    reference: Sequence[Part],
    grain: Grain,
    at_least: float,
) -> Iterator[_Found]:
    given = frozenset(hashes_of(stub, grain.run))
    profiles = {student: profile_of(parts, grain, given) for student, parts in texts.items()}
    original = profile_of(reference, grain, given)
    for student, profile in profiles.items():
        shared = len(profile.places.keys() & original.places.keys())
        of_first, of_second = shared / (len(profile.places) or 1), shared / (len(original.places) or 1)
        if shared >= FEWEST_SHARED and max(of_first, of_second) >= at_least:
            yield Pair(student, THE_REFERENCE, lab, of_first, of_second), profile, original
    for first, second, of_first, of_second in _overlaps(profiles):
        if max(of_first, of_second) >= at_least:
            yield Pair(first, second, lab, of_first, of_second), profiles[first], profiles[second]


def _overlaps(profiles: Mapping[str, Profile]) -> Iterator[tuple[str, str, float, float]]:
    """Yield all who share enough to say something, with their shares; what is common does not count."""
    owners = Counter(value for profile in profiles.values() for value in profile.places)
    most = COMMON * len(profiles) if len(profiles) >= SMALLEST_CLASS else len(profiles)
    own = {name: [value for value in profile.places if owners[value] <= most] for name, profile in profiles.items()}
    earlier: defaultdict[int, list[str]] = defaultdict(list)
    for second, values in own.items():
        shared = Counter[str]()
        for value in values:
            shared.update(earlier[value])
            earlier[value].append(second)
        for first, count in shared.items():
            if count >= FEWEST_SHARED:
                yield first, second, count / len(own[first]), count / len(values)


def _passages(first: Profile, second: Profile) -> list[Passage]:
    """Return the shared runs by their lines, joined where they overlap in both texts."""
    places = sorted((first.places[value], second.places[value]) for value in first.places.keys() & second.places.keys())
    joined: list[tuple[Lines, Lines]] = []
    for one, other in places:
        if joined:
            last_one, last_other = joined[-1]
            if one[0] <= last_one[1] + 1 and other[0] <= last_other[1] + 1 and last_other[0] <= other[1] + 1:
                joined[-1] = _around(last_one, one), _around(last_other, other)
                continue
        joined.append((one, other))
    return [Passage(one, other) for one, other in joined]


def _around(lines: Lines, others: Lines) -> Lines:
    return min(lines[0], others[0]), max(lines[1], others[1])

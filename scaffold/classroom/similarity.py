"""Finds pairs of submissions that share much of their code. It says where to look, and is never a mark.

Each lab is compared by fingerprints (see `fingerprints.py`), without what the stub gives to everybody. In a class of
ten or more, what more than a fifth of it shares is left out too: it is an idiom, or came from the lesson. A solution
that went round in more than a fifth of the class is hidden by that as well, unless it is the reference, with which
everybody is compared by all fingerprints. Texts that are no Python are compared with all others by their lines.

An index from fingerprints to submissions finds the pairs, so that nobody is compared with those who share nothing.
`copydetect` was considered: it has the same algorithm, but compares every pair, and needs numpy and matplotlib.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
from scaffold.classroom.model import Lines, Pair, Passage, Similarity

FEWEST_SHARED = 6  # fingerprints; fewer say nothing
SMALLEST_CLASS = 10  # in which something can be common
COMMON = 0.2  # of the class
MOST_PAIRS = 1_000

Texts = Mapping[str, str]  # by the student's id


@dataclass(frozen=True)
class _Overlap:
    """Two texts of a lab, and how much of each the other has."""

    first: str
    second: str | None
    shares: tuple[float, float]
    profiles: tuple[Profile, Profile]


_Ranked = tuple[str, _Overlap]  # with its lab


def similar_pairs(
    files: Mapping[str, Mapping[str, bytes]],
    stubs: Mapping[str, str],
    reference: Mapping[str, str],
    *,
    at_least: float = 0.5,
    most: int = MOST_PAIRS,
) -> Similarity:
    """Return the pairs of which one has at least this share in common with the other, the most similar first.

    `files` has the files of each student id by lab, as `stubs` and `reference` have theirs. At most `most` pairs are
    returned, and beyond them the most similar pair of each student in each lab, so that nobody is hidden by the many.
    The order of the students makes no difference.
    """
    found: list[_Ranked] = []
    texts: dict[tuple[str | None, str], str] = {}
    for lab, stub in sorted(stubs.items()):
        own = {
            student: mine[lab].decode("utf-8-sig", "replace") for student, mine in sorted(files.items()) if lab in mine
        }
        original = reference.get(lab, "")
        found += ((lab, overlap) for overlap in _overlaps_of(own, stub, original, at_least))
        texts |= {(student, lab): text for student, text in own.items()} | {(None, lab): original}
    found.sort(key=_rank)
    pairs = [
        Pair(overlap.first, overlap.second, lab, *overlap.shares, _passages(*overlap.profiles))
        for lab, overlap in _kept(found, most)
    ]
    shown = {(side, pair.lab) for pair in pairs for side in (pair.first, pair.second)}
    return Similarity(pairs, len(found), at_least, {key: text for key, text in texts.items() if key in shown})


def flags_of(similar: Similarity) -> dict[str, list[str]]:
    """Return what to say of each student whose code is much like another's: a line for the most similar of a lab."""
    flags: defaultdict[str, list[str]] = defaultdict(list)
    others: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    for pair in similar.pairs:
        sides = (pair.first, pair.second, pair.share_of_first, pair.share_of_second)
        for one, other, share, share_of_other in (sides, (sides[1], sides[0], sides[3], sides[2])):
            if one is not None:
                others[one, pair.lab, other is None].append(_said(other, share, share_of_other, similar.at_least))
    for (one, lab, _), (first, *more) in others.items():
        flags[one].append(f"{lab}: {first}" + (f", and so with {len(more)} more" if more else ""))
    return dict(flags)


def _said(other: str | None, share: float, share_of_other: float, at_least: float) -> str:
    name = "the reference" if other is None else f"that of {other!r}"
    if share >= at_least:
        return f"{100 * share:.0f} % of it is like {name}"
    return f"it has {100 * share_of_other:.0f} % of {name} in it"


def _rank(ranked: _Ranked) -> tuple[float, float, str, str, bool, str]:
    lab, overlap = ranked
    low, high = sorted(overlap.shares)
    return -high, -low, lab, overlap.first, overlap.second is None, overlap.second or ""


def _kept(found: Sequence[_Ranked], most: int) -> Iterator[_Ranked]:
    """Yield the first ones, and the first of each student in each lab."""
    seen: set[tuple[str, str]] = set()
    for place, (lab, overlap) in enumerate(found):
        sides = {(side, lab) for side in (overlap.first, overlap.second) if side is not None}
        if place < most or not sides <= seen:
            yield lab, overlap
        seen |= sides


def _overlaps_of(texts: Texts, stub: str, reference: str, at_least: float) -> Iterator[_Overlap]:
    """Yield those of one lab: by tokens, and those of texts that have none by lines."""
    cut: dict[str, list[Part]] = {}  # untouched stubs are the same text many times
    for text in set(texts.values()):
        with contextlib.suppress(NoTokensError):
            cut[text] = tokens_of(text)
    tokens = {student: cut[text] for student, text in texts.items() if text in cut}
    yield from _compared(tokens, tokens_of(stub), tokens_of(reference), TOKENS, at_least)
    without = texts.keys() - tokens.keys()
    if without:
        lines = {student: lines_of(text) for student, text in texts.items()}
        for overlap in _compared(lines, lines_of(stub), lines_of(reference), LINES, at_least):
            if {overlap.first, overlap.second} & without:
                yield overlap


def _compared(
    texts: Mapping[str, Sequence[Part]], stub: Sequence[Part], reference: Sequence[Part], grain: Grain, at_least: float
) -> Iterator[_Overlap]:
    """Yield who shares at least so much with the reference, and with each other."""
    given = frozenset(hashes_of(stub, grain.run))
    profiles = {student: profile_of(parts, grain, given) for student, parts in texts.items()}
    original = profile_of(reference, grain, given)
    for student, profile in profiles.items():
        shared = len(profile.places.keys() & original.places.keys())
        if shared >= FEWEST_SHARED:
            shares = shared / len(profile.places), shared / len(original.places)
            if max(shares) >= at_least:
                yield _Overlap(student, None, shares, (profile, original))
    own = _without_common(profiles)
    for first, second, shares in _shares(own):
        if max(shares) >= at_least:
            yield _Overlap(first, second, shares, (own[first], own[second]))


def _without_common(profiles: Mapping[str, Profile]) -> Mapping[str, Profile]:
    if len(profiles) < SMALLEST_CLASS:
        return profiles
    times = Counter(value for profile in profiles.values() for value in profile.places)
    most = COMMON * len(profiles)
    return {
        student: Profile({value: lines for value, lines in profile.places.items() if times[value] <= most})
        for student, profile in profiles.items()
    }


def _shares(profiles: Mapping[str, Profile]) -> Iterator[tuple[str, str, tuple[float, float]]]:
    """Yield all who share enough to say something, with the share of each."""
    earlier: defaultdict[int, list[str]] = defaultdict(list)
    for second, profile in profiles.items():
        shared = Counter[str]()
        for value in profile.places:
            shared.update(earlier[value])
            earlier[value].append(second)
        for first, count in shared.items():
            if count >= FEWEST_SHARED:
                yield first, second, (count / len(profiles[first].places), count / len(profile.places))


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

"""Which pairs are told of: the most similar first, nobody hidden by the many, and nobody taken for the reference."""

from __future__ import annotations

from collections.abc import Mapping

from kit.copies import solution_of
from kit.disguises import block
from scaffold.classroom.model import Pair, Similarity
from scaffold.classroom.similarity import flags_of, similar_pairs
from scaffold.course import find_lab
from scaffold.stubs import fresh_stub

SOLUTION = solution_of(find_lab("10.4"))


def pairs(texts: Mapping[str, str]) -> list[Pair]:
    files = {name: {"10.1": text.encode()} for name, text in texts.items()}
    return list(similar_pairs(files, {"10.1": ""}, {}, at_least=0.0).pairs)


def test_pairs_are_ranked_and_the_order_of_students_makes_no_difference() -> None:
    texts: dict[str, str] = {
        "d": block("a") + block("b"),
        "c": block("a"),
        "b": block("a") + block("c", lines=4),
    }
    found = pairs(texts)
    assert [(pair.first, pair.second) for pair in found] == [("b", "c"), ("c", "d"), ("b", "d")]
    assert found == pairs(dict(reversed(texts.items())))


def test_no_more_pairs_are_returned_than_asked_for_and_none_is_the_only_one_of_a_student() -> None:
    files = {name: {"lab_10_1": block("a").encode()} for name in "abcde"}
    files |= {name: {"lab_10_1": (block("b") + block(name, lines=4)).encode()} for name in "yz"}
    [*first, last] = (cut := similar_pairs(files, {"lab_10_1": ""}, {}, most=3)).pairs

    assert cut.found == 11
    assert [pair.first + (pair.second or "") for pair in first] == ["ab", "ac", "ad", "ae"]
    assert (last.first, last.second, last.share_of_first < 1) == ("y", "z", True)
    assert len(similar_pairs(files, {"lab_10_1": ""}, {}).pairs) == 11


def test_the_texts_of_pairs_come_with_them_and_no_others() -> None:
    files = {
        "ann": {"10.1": block("a").encode(), "10.2": b"x"},
        "bob": {"10.1": block("a").encode()},
        "cy": {"10.1": b""},
    }
    found = similar_pairs(files, {"10.1": "", "10.2": ""}, {"10.1": block("a"), "10.2": block("b")})
    assert set(found.texts) == {("ann", "10.1"), ("bob", "10.1"), (None, "10.1")}
    assert set(found.texts.values()) == {block("a")}


def test_nobody_can_be_taken_for_the_reference() -> None:
    files = {name: {"10.4": SOLUTION.encode()} for name in ("the reference", "", "None")}
    found = similar_pairs(files, {"10.4": fresh_stub(find_lab("10.4"))}, {"10.4": SOLUTION})
    assert [pair.first for pair in found.pairs if pair.second is None] == ["", "None", "the reference"]
    assert set(flags_of(found)) == set(files)
    assert flags_of(found)["the reference"] == [
        "10.4: 100 % of it is like that of '', and so with 1 more",
        "10.4: 100 % of it is like the reference",
    ]


def test_a_student_has_one_flag_a_lab_that_names_the_most_similar() -> None:
    pairs = [
        Pair("ann", "bob", "10.1", 0.9, 0.3),
        Pair("ann", "cy", "10.1", 0.8, 0.8),
        Pair("cy", "dan", "10.2", 0.7, 0.7),
    ]
    assert flags_of(Similarity(pairs, 3, 0.6)) == {
        "ann": ["10.1: 90 % of it is like that of 'bob', and so with 1 more"],
        "bob": ["10.1: it has 90 % of that of 'ann' in it"],
        "cy": ["10.1: 80 % of it is like that of 'ann'", "10.2: 70 % of it is like that of 'dan'"],
        "dan": ["10.2: 70 % of it is like that of 'cy'"],
    }

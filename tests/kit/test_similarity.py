"""Copies are found however they were dressed up, and those who worked by themselves are left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

from kit.copies import solution_of
from kit.disguises import DISGUISES, block, renamed
from scaffold.classroom import similarity
from scaffold.classroom.fingerprints import LONGEST, TOKENS, NoTokensError, Profile, hashes_of, profile_of, tokens_of
from scaffold.classroom.model import Pair, Passage
from scaffold.classroom.similarity import similar_pairs
from scaffold.course import LABS, ROOT, Lab, find_lab
from scaffold.stubs import fresh_stub

STUBS = {lab.folder: fresh_stub(lab) for lab in LABS}
REFERENCE = {lab.folder: solution_of(lab) for lab in LABS}
RUN = TOKENS.run + TOKENS.window - 1  # what is this long is found


def pairs(lab: str, texts: Mapping[str, str | bytes], *, at_least: float = 0.0, stub: str | None = None) -> list[Pair]:
    files = {name: {lab: text.encode() if isinstance(text, str) else text} for name, text in texts.items()}
    stubs = {lab: STUBS[lab] if stub is None else stub}
    return list(similar_pairs(files, stubs, {lab: REFERENCE[lab]}, at_least=at_least).pairs)


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_a_copy_is_found_in_each_disguise(lab: Lab, disguise: Callable[[str], str]) -> None:
    solution = REFERENCE[lab.folder]
    found = pairs(lab.folder, {"ann": solution, "bob": disguise(solution)}, at_least=0.6)
    assert {(pair.first, pair.second) for pair in found} == {
        ("ann", "bob"),
        ("ann", None),
        ("bob", None),
    }


# Three ways to write lab 10.1, none of which has seen another.
HONEST = {
    "upwards with a set": """
def path_to(entries, leaf):
    table = {}
    for entry in entries:
        if entry["id"] in table:
            raise ValueError("two entries are called " + entry["id"])
        table[entry["id"]] = entry
    seen = set()
    way = []
    here = leaf
    while here is not None:
        if here not in table:
            raise LookupError("nothing is called " + here)
        if here in seen:
            raise ValueError("it goes in circles at " + here)
        seen.add(here)
        way.append(copy.deepcopy(table[here]))
        here = table[here]["parentId"]
    way.reverse()
    return way
""",
    "a generator": """
class Chain:
    def __init__(self, entries):
        self.by_name = {item["id"]: item for item in entries}
        if len(self.by_name) != len(entries):
            doubles = Counter(item["id"] for item in entries).most_common(1)
            raise TreeError(f"{doubles[0][0]} is there {doubles[0][1]} times")

    def climb(self, name, budget):
        while name is not None and budget:
            try:
                item = self.by_name[name]
            except KeyError:
                raise TreeError(f"{name} has gone missing") from None
            yield json.loads(json.dumps(item))
            name, budget = item.get("parentId"), budget - 1
        if name is not None:
            raise TreeError(f"no root above {name}")

def path_to(entries, leaf):
    return list(Chain(entries).climb(leaf, len(entries)))[::-1]
""",
    "from the front": """
def path_to(entries, leaf):
    depth, parents = {None: 0}, {}
    pending = list(entries)
    while pending:
        later = [one for one in pending if one["parentId"] not in depth]
        for one in pending:
            if one["parentId"] in depth:
                assert one["id"] not in depth, one["id"]
                depth[one["id"]] = depth[one["parentId"]] + 1
                parents[one["id"]] = one
        if len(later) == len(pending):
            break
        pending = later
    result = [None] * depth[leaf]
    for place in range(depth[leaf] - 1, -1, -1):
        result[place] = deepcopy(parents[leaf])
        leaf = parents[leaf]["parentId"]
    return result
""",
}


def test_those_who_worked_by_themselves_are_far_below_a_copy() -> None:
    lab = find_lab("10.1").folder
    copies = {f"copy of {name}": DISGUISES["all of it"](text) for name, text in HONEST.items()}
    found = pairs(lab, HONEST | copies)
    is_copy = [pair.second == f"copy of {pair.first}" or pair.first == f"copy of {pair.second}" for pair in found]
    assert is_copy == sorted(is_copy, reverse=True)
    assert sum(is_copy) == 3
    shares = [max(pair.share_of_first, pair.share_of_second) for pair in found]
    assert min(shares[:3]) > 0.6
    assert max([0.0, *shares[3:]]) < 0.3


SAME = {
    "names": ("one = two(three)", "a = b(c)"),
    "numbers": ("x = 1", "x = 0xFF_FF"),
    "strings": ("x = 'a'", 'x = rb"""b"""'),
    "strings with fields": ("x = 'a'", "x = f'a{b!r:>{c}}' f'{d}'"),
    "parentheses": ("return (a, b)", "return a, b"),
    "commas before an end": ("x = f([a, b,], {c: d,},)", "x = f([a, b], {c: d})"),
    "comments": ("x = 1  # why", "x = 1"),
    "line ends": ("x = [\n    1,\n    2,\n]\n\ny = 2", "x = [1, 2]; y = 2"),
    "indentation": ("if a:\n        b()\n", "if a: b()\n"),
    "docstrings": ('"""A."""\ndef f():\n    """B""" "C"\n    # D\n    "E"\n    return 1', "def f(): return 1"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_what_is_no_difference_is_left_out(one: str, other: str) -> None:
    assert [kind for kind, _ in tokens_of(one)] == [kind for kind, _ in tokens_of(other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("x = 'a'", "x = 1"), ("x = y", "x = 1"), ("x + y", "x - y"), ("if x: y", "while x: y"), ("x = 'a'", "'a'")],
)
def test_what_is_a_difference_is_kept(one: str, other: str) -> None:
    assert [kind for kind, _ in tokens_of(one)] != [kind for kind, _ in tokens_of(other)]


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_the_stub_and_what_is_given_are_no_likeness(lab: Lab) -> None:
    stub = STUBS[lab.folder]
    assert not pairs(lab.folder, {"ann": stub, "bob": stub, "cleo": renamed(stub)})


def test_a_part_of_a_copy_has_two_shares_and_its_lines() -> None:
    [pair] = pairs("lab_10_1", {"ann": block("a"), "bob": "import os\n\n" + block("a") + block("b")}, stub="")
    assert (pair.first, pair.second, pair.lab) == ("ann", "bob", "lab_10_1")
    assert pair.share_of_first > 0.9
    assert 0.4 < pair.share_of_second < 0.6
    assert [(passage.first_lines, passage.second_lines) for passage in pair.passages] == [((1, 12), (3, 14))]


def test_passages_apart_are_not_joined() -> None:
    [pair] = pairs("lab_10_1", {"ann": block("a") + block("b"), "bob": block("b") + block("c") + block("a")}, stub="")
    passages = [(passage.first_lines, passage.second_lines) for passage in pair.passages]
    assert passages == [((1, 12), (25, 36)), ((13, 24), (1, 12))]


def test_every_long_enough_run_is_found_and_no_shorter_one() -> None:
    for cut in range(40):
        text = block("a", lines=1)
        parts = tokens_of(text)[:RUN]
        around = [tokens_of(block(f"{side}{cut}", lines=3)) for side in "lr"]
        whole = profile_of(parts, TOKENS, ()).places.keys()
        assert whole & profile_of([*around[0], *parts, *around[1]], TOKENS, ()).places.keys()
        assert not hashes_of(parts[: TOKENS.run - 1], TOKENS.run)


@pytest.mark.parametrize("size", [9, 10])
def test_what_much_of_a_class_shares_is_left_out_from_ten_on(size: int) -> None:
    texts: dict[str, str | bytes] = {str(number): block(f"own {number}") for number in range(size)}
    texts |= {name: str(texts[name]) + block("idiom") for name in ("0", "1", "2")}
    assert len(pairs("lab_10_1", texts, at_least=0.3)) == (3 if size < 10 else 0)


def test_who_copied_the_reference_is_found_though_much_of_the_class_did() -> None:
    lab = "lab_10_4"
    found = pairs(lab, {str(number): renamed(REFERENCE[lab]) for number in range(20)}, at_least=0.9)
    assert {(pair.first, pair.second) for pair in found} == {(str(number), None) for number in range(20)}


NO_PYTHON = {
    "an open bracket": "(\n",
    "an open string": "x = 'a\n",
    "a wrong indentation": "if x:\n    a\n  b\n",
    "a control character": "\1\n",
    "too long": "#" * LONGEST + "\n",
}


@pytest.mark.parametrize("damage", NO_PYTHON.values(), ids=NO_PYTHON)
def test_what_is_no_python_is_compared_by_its_lines(damage: str) -> None:
    with pytest.raises(NoTokensError):
        tokens_of(damage)
    lab = "lab_10_4"
    spaced = REFERENCE[lab].replace(" = ", "  =  ") + damage
    found = pairs(lab, {"ann": REFERENCE[lab], "bob": spaced, "cleo": block("c")}, at_least=0.7)
    assert {(pair.first, pair.second) for pair in found} == {("ann", "bob"), ("ann", None), ("bob", None)}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"\xef\xbb\xbf", b"\0" * 1000, b"\xed\xa0\x80"])
def test_no_content_is_an_error(content: bytes) -> None:
    assert pairs("lab_10_1", {"ann": content, "bob": content}) == []


DEEP = {"brackets": "(", "minus": "-", "strings": "'\\\n", "lines": '"""\n', "numbers": "1_", "backslashes": "\\\n"}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_no_text_takes_long(text: str) -> None:
    assert not pairs("lab_10_1", {"ann": text * (LONGEST // len(text)), "bob": text * LONGEST, "cleo": block("a")})


def test_fingerprints_are_the_same_in_every_process() -> None:
    code = (
        "from pathlib import Path; from scaffold.classroom.fingerprints import *; "
        "text = Path('solutions/lab_10_5/session.py').read_text('utf-8'); "
        "print(sorted(profile_of(tokens_of(text), TOKENS, ()).places))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            timeout=60,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


def test_work_grows_with_the_class_and_not_with_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    original = similarity._passages

    def counted(*profiles: Profile) -> list[Passage]:
        compared.append(profiles)
        return original(*profiles)

    monkeypatch.setattr(similarity, "_passages", counted)
    texts: dict[str, str | bytes] = {str(number): block(f"own {number}", lines=3) for number in range(300)}
    assert pairs("lab_10_1", texts | {"copy": texts["7"]})[0].second == "copy"
    assert len(compared) == 1

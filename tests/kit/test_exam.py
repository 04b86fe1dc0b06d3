"""The exam finds what is wrong, whoever wrote it, and nothing in what is right."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kit.exam import SEED, Examiner, observations_of, reasons, reference_text, tree_of
from scaffold.breakages import Breakage, all_breakages
from scaffold.classroom.exam.local_stage import Host
from scaffold.classroom.exam.operation import Operation
from scaffold.classroom.exam.operations import operations_for
from scaffold.classroom.exam.plan import do, plan, sent_runs
from scaffold.classroom.exam.stage import Seen
from scaffold.course import LABS, REFERENCE, Lab, find_lab
from scaffold.given.samples import chapter_session, retry_session
from scaffold.grading.tree import Tree

ITEMS = [(lab, item) for lab in LABS for item in lab.required_tests + lab.bonus_tests]


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    with Host() as host:
        yield Examiner(host)


# What it finds


@pytest.mark.timeout(60)
@pytest.mark.parametrize("breakage", all_breakages(), ids=lambda breakage: f"{breakage.lab.number}-{breakage.name}")
def test_a_breakage_fails_some_items_that_it_turns_red_and_no_others(breakage: Breakage, examiner: Examiner) -> None:
    with breakage.applied() as tree:
        judged = examiner.judged(breakage.lab, tree)

    failed = {item for item, judgement in judged.items() if not judgement.passed}
    assert failed & set(breakage.red) != set()
    assert {item: why for item, why in reasons(judged).items() if item not in breakage.red} == {}
    assert [item for item, judgement in judged.items() if judgement.tampered] == []


@pytest.mark.timeout(30)
@pytest.mark.parametrize("seed", ["one", "another", "a third", "a fourth"])
@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_the_reference_passes_with_every_seed(lab: Lab, seed: str, examiner: Examiner) -> None:
    assert REFERENCE is not None
    assert reasons(examiner.judged(lab, REFERENCE, seed)) == {}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_a_stub_fails_everything(lab: Lab, labs: Path, examiner: Examiner) -> None:
    assert examiner.failed(lab, labs) == set(lab.required_tests + lab.bonus_tests)


def test_nothing_is_waited_for_where_no_store_was_opened(labs: Path, examiner: Examiner) -> None:
    seen = examiner.seen(find_lab("10.5"), labs)
    assert not any("out of time" in observation["seen"] for run in seen for observation in observations_of(run))


# Submissions that answer what the lab's tests ask, without doing it

REFUSES_EVERYTHING = """
EVERY = " ".join({facts!r})

def refuse(*_, **__):
    raise ValueError(EVERY)

{names} = refuse
"""

KNOWS_THE_SAMPLES = """
import copy, json

ANSWERS = {answers!r}

def {name}(entries, leaf):
    key = json.dumps([entries, leaf])
    if key in ANSWERS:
        return json.loads(ANSWERS[key])
    raise ValueError(f"{{leaf}} " + " ".join(str(entry.get("id")) + str(entry.get("parentId")) for entry in entries))
"""

ACCEPTS_EVERYTHING = """
import copy

def parse_session_entry(value):
    return copy.deepcopy(value)
"""

READS_LOOSELY = """
import json

def recover_jsonl(text):
    *lines, tail = text.split("\\n")
    entries = [json.loads(line) for line in lines if line.strip()]
    warning = {"code": "unterminated_tail", "line": len(lines) + 1}
    return {"entries": entries, "warnings": [warning] if tail.strip() else []}
"""


def known(name: str) -> str:
    """Return a submission for one function that has its answers for the sample sessions in a table."""
    assert REFERENCE is not None
    function = getattr(Tree(REFERENCE).load(find_lab("10.6" if name == "messages_on_path" else "10.1")), name)
    samples: list[Any] = [chapter_session(), retry_session()]
    answers = {
        json.dumps([entries, entry["id"]]): json.dumps(function(entries, entry["id"]))
        for entries in samples
        for entry in entries
    }
    return KNOWS_THE_SAMPLES.format(answers=answers, name=name)


def refusing(*names: str) -> str:
    """Return a submission whose functions raise an error that names all that the lab's tests ask for."""
    facts = ["json session entry line 2 repair", *(f"entry.message.content[{n}].text" for n in (0, 1)), "entry.id"]
    return REFUSES_EVERYTHING.format(facts=facts, names=" = ".join(names))


# A submission, and the items that it may pass: those in which each of its answers is right.
UNEARNED: dict[str, tuple[str, str, set[str]]] = {
    "the paths of the samples": ("10.1", known("path_to"), set()),
    "an error for everything, 10.1": ("10.1", refusing("path_to"), set()),
    "an error for everything, 10.2": ("10.2", refusing("parse_session_entry"), set()),
    "an error for everything, 10.4": ("10.4", refusing("recover_jsonl"), set()),
    "an error for everything, 10.6": ("10.6", refusing("messages_on_path", "branch_stats"), set()),
    "an error for everything, 10.7": ("10.7", refusing("repair_unterminated_tail"), set()),
    "a copy of everything": ("10.2", ACCEPTS_EVERYTHING, set()),
    "json and no checks": (
        "10.4",
        READS_LOOSELY,
        {"test_committed_lines_become_entries", "test_lines_end_at_newlines_only"},
    ),
    "the messages of the samples": ("10.6", known("messages_on_path"), set()),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("number", "text", "earned"), UNEARNED.values(), ids=UNEARNED)
def test_who_only_answers_the_tests_fails(
    number: str, text: str, earned: set[str], tmp_path: Path, examiner: Examiner
) -> None:
    lab = find_lab(number)
    failed = examiner.failed(lab, tree_of(tmp_path, lab, text))
    assert set(lab.required_tests + lab.bonus_tests) - failed == earned


# Right solutions of another style: errors with other words and classes, files with other spaces, states as an enum

OTHER_WORDS = {
    "10.1": ("raise TreeError(", "raise _other("),
    "10.3": ("raise TreeError(", "raise _other("),
    "10.4": ("raise LineError(", "raise _other("),
}
OTHER_ERROR = """

class OtherError(ValueError):
    def __init__(self, text, **facts):
        super().__init__(text)
        self.__dict__.update(facts)

def _other(*words):
    if type(words[0]) is int:
        return OtherError(f"{words[1].upper()}, see LINE {words[0]}", number=words[0])
    return OtherError("Oh no", who=list(words[1:]))
"""


@pytest.mark.timeout(30)
@pytest.mark.parametrize("number", OTHER_WORDS)
def test_an_error_may_have_a_class_and_words_of_its_own(number: str, tmp_path: Path, examiner: Examiner) -> None:
    lab = find_lab(number)
    text = reference_text(lab).replace(*OTHER_WORDS[number]) + OTHER_ERROR
    assert reasons(examiner.judged(lab, tree_of(tmp_path, lab, text))) == {}


@pytest.mark.timeout(30)
def test_a_file_may_be_spaced_in_another_way_and_a_state_be_an_enum(tmp_path: Path, examiner: Examiner) -> None:
    lab = find_lab("10.5")
    text = reference_text(lab).replace('separators=(",", ":")', "sort_keys=True")
    text = text.replace("ensure_ascii=False", "ensure_ascii=True").replace('return "tainted"', "return Taint.ED")
    text = text.replace("ENCODER = ", 'import enum\n\nclass Taint(enum.Enum):\n    ED = "tainted"\n\nENCODER = ')
    assert reasons(examiner.judged(lab, tree_of(tmp_path, lab, text))) == {}


# The operations


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_each_item_has_operations_and_a_seed_always_makes_the_same(lab: Lab) -> None:
    operations = operations_for(lab, SEED)
    assert list(operations) == [*lab.required_tests, *lab.bonus_tests]
    assert all(operations.values())
    assert operations == operations_for(lab, SEED)
    assert json.loads(json.dumps(operations)) == json.loads(json.dumps(operations_for(lab, SEED)))


@pytest.mark.parametrize(("lab", "item"), ITEMS, ids=[item for _, item in ITEMS])
def test_another_seed_makes_other_operations(lab: Lab, item: str) -> None:
    assert operations_for(lab, "one")[item] != operations_for(lab, "other")[item]


def test_the_operations_of_a_seed_are_the_same_in_every_process_and_version() -> None:
    operation = operations_for(find_lab("10.1"), "fixed")["test_a_long_chain_needs_no_recursion"][0]
    assert (operation["size"], operation["prefix"]) == (1033, "sm3mxxf")


class Recorder:
    """A stage on which nothing is done, and all that was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[Operation] = []

    def run(
        self,
        operations: Sequence[Operation],
        *,
        file_size_limit: int | None = None,  # noqa: ARG002 (a stage has it)
        kill_after: int | None = None,  # noqa: ARG002
    ) -> list[bytes]:
        self.asked += operations
        return []

    def look(self, names: Collection[str]) -> dict[str, Seen]:  # noqa: ARG002
        return {}


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_nothing_for_the_judge_reaches_a_submission(lab: Lab) -> None:
    recorder = Recorder()
    do(sent_runs(operations_for(lab, SEED)), recorder)
    assert len(recorder.asked) == sum(len(run.operations) for run in plan(operations_for(lab, SEED)))
    assert [key for operation in recorder.asked for key in operation if key.startswith("_")] == []


def test_a_lab_without_an_exam_is_named() -> None:
    lab = Lab("10.9", "new", tasks=(), checkpoints=("test_new",), python_tests=())
    with pytest.raises(KeyError, match=r"10\.9"):
        operations_for(lab, SEED)

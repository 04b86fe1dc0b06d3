"""A stage runs a driver within limits, kills it where it is told to, and looks at the files itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.exam import Examiner, reference_text, tree_of
from scaffold.classroom.exam.driver import Observation
from scaffold.classroom.exam.host import OUTPUT
from scaffold.classroom.exam.local_stage import Host, LocalStage
from scaffold.classroom.exam.material import flat
from scaffold.classroom.exam.operations import operations_for
from scaffold.classroom.exam.plan import plan
from scaffold.classroom.exam.stage import MAX_BYTES, look_at, understood
from scaffold.course import REFERENCE, find_lab

LAB = find_lab("10.1")


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host() as host:
        yield host


@pytest.fixture
def stage(host: Host) -> Iterator[LocalStage]:
    assert REFERENCE is not None
    with LocalStage(REFERENCE, host=host) as stage:
        yield stage


def calls(number: int, lab: str = "10.1") -> list[dict[str, Any]]:
    """Return so many operations, each of another item."""
    entries = [flat("a", None)]
    facts = {"lab": lab, "do": "call", "name": "path_to", "arguments": [entries, "a"]}
    return [{"n": n, "item": f"item {n}", **facts} for n in range(number)]


def program(*steps: list[Any], file: str = "session.jsonl") -> list[dict[str, Any]]:
    return [{"n": 0, "item": "an item", "lab": "10.5", "do": "program", "file": file, "steps": [["open", {}], *steps]}]


def observed(stage: LocalStage, operations: list[dict[str, Any]], **faults: int) -> list[Observation]:
    return [understood(line) for line in stage.run(operations, **faults)]


def test_each_operation_has_its_observation(stage: LocalStage) -> None:
    assert observed(stage, calls(3)) == [{"n": n, "seen": {"value": [flat("a", None)]}} for n in range(3)]


# What hostile code does in the middle of its second call

ENDS = {
    "leaves": "os._exit(0)",
    "exits": "sys.exit()",
    "kills itself": "os.kill(os.getpid(), 9)",
    "closes all files": "os.closerange(0, 1_000)",
    "closes all files and never ends": "os.closerange(0, 1_000)\n        while True: pass",
    "uses up the stack": "sys.setrecursionlimit(10**9); f = lambda: f(); f()",
}
HOSTILE = """
import os, sys, time
calls = 0

def path_to(entries, leaf):
    global calls
    calls += 1
    if calls == 2:
        {what}
    return entries
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize("what", ENDS.values(), ids=ENDS)
def test_whatever_ends_a_run_what_was_seen_before_is_kept(what: str, host: Host, tmp_path: Path) -> None:
    tree = tree_of(tmp_path, LAB, HOSTILE.format(what=what))
    with LocalStage(tree, host=host, seconds=0.5, wall=3) as stage:
        seen = observed(stage, calls(4))
    assert seen[0] == {"n": 0, "seen": {"value": [flat("a", None)]}}
    assert [observation["n"] for observation in seen] == list(range(len(seen)))
    assert "value" not in seen[1]["seen"] if len(seen) > 1 else True


CATCHES = """
        while True:
            try:
                time.sleep(1)
            except {what}:
                pass"""
STOPS = {
    "loops": "while True: pass",
    "sleeps": "time.sleep(1_000)",
    "loops and catches all exceptions": CATCHES.format(what="Exception"),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("what", STOPS.values(), ids=STOPS)
def test_an_operation_that_never_ends_costs_itself_alone(what: str, host: Host, tmp_path: Path) -> None:
    tree = tree_of(tmp_path, LAB, HOSTILE.format(what=what))
    with LocalStage(tree, host=host, seconds=0.3) as stage:
        seen = observed(stage, calls(3))
    assert [set(observation["seen"]) for observation in seen] == [{"value"}, {"out of time"}, {"value"}]


@pytest.mark.timeout(30)
def test_what_belongs_to_the_same_item_is_left_out_after_that(host: Host, tmp_path: Path) -> None:
    tree = tree_of(tmp_path, LAB, HOSTILE.format(what="while True: pass"))
    with LocalStage(tree, host=host, seconds=0.3) as stage:
        seen = observed(stage, [{**operation, "item": "one"} for operation in calls(4)])
    assert [list(observation["seen"]) for observation in seen] == [
        ["value"],
        ["out of time"],
        ["left out"],
        ["left out"],
    ]


@pytest.mark.timeout(60)
def test_who_can_not_be_stopped_is_killed_when_the_run_has_taken_too_long(host: Host, tmp_path: Path) -> None:
    tree = tree_of(tmp_path, LAB, HOSTILE.format(what=CATCHES.format(what="BaseException")))
    with LocalStage(tree, host=host, seconds=0.3, wall=2) as stage:
        assert [observation["n"] for observation in observed(stage, calls(3))] == [0]


MEMORY = HOSTILE.format(what="keep = bytearray(2**33)")


@pytest.mark.timeout(30)
def test_memory_has_a_limit(host: Host, tmp_path: Path) -> None:
    with LocalStage(tree_of(tmp_path, LAB, MEMORY), host=host) as stage:
        seen = observed(stage, calls(3))
    assert seen[1]["seen"]["$error"]["name"] == "MemoryError"
    assert "value" in seen[2]["seen"]


FLOOD = HOSTILE.format(
    what="""
        import glob
        for path in glob.glob("/proc/self/fd/*"):
            try:
                target = int(path.rpartition("/")[2])
                while target > 2: os.write(target, b"x" * 65_000 + b"\\n")
            except OSError: pass"""
)


@pytest.mark.timeout(60)
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="a process can't see its open files here")
def test_output_has_a_limit_and_what_is_no_observation_counts_as_forged(host: Host, tmp_path: Path) -> None:
    with LocalStage(tree_of(tmp_path, LAB, FLOOD), host=host) as stage:
        seen = observed(stage, calls(3))
    assert len(seen) < OUTPUT / 65_000 + 10
    assert seen[1] == {"n": None, "seen": None}


@pytest.mark.timeout(30)
def test_a_lab_that_can_not_be_loaded_is_an_observation(host: Host, tmp_path: Path) -> None:
    with LocalStage(tree_of(tmp_path, LAB, "import nothing_of_the_kind"), host=host) as stage:
        seen = observed(stage, calls(2))
    assert [observation["seen"]["$error"]["missing"] for observation in seen] == [True, True]


def test_a_host_does_the_next_run_after_a_hostile_one(host: Host, stage: LocalStage, tmp_path: Path) -> None:
    with LocalStage(
        tree_of(tmp_path, LAB, HOSTILE.format(what="os.kill(os.getppid(), 0); os._exit(1)")), host=host
    ) as one:
        observed(one, calls(3))
    assert len(observed(stage, calls(1))) == 1


LEAVES_A_CHILD = """
        child = os.fork()
        if child == 0:
            os.setsid()
            time.sleep(1_000)
        open("child", "w").write(str(child))"""


def test_nothing_outlives_a_run(host: Host, tmp_path: Path) -> None:
    with LocalStage(tree_of(tmp_path, LAB, HOSTILE.format(what=LEAVES_A_CHILD)), host=host) as stage:
        assert len(observed(stage, calls(3))) == 3
        child = int(stage.look({"child"})["child"].data)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


# Files


def test_the_files_are_there_after_a_run_and_in_the_next(stage: LocalStage) -> None:
    observed(stage, program(["append", "a", flat("a", None)], ["await", "a"]))
    [observation] = observed(stage, program(["entries"]))
    assert observation["seen"]["said"][1] == {"read": [flat("a", None)]}
    assert stage.look({"session.jsonl"})["session.jsonl"].data.count(b"\n") == 1


def test_a_file_grows_up_to_the_limit_and_the_append_fails(stage: LocalStage) -> None:
    [observation] = observed(stage, program(["append", "a", flat("a", None)], ["await", "a"]), file_size_limit=20)
    assert observation["seen"]["said"][2]["$error"]["text"].endswith("File too large")
    assert len(stage.look({"session.jsonl"})["session.jsonl"].data) == 20


def test_a_run_is_killed_in_the_middle_of_a_write(stage: LocalStage) -> None:
    operation = program(["append", "a", flat("a", None)], ["await", "a"])
    operation[0]["steps"][0] = ["open", {"halfway": 7}]
    after = {**program(file="after.jsonl")[0], "n": 1, "item": "another"}
    assert observed(stage, [*operation, after], kill_after=1) == [{"n": 0, "seen": {"halfway": True}}]
    assert stage.look({"after.jsonl"}) == {}
    assert stage.look({"session.jsonl"})["session.jsonl"].data == b'{"id":"'


def test_an_exam_has_runs_of_their_own_for_faults_from_outside() -> None:
    runs = plan(operations_for(find_lab("10.5"), "any"))
    assert [(run.grow_by is not None, run.kill_after is not None) for run in runs] == [
        (False, False),
        (False, True),
        (True, False),
        (False, False),
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_looking_follows_no_link_and_waits_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * (MAX_BYTES + 1))
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "folder").symlink_to("/")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "odd \udcff name").write_bytes(b"y")
    os.mkfifo(tmp_path / "fifo")

    seen = look_at(tmp_path, {"file", "link", "folder", "loop", "deep", "fifo"})

    kinds = {name: (found.kind, len(found.data)) for name, found in seen.items()}
    assert kinds == {
        "file": ("file", MAX_BYTES),
        "link": ("link", 0),
        "folder": ("link", 0),
        "loop": ("link", 0),
        "fifo": ("other", 0),
        "deep/odd ? name": ("file", 1),
    }


def test_looking_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for number in range(1_100):
        (tmp_path / "folder" / str(number)).touch()
    assert len(look_at(tmp_path, {"folder"})) == 1_000


def test_looking_finds_what_it_is_asked_for_and_no_more(tmp_path: Path) -> None:
    for name in ("file", "another", "folder/file", "folder/deep/file", "another folder/file"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert set(look_at(tmp_path, {"file", "another folder/file"})) == {"file", "another folder/file"}
    assert set(look_at(tmp_path, {"folder", "no file"})) == {"folder/file", "folder/deep/file"}
    assert look_at(tmp_path, set()) == {}


# Submissions that lie about files to their own driver


LIES = """
import pathlib
real = pathlib.Path.read_bytes

def lie(path):
    data = real(path)
    return data[:data.rfind(b"\\n") + 1] if path.suffix == ".jsonl" else data

pathlib.Path.read_bytes = lie
"""
SLOPPY = (
    "            self._fault = as_fault(error)\n",
    "            self._fault = as_fault(error)\n            self._spoil()\n",
)
SPOIL = """
    def _spoil(self):
        with self._path.open("ab") as file:
            file.write(b"\\n")

    async def drain("""


@pytest.mark.timeout(30)
def test_what_a_driver_is_made_to_say_of_a_file_does_not_count(tmp_path: Path, host: Host) -> None:
    lab = find_lab("10.5")
    text = reference_text(lab).replace(*SLOPPY).replace("    async def drain(", SPOIL) + LIES
    failed = Examiner(host).failed(lab, tree_of(tmp_path, lab, text))
    assert "test_after_a_failed_write_the_file_is_left_alone" in failed

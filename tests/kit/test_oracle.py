"""No connection to the oracle has any effect on another, whatever is said over it and wherever it is broken off."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from kit.test_oracle_calls import LINES, LOADED, NOTE, TREE, Get, Ids, StandIns, outcome
from kit.test_oracle_wire import exact
from scaffold.classroom.oracle.oracle import Oracle, OracleError, connect
from scaffold.classroom.oracle.packets import PIECE
from scaffold.classroom.oracle.questions import functions_of
from scaffold.classroom.oracle.standin import Connection, NoAnswerError
from scaffold.classroom.oracle.wire import MAX_BYTES, MAX_PARTS
from scaffold.course import LABS, find_lab

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the oracle needs Linux"), pytest.mark.timeout(30)]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(TREE, seconds=1) as started:
        yield started


@pytest.fixture
def standin(oracle: Oracle) -> Iterator[Get]:
    with StandIns(oracle) as standins:
        yield standins.get


ALLOWED: dict[str, set[str]] = {
    "10.1": set(),
    "10.2": set(),
    "10.3": {"10.2"},
    "10.6": {"10.1"},
    "10.7": {"10.2", "10.3", "10.4", "10.5"},
}


@pytest.mark.parametrize(("number", "labs"), ALLOWED.items())
def test_only_labs_beneath_the_one_under_test_are_asked(oracle: Oracle, number: str, labs: set[str]) -> None:
    connection = Connection(connect(oracle.descriptor, find_lab(number)))
    for lab in LABS:
        for name in functions_of(lab):
            said = outcome(partial(connection.ask, lab.number, name, (), {}))
            assert ("is no function of a lab beneath" in str(said)) == (lab.number not in labs)
    connection.close()


def test_too_much_at_once_is_refused_with_clear_words(standin: Get) -> None:
    with pytest.raises(NoAnswerError, match=rf"asked about too much at once: more than {MAX_PARTS:,} values"):
        standin("10.2", "json_value")([[None] * MAX_PARTS])
    assert standin("10.2", "string")("still there") == "still there"


T = TypeVar("T")


class OutOfTimeError(BaseException):
    pass


class BrokenOff(socket.socket):
    """Raises an error when a number of packets have been sent and received: just before the next one, or after it."""

    left = -1
    after = False

    def at(self, left: int, *, after: bool) -> None:
        self.left, self.after = left, after

    def send(self, *arguments: Any) -> int:
        return self._do(super().send, *arguments)

    def recv(self, *arguments: Any) -> bytes:
        return self._do(super().recv, *arguments)

    def _do(self, act: Callable[..., T], *arguments: Any) -> T:
        self.left -= 1
        if self.left == -1 and not self.after:
            raise OutOfTimeError
        try:
            return act(*arguments)
        finally:
            if self.left == -1:
                raise OutOfTimeError


@pytest.mark.parametrize("after", [False, True], ids=["before a packet", "after a packet"])
@pytest.mark.parametrize("size", [1, 400], ids=["short messages", "long messages"])
def test_a_call_that_is_broken_off_anywhere_spoils_no_later_one(oracle: Oracle, size: int, after: bool) -> None:
    end = BrokenOff(fileno=connect(oracle.descriptor, find_lab("10.5")).detach())
    text = LINES * size
    wanted = exact(LOADED["10.4"].recover_jsonl(text))
    with contextlib.closing(Connection(end)) as connection:

        def is_broken_off(position: int) -> bool:
            end.at(position, after=after)
            try:
                connection.ask("10.3", "check_place", (NOTE, Ids()), {})
                connection.ask("10.4", "recover_jsonl", (text,), {})
            except OutOfTimeError:
                return True
            finally:
                end.at(-1, after=False)
            return False

        broken_off = 0
        while is_broken_off(broken_off):
            assert connection.ask("10.2", "number", (broken_off,), {}) == broken_off
            broken_off += 1
        assert (8 if size == 1 else 20) <= broken_off
        for position in range(broken_off // 2, broken_off):
            is_broken_off(position)
            assert exact(connection.ask("10.4", "recover_jsonl", (text,), {})) == wanted


def test_a_call_inside_a_question_may_be_broken_off_alone(standin: Get) -> None:
    class Ends:
        def __contains__(self, _name: object) -> bool:
            raise OutOfTimeError

    def check(item: object) -> object:
        with pytest.raises(OutOfTimeError):
            standin("10.3", "check_place")(NOTE, Ends())
        return item

    assert standin("10.2", "array")([1, 2], check) == [1, 2]


def test_calls_inside_of_calls_have_an_end(standin: Get) -> None:
    depth = 0

    def check(item: object) -> Any:
        nonlocal depth
        depth += 1
        return standin("10.2", "array")([item], check)

    with pytest.raises(NoAnswerError, match="don't answer any more"):
        check(1)
    assert depth < 30


def packets(content: bytes, number: int = 1) -> list[bytes]:
    pieces = [content[start : start + PIECE] for start in range(0, len(content), PIECE)]
    return [struct.pack(">Q?", number, index == len(pieces) - 1) + piece for index, piece in enumerate(pieces)]


def call(values: object, rows: object = (), **changes: object) -> list[bytes]:
    facts = {"do": "call", "lab": "10.2", "name": "json_value", "named": [], "values": values, "rows": rows}
    return packets(json.dumps({**facts, **changes}).encode())


DOUBLED = [["list", None, [number + 1], [number + 1]] for number in range(90)]
DEEP_KEY = [["tuple", None, [number + 1]] for number in range(200_000)]
HOSTILE = {
    "an empty packet": [b""],
    "half a head": [b"\0"],
    "a head alone": [struct.pack(">Q?", 1, True)],
    "no JSON": packets(b"hello"),
    "no UTF-8": packets(b"\xff"),
    "JSON that is no message": packets(b"[]"),
    "deep JSON": packets(b"[" * 100_000),
    "an integer of 5,000 digits": packets(b"9" * 5_000),
    "a message without an end": [struct.pack(">Q?", 1, False) + b"x" * PIECE] * (MAX_BYTES // PIECE + 2),
    "nothing to do": packets(b"{}"),
    "a reply to nothing": packets(b'{"do":"reply","values":[1],"rows":[]}'),
    "a call of nothing": packets(b'{"do":"call"}'),
    "the lab under test": call([1], lab="10.5", name="to_line"),
    "a later lab": call(["/etc/passwd"], lab="10.7", name="read_with_status"),
    "a method": call([1], lab="10.3", name="InMemorySessionStore.append"),
    "no task": call([1], name="MAX_DEPTH"),
    "a dunder": call([1], name="__builtins__"),
    "a name that is a list": call([1], name=[]),
    "more names than values": call([1], named=["a", "b"]),
    "names that are numbers": call([1], named=[1]),
    "a lie among the values": call([[0]], []),
    "more bytes than a call may hold": call([[0]], [["bytearray", None, 300 * 2**20]]),
    "a copy that never ends": call([[0]], [*DOUBLED, ["list", None]]),
    "a key that is deeper than the stack": call([[200_001]], [*DEEP_KEY, ["tuple", None], ["dict", None, [0], 1]]),
    "too many calls in the hash of one": call(
        [[0]], [["dict", None, *(part for number in range(60_000) for part in (number * (2**61 - 1), 0))]]
    ),
}


def send(end: socket.socket, hostile: list[bytes]) -> None:
    for packet in hostile:
        try:
            end.send(packet)
        except OSError:
            return


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_what_is_hostile_ends_its_own_connection_and_no_other(
    oracle: Oracle, standin: Get, hostile: list[bytes]
) -> None:
    assert standin("10.2", "number")(1) == 1
    with connect(oracle.descriptor, find_lab("10.5")) as end:
        end.settimeout(20)
        send(end, hostile)
        with contextlib.suppress(ConnectionResetError):
            assert end.recv(1) == b""
    assert standin("10.2", "number")(2) == 2


def test_nobody_waits_for_who_says_half_of_something_or_reads_no_answer(oracle: Oracle, standin: Get) -> None:
    with connect(oracle.descriptor, find_lab("10.5")) as half, connect(oracle.descriptor, find_lab("10.5")) as deaf:
        half.send(struct.pack(">Q?", 1, False) + b'{"do"')
        deaf.setblocking(False)
        send(deaf, call(["x" * MAX_BYTES])[:1] + packets(b'{"do":"describe"}') * 1_000)
        assert standin("10.2", "number")(1) == 1


def test_a_descriptor_that_is_passed_is_dropped(oracle: Oracle) -> None:
    ours, theirs = socket.socketpair()
    with ours, connect(oracle.descriptor, find_lab("10.5")) as end:
        with theirs:
            socket.send_fds(end, packets(b'{"do":"describe"}'), [theirs.fileno()])
        end.recv(PIECE)
        assert select.select([ours], [], [], 10)[0]
        assert ours.recv(1) == b""


def children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text("utf-8").split()]


def test_nothing_is_left_of_a_connection_that_was_closed() -> None:
    before = children(os.getpid())
    with Oracle(TREE) as oracle:
        (process,) = set(children(os.getpid())) - set(before)
        for _ in range(3):
            with StandIns(oracle) as standins:
                assert standins.get("10.2", "number")(1) == 1
        while children(process):  # the dead among them, too
            os.sched_yield()


def test_a_connection_that_is_gone_is_said(oracle: Oracle) -> None:
    connection = Connection(connect(oracle.descriptor, find_lab("10.5")))
    assert connection.ask("10.2", "number", (1,), {}) == 1
    with pytest.raises(NoAnswerError, match="closed, or a call took too long or too much memory"):
        connection.ask("10.2", "json_value", ([doubled()],), {})
    with pytest.raises(NoAnswerError, match="don't answer any more"):
        connection.ask("10.2", "number", (1,), {})
    connection.close()


def doubled() -> object:
    value: list[Any] = []
    for _ in range(90):
        value = [value, value]
    return value


def test_an_oracle_ends_with_its_block() -> None:
    with Oracle(TREE) as ended:
        end = connect(ended.descriptor, find_lab("10.3"))
    with end:
        assert end.recv(1) == b""


def test_a_reference_that_can_not_be_loaded_is_said(tmp_path: Path) -> None:
    with (
        pytest.raises(OracleError, match=r"the reference could not be loaded: (?s:.)*No module named"),
        Oracle(tmp_path),
    ):
        pass


def test_an_oracle_that_has_ended_is_said() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    with ours, pytest.raises(OracleError, match="the oracle has ended"):
        connect(ours.fileno(), find_lab("10.5"))

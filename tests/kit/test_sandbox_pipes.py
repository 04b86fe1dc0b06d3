"""What hostile code does with the pipes of a jail: nobody is kept waiting, and nothing is taken for more than it is."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from kit.jails import IN_A_SANDBOX, LIMITS, WAYS, Way
from scaffold.classroom.sandbox.inmate import Send

pytestmark = [*IN_A_SANDBOX, pytest.mark.timeout(30)]


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    way.skip_if_it_can_not_be()
    return way


def print_for_ever(_send: Send) -> None:
    while True:
        print("x" * 1_000)


def report_for_ever(send: Send) -> None:
    while True:
        send(b"x" * 1_000)


def report_at_once(send: Send) -> None:
    send(b"x" * (2 * LIMITS.reports))


@pytest.mark.parametrize("action", [print_for_ever, report_for_ever, report_at_once])
def test_output_has_an_end(way: Way, action: Callable[[Send], None]) -> None:
    end = way.run(lambda _scratch, send: action(send))
    assert end.how == "output"
    assert len(end.printed) <= LIMITS.printed + 1
    assert sum(map(len, end.reports)) <= LIMITS.reports + 65_536


@pytest.mark.parametrize(
    ("garbage", "reports"),
    [
        pytest.param(b"no frame at all", (b"honest",), id="no frame"),
        pytest.param(struct.pack(">cI", b"r", 2**32 - 1) + b"little", (b"honest",), id="a frame that is not all there"),
        pytest.param(b"r", (b"honest",), id="half a head"),
        pytest.param(struct.pack(">cI", b"z", 4) + b"lies", (b"honest",), id="a frame of no kind"),
        pytest.param(struct.pack(">cI", b"x", 4) + b"lies", (b"honest", b"later"), id="as if it had not started"),
        pytest.param(struct.pack(">cI", b"e", 0), (b"honest", b"later"), id="as if it had ended"),
    ],
)
def test_garbage_in_the_pipe_harms_nobody(way: Way, garbage: bytes, reports: tuple[bytes, ...]) -> None:
    def target(_scratch: Path, send: Send) -> None:
        send(b"honest")
        os.write(3, garbage)
        send(b"later")
        os._exit(5)

    end = way.run(target)
    assert (end.how, end.reports) == ("exit 5", reports)


def test_the_pipes_can_not_be_read_by_who_writes_to_them(way: Way) -> None:
    def target(_scratch: Path, send: Send) -> None:
        send(b"before")
        for number in range(1, 64):
            with pytest.raises(OSError, match="Bad file descriptor"):
                os.read(number, 1)
        send(b"after")

    assert way.run(target).reports == (b"before", b"after")

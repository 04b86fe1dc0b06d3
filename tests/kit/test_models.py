"""Both stores do what one small model says, whatever order things are asked for in, and without anybody waiting."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from scaffold.given.errors import NeedsRepairError
from scaffold.given.samples import metadata_entry
from solutions import InMemorySessionStore, JsonlSessionStore

pytestmark = pytest.mark.timeout(300)

IDS = st.sampled_from(["a", "b", "c", "道"])
PARENTS = st.one_of(st.none(), IDS)
FAULT = OSError(28, "No space left on device")


class MemoryIO:
    """A file in memory, whose writes and reads take their time, half by half, so that others can look in between."""

    def __init__(self) -> None:
        self.data = b""
        self.fails = False

    async def ensure_file(self, path: Path) -> None:
        pass

    async def read_file(self, _path: Path) -> bytes:
        await asyncio.sleep(0)
        return self.data

    async def append_file(self, _path: Path, data: bytes) -> None:
        half = len(data) // 2
        self.data += data[:half]
        await asyncio.sleep(0)
        if self.fails:
            raise FAULT
        self.data += data[half:]


class Model:
    """The entries that were taken, in order; and whether the writer has met a fault, or a torn tail."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.refusal = ""  # "fault" or "needs repair", for all that comes

    def append(self, entry: Any, *, fails: bool) -> str:
        ids = {known["id"] for known in self.entries}
        if self.refusal:
            return self.refusal
        if entry["id"] in ids or entry["parentId"] not in ids | {None}:
            return "refused"
        if fails:
            self.refusal = "fault"
            return "fault"
        self.entries.append(copy.deepcopy(entry))
        return "appended"

    def read(self) -> Any:
        return "fault" if self.refusal == "fault" else copy.deepcopy(self.entries)


class StoreMachine(RuleBasedStateMachine):
    """Calls a store in random order, and compares what comes of it with the model, which is asked at the call."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.model = Model()
        self.expected: list[tuple[asyncio.Future[Any], Any]] = []
        self.store: Any = self.run(self.opened())

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    async def opened(self) -> Any:
        return InMemorySessionStore()

    def fails_from_now_on(self) -> bool:
        return False

    @rule(entry_id=IDS, parent=PARENTS, value=st.lists(st.integers(0, 9), max_size=2))
    def append(self, entry_id: str, parent: str | None, value: list[int]) -> None:
        entry: Any = metadata_entry(entry_id, parent, "note", [[*value]])
        expected = self.model.append(entry, fails=self.fails_from_now_on())

        async def call() -> asyncio.Future[None]:
            outcome: asyncio.Future[None] = self.store.append(entry)
            entry["value"][0].append("too late")
            return outcome

        self.expected.append((self.run(call()), expected))

    @rule(bad=st.sampled_from([None, {}, {"id": "a"}, {1, 2}]))
    def append_what_is_no_entry(self, bad: Any) -> None:
        async def call() -> tuple[asyncio.Future[None], str]:
            ready = getattr(self.store, "state", "ready") == "ready"  # whether a fault is known by now
            return self.store.append(bad), "refused" if ready else self.model.refusal

        self.expected.append(self.run(call()))

    @rule()
    def read(self) -> None:
        async def call() -> asyncio.Future[Any]:
            reading: asyncio.Future[Any] = asyncio.ensure_future(self.store.entries())
            await asyncio.sleep(0)  # now it has its place in the queue
            return reading

        self.expected.append((self.run(call()), self.model.read()))

    @rule()
    def let_others_run(self) -> None:
        self.run(asyncio.sleep(0))

    @rule(which=st.integers(0, 20))
    def cancel_a_caller(self, which: int) -> None:
        if which < len(self.expected):
            outcome, _ = self.expected[which]
            if outcome.cancel():
                del self.expected[which]

    @rule()
    def settle(self) -> None:
        """Wait for everything, and compare."""
        for outcome, expected in self.expected:
            actual = self.run(result_of(outcome))
            assert actual == expected
            if isinstance(actual, list):
                actual.append("a reader may change its copy")
        self.expected.clear()

    def teardown(self) -> None:
        self.settle()
        assert self.run(result_of(self.store.entries())) == self.model.read()
        self.loop.close()


class JsonlStoreMachine(StoreMachine):
    """The same with a file, which may begin to fail, and which another store may open."""

    def __init__(self) -> None:
        self.io = MemoryIO()
        super().__init__()

    async def opened(self) -> Any:
        return await JsonlSessionStore.open("nowhere", self.io)

    def fails_from_now_on(self) -> bool:
        return self.io.fails

    @rule()
    def begin_to_fail(self) -> None:
        self.settle()
        self.run(self.store.drain())
        self.io.fails = True

    @rule()
    def reopen(self) -> None:
        self.settle()
        self.run(self.store.drain())
        self.io.fails = False
        self.store = self.run(self.opened())
        torn = self.io.data != b"" and not self.io.data.endswith(b"\n")
        self.model.refusal = "needs repair" if torn else ""

    @rule()
    def repair(self) -> None:
        self.settle()
        self.run(self.store.drain())
        self.io.data = self.io.data[: self.io.data.rfind(b"\n") + 1]

    @invariant()
    def the_file_has_whole_lines_only_while_it_is_ready(self) -> None:
        if not self.expected:
            self.run(self.store.drain())
            whole = not self.io.data or self.io.data.endswith(b"\n")
            assert whole or self.store.state != "ready"


async def result_of(outcome: Any) -> Any:
    try:
        result = await outcome
    except OSError as error:
        return "fault" if error is FAULT else f"another error: {error!r}"
    except NeedsRepairError:
        return "needs repair"
    except ValueError:
        return "refused"
    return "appended" if result is None else result


SETTINGS = settings(
    max_examples=150,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
TestInMemorySessionStore = StoreMachine.TestCase
TestInMemorySessionStore.settings = SETTINGS
TestJsonlSessionStore = JsonlStoreMachine.TestCase
TestJsonlSessionStore.settings = SETTINGS

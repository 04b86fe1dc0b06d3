"""Over stand-ins each function of the labs beneath another does what the reference's own does."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from kit.test_oracle_wire import exact
from scaffold.classroom.oracle.oracle import Oracle, connect
from scaffold.classroom.oracle.questions import beneath, functions_of
from scaffold.classroom.oracle.standin import Connection, attribute
from scaffold.classroom.oracle.wire import MAX_PARTS
from scaffold.course import LABS, REFERENCE, find_lab
from scaffold.given.errors import EntryError
from scaffold.given.samples import chapter_session, metadata_entry
from scaffold.grading.tree import Tree

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the oracle needs Linux"), pytest.mark.timeout(30)]
assert REFERENCE is not None
TREE: Path = REFERENCE
LOADED = {lab.number: Tree(TREE).load(lab) for lab in LABS}
Get = Callable[[str, str], Callable[..., Any]]  # returns a function of a lab
Asked = Callable[[Get], Any]
LINES = "".join(json.dumps(entry) + "\n" for entry in chapter_session())
ENTRIES = chapter_session()
NOTE: dict[str, Any] = {**metadata_entry("n", "a", "label", 1)}


class StandIns:
    """Connections through which each function can be asked for that any lab may ask for."""

    def __init__(self, oracle: Oracle) -> None:
        self._lines = {number: Connection(connect(oracle.descriptor, find_lab(number))) for number in ("10.6", "10.7")}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for line in self._lines.values():
            line.close()

    def get(self, lab: str, name: str) -> Callable[..., Any]:
        line = self._lines["10.6" if lab == "10.1" else "10.7"]
        return lambda *arguments, **named: line.ask(lab, name, arguments, named)


@pytest.fixture(scope="module")
def standin() -> Iterator[Get]:
    with Oracle(TREE) as oracle, StandIns(oracle) as standins:
        yield standins.get


def direct(lab: str, name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(LOADED[lab], name)
    return function


def facts_of(error: BaseException | None) -> object:
    """Return all facts of an error, and of its causes."""
    if error is None:
        return None
    return exact(error), str(error), vars(error), error.__suppress_context__, facts_of(error.__cause__)


def outcome(call: Callable[[], Any]) -> object:
    try:
        return "returned", exact(call())
    except Exception as error:
        return "raised", facts_of(error)


class Ids:
    """A container that has `in` and nothing else."""

    def __contains__(self, name: object) -> bool:
        return name == "a"


class Plain(dict[str, Any]):
    pass


def each(name: str, *values: object) -> list[Asked]:
    """Return calls of a function of lab 10.2, one with each of these values."""
    return [partial(_call, name, value) for value in values]


def _call(name: str, value: object, get: Get) -> object:
    return get("10.2", name)(value)


ODD_KEY: dict[Any, Any] = {5: 5}
CYCLE: dict[str, Any] = metadata_entry("c", None, "k", [])  # type: ignore[assignment]
CYCLE["value"].append(CYCLE["value"])
CALLS: dict[str, list[Asked]] = {
    "10.1 index_by_id": [
        lambda f: f("10.1", "index_by_id")(ENTRIES),
        lambda f: f("10.1", "index_by_id")(entry for entry in ENTRIES),
        lambda f: f("10.1", "index_by_id")(deque(ENTRIES)),
        lambda f: f("10.1", "index_by_id")([*ENTRIES, ENTRIES[0]]),
        lambda f: f("10.1", "index_by_id")([Plain(id="a")]),
        lambda f: f("10.1", "index_by_id")(5),
    ],
    "10.1 parent_of": [
        lambda f: f("10.1", "parent_of")(ENTRIES[1]),
        lambda f: f("10.1", "parent_of")({"id": "x"}),
        lambda f: f("10.1", "parent_of")({"parentId": 5}),
        lambda f: f("10.1", "parent_of")(object()),
    ],
    "10.1 path_to": [
        lambda f: f("10.1", "path_to")(ENTRIES, "r"),
        lambda f: f("10.1", "path_to")(entries=ENTRIES, leaf_id="nobody"),
        lambda f: f("10.1", "path_to")([{"id": "x", "parentId": None, "odd": (1, {2}, b"", 1.5)}], "x"),
        lambda f: f("10.1", "path_to")([{"id": "x", "parentId": None, "odd": Plain(a=[1])}], "x"),
        lambda f: f("10.1", "path_to")([{"id": "x", "parentId": "y"}, {"id": "y", "parentId": "x"}], "x"),
    ],
    "10.2 string": each("string", "é", "\ud800", b"", None),
    "10.2 name": each("name", "a", " ", 5),
    "10.2 name_or_null": each("name_or_null", "a", None, ""),
    "10.2 word": [
        lambda f: f("10.2", "word")("a", ["a", "b"]),
        lambda f: f("10.2", "word")("c", ("a", "b")),
        lambda f: f("10.2", "word")("c", dict.fromkeys("ab")),
        lambda f: f("10.2", "word")("c", dict.fromkeys("ab").keys()),
        lambda f: f("10.2", "word")("c", 5),
    ],
    "10.2 number": each("number", 1, 1.0, -0.0, True, float("nan"), 10**400, -(10**300), "1", 1j),
    "10.2 amount": each("amount", 0, -0.5),
    "10.2 boolean": each("boolean", True, 1),
    "10.2 array": [
        lambda f: f("10.2", "array")([1, 2], f("10.2", "number")),
        lambda f: f("10.2", "array")([1, "2"], f("10.2", "number")),
        lambda f: f("10.2", "array")([1, 2], lambda item: {"item": item}),
        lambda f: f("10.2", "array")([0], lambda item: 1 / item),
        lambda f: f("10.2", "array")((1,), f("10.2", "number")),
        lambda f: f("10.2", "array")([1], None),
    ],
    "10.2 record": [
        lambda f: f("10.2", "record")({"a": 1}, {"a": f("10.2", "number")}),
        lambda f: f("10.2", "record")({"a": [""]}, {"a": lambda item: f("10.2", "array")(item, f("10.2", "name"))}),
        lambda f: f("10.2", "record")({}, {"a": f("10.2", "number")}),
        lambda f: f("10.2", "record")({(1,): 1}, {}),
        lambda f: f("10.2", "record")(Plain(), {}),
    ],
    "10.2 variant": [
        lambda f: f("10.2", "variant")({"t": "x"}, "t", {"x": {"t": f("10.2", "string")}}),
        lambda f: f("10.2", "variant")({"t": "y"}, tag="t", variants={"x": {"t": f("10.2", "string")}}),
    ],
    "10.2 json_value": [
        lambda f: f("10.2", "json_value")({"a": [None, True, 1, 0.5, "x", {}]}),
        lambda f: f("10.2", "json_value")([{1, 2}]),
        lambda f: f("10.2", "json_value")({"\ud800": 1}),
        lambda f: f("10.2", "json_value")(CYCLE["value"]),
        lambda f: f("10.2", "json_value")(json.loads("[" * 101 + "]" * 101)),
    ],
    "10.2 parse_session_entry": [
        *each("parse_session_entry", *ENTRIES, Plain(NOTE), CYCLE, {**NOTE, "value": {1}}, {**NOTE, "id": ""}),
        *each("parse_session_entry", {**NOTE, "type": Plain()}, NOTE | ODD_KEY, {**NOTE, "value": object()}),
        lambda f: f("10.2", "parse_session_entry")(),
    ],
    "10.3 check_place": [
        lambda f: f("10.3", "check_place")(NOTE, ["a"]),
        lambda f: f("10.3", "check_place")(NOTE, committed={"a": 1}),
        lambda f: f("10.3", "check_place")(NOTE, {"a": [None] * MAX_PARTS}),
        lambda f: f("10.3", "check_place")(NOTE, Ids()),
        lambda f: f("10.3", "check_place")({**NOTE, "id": "a"}, Ids()),
        lambda f: f("10.3", "check_place")(NOTE, set()),
        lambda f: f("10.3", "check_place")({**NOTE, "id": "a"}, {"a"}),
        lambda f: f("10.3", "check_place")({**NOTE, "parentId": "a"}, frozenset("ab")),
        lambda f: f("10.3", "check_place")({**NOTE, "id": "a"}, {"a", 5}),
        lambda f: f("10.3", "check_place")({**NOTE, "id": "7"}, {str(number) for number in range(100)}),
        lambda f: f("10.3", "check_place")(NOTE, 5),
        lambda f: f("10.3", "check_place")({}, set()),
    ],
    "10.4 is_blank": [lambda f: f("10.4", "is_blank")(" \t\r"), lambda f: f("10.4", "is_blank")("\xa0")],
    "10.4 unique_keys": [
        lambda f: f("10.4", "unique_keys")([("a", 1), ("b", [])]),
        lambda f: f("10.4", "unique_keys")([("a", 1), ("a", 2)]),
    ],
    "10.4 parse_line": [
        lambda f: f("10.4", "parse_line")(LINES.splitlines()[0], 1),
        lambda f: f("10.4", "parse_line")("BAD", 7),
        lambda f: f("10.4", "parse_line")("9" * 5_000, 7),
        lambda f: f("10.4", "parse_line")('{"id":"a","id":"b"}', 7),
        lambda f: f("10.4", "parse_line")('{"id": 5}', 7),
    ],
    "10.4 recover_jsonl": [
        lambda f: f("10.4", "recover_jsonl")(LINES + "{"),
        lambda f: f("10.4", "recover_jsonl")(LINES * 100),
        lambda f: f("10.4", "recover_jsonl")("\n[]\n"),
    ],
    "10.5 to_line": [lambda f: f("10.5", "to_line")(NOTE), lambda f: f("10.5", "to_line")({"x": float("nan")})],
    "10.5 recover_bytes": [
        lambda f: f("10.5", "recover_bytes")(LINES.encode() + b"\xff"),
        lambda f: f("10.5", "recover_bytes")(bytearray(LINES.encode())),
        lambda f: f("10.5", "recover_bytes")(b"\xff\n"),
        lambda f: f("10.5", "recover_bytes")("text"),
    ],
    "10.5 as_fault": [
        lambda f: f("10.5", "as_fault")(OSError(28, "full")),
        lambda f: f("10.5", "as_fault")(StopIteration(1)),
        lambda f: f("10.5", "as_fault")(KeyboardInterrupt()),
    ],
}


@pytest.mark.parametrize("calls", CALLS.values(), ids=CALLS)
def test_a_function_does_over_stand_ins_what_it_does_directly(standin: Get, calls: list[Asked]) -> None:
    assert [outcome(partial(call, standin)) for call in calls] == [outcome(partial(call, direct)) for call in calls]


def test_each_function_that_may_be_asked_for_is_in_the_table() -> None:
    lower = {each.number: each for lab in LABS for each in beneath(lab)}
    assert {f"{lab.number} {name}" for lab in lower.values() for name in functions_of(lab)} == set(CALLS)


@pytest.mark.parametrize("get", ["direct", "standin"])
def test_an_object_that_is_handed_on_is_the_same(get: str, standin: Get) -> None:
    call = standin if get == "standin" else direct
    error = OSError(28, "full")
    stop = StopIteration()
    assert call("10.1", "index_by_id")(ENTRIES)["a"] is ENTRIES[0]
    assert call("10.1", "path_to")(ENTRIES, "a")[0] is not ENTRIES[0]
    assert call("10.5", "as_fault")(error) is error
    assert call("10.5", "as_fault")(stop).__cause__ is stop
    assert call("10.2", "array")([ENTRIES], lambda item: item)[0] is ENTRIES
    with pytest.raises(KeyError) as raised:
        call("10.2", "array")([1], check=lambda _: NOTE["the original"])
    assert raised.traceback[-1].frame.code.path == Path(__file__)


def test_a_module_of_stand_ins_has_the_functions_and_nothing_else() -> None:
    assert attribute("tree_1.lab_10_3.session", "check_place").__name__ == "check_place"
    assert attribute("tree_1.lab_10_3.session", "__all__") == ["check_place"]
    with pytest.raises(
        AttributeError, match=r"lab 10\.3 has no InMemorySessionStore for later labs; it has check_place"
    ):
        attribute("tree_1.lab_10_3.session", "InMemorySessionStore")


def test_an_error_of_the_course_is_one_on_both_sides(standin: Get) -> None:
    def refuse(_item: object) -> object:
        raise EntryError("is odd", "inner")

    with pytest.raises(EntryError) as raised:
        standin("10.2", "array")([1], refuse)
    assert str(raised.value) == "entry[0].inner is odd"

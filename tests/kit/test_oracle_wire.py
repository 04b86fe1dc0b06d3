"""What leaves the sandbox arrives as it was, or as something inert of the same name; and lies are no values at all."""

from __future__ import annotations

import enum
import json
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable
from typing import Any

import pytest

from scaffold.classroom.oracle.received import MalformedError, Received
from scaffold.classroom.oracle.wire import MAX_BYTES, MAX_PARTS, Sent, TooLargeError
from scaffold.given.errors import EntryError

NAN = float("nan")
DEEP: list[Any] = []
for _ in range(20_000):
    DEEP = [DEEP]


def arrived(value: object, ask_back: Callable[..., Any] | None = None) -> Any:
    received = Received(ask_back or (lambda *asked: pytest.fail(f"asked for {asked}")))
    (result,) = received.take(json.loads(Sent().message([value])))
    return result


def exact(value: object) -> object:
    """Return what says of a value all that matters, types among it."""
    kind = type(value).__name__
    if isinstance(value, dict):
        return kind, [(exact(key), exact(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return kind, [exact(item) for item in value]
    if isinstance(value, set | frozenset):
        return kind, {repr(exact(item)) for item in value}
    if isinstance(value, BaseException):
        return kind, exact(value.args)
    return kind, repr(value)


SURVIVING = {
    "nothing": None,
    "True": True,
    "1": 1,
    "1.0": 1.0,
    "-0.0": -0.0,
    "the smallest number": 5e-324,
    "infinity": float("-inf"),
    "NaN": NAN,
    "the largest small integer": 2**63 - 1,
    "the least large integer": 2**63,
    "a large negative integer": -(2**63),
    "an integer of 30,000 digits": 10**3_000,
    "an empty text": "",
    "any text": 'a\n"\\\0 é 道 🛣️ \u2028',
    "a lone surrogate": "a\ud800b",
    "two surrogates that are no pair": "\ud83d\ude00",
    "bytes": bytes(range(256)),
    "no bytes": b"",
    "a bytearray": bytearray(b"\xff"),
    "lists and tuples": [(), (1, [2, (3,)]), []],
    "a dict with odd keys": {None: 1, 2: "x", (3, ("a",)): b"", "\ud800": {}, 1.5: ()},
    "sets": [{1, "a"}, frozenset({(1, 2), frozenset({3})})],
    "an error of the course": EntryError("must not be blank", "message", 3),
}


@pytest.mark.parametrize("value", SURVIVING.values(), ids=SURVIVING)
def test_a_value_arrives_with_its_type(value: object) -> None:
    assert exact(arrived(value)) == exact(value)


def test_the_order_of_a_dict_arrives() -> None:
    assert [*arrived({"b": 1, "a": 2})] == ["b", "a"]


def test_what_is_shared_stays_shared_and_what_is_equal_stays_apart() -> None:
    shared: list[Any] = []
    first, again, equal, (inner,) = arrived([shared, shared, [], (shared,)])
    assert first is again is inner
    assert equal is not first


def test_a_cycle_arrives() -> None:
    cycle: list[Any] = [1]
    cycle.append((cycle, {"self": cycle}))
    result = arrived(cycle)
    assert result[1][0] is result
    assert result[1][1]["self"] is result


def test_depth_arrives() -> None:
    value, depth = arrived(DEEP), 0
    while value:
        (value,), depth = value, depth + 1
    assert depth == 20_000


def test_deep_tuples_arrive() -> None:
    value: Any = ()
    for _ in range(5_000):
        value = (value, value)
    result, depth = arrived(value), 0
    while result:
        assert result[0] is result[1]
        result, depth = result[0], depth + 1
    assert depth == 5_000


class Liar:
    """Says that it is a str, equal to everything, and ends whoever asks for more."""

    __class__ = str  # type: ignore[assignment]

    def __eq__(self, _other: object) -> bool:
        return True

    def __hash__(self) -> int:
        raise SystemExit

    def __getattribute__(self, name: str) -> Any:
        raise SystemExit(name)


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise SystemExit

    __len__ = __iter__ = __eq__ = __str__  # type: ignore[assignment]
    __hash__ = str.__hash__


class Items(list[Any]):
    def __iter__(self) -> Any:
        raise SystemExit


class Pairs(dict[Any, Any]):
    def items(self) -> Any:
        raise SystemExit


class Code(enum.IntEnum):
    ONE = 1


class OddError(ValueError):
    def __str__(self) -> str:
        raise SystemExit


Point = namedtuple("Point", "x y")  # noqa: PYI024 (as students write it)

INERT = {
    "an object": (object(), "object", object),
    "a liar": (Liar(), "Liar", object),
    "a class": (Liar, "type", object),
    "a function": (arrived, "function", object),
    "a complex number": (1j, "complex", object),
    "a deque": (deque([1]), "deque", object),
    "a text of a subclass": (Text("text"), "Text", str),
    "an enumeration": (Code.ONE, "Code", int),
    "a list of a subclass": (Items([1]), "Items", list),
    "a dict of a subclass": (Pairs(a=1), "Pairs", dict),
    "an ordered dict": (OrderedDict(a=1), "OrderedDict", dict),
    "a named tuple": (Point(1, 2), "Point", tuple),
    "an error of a subclass": (OddError(1), "OddError", ValueError),
    "an error": (OSError(28, "full"), "OSError", OSError),
    "an exit": (SystemExit(3), "SystemExit", SystemExit),
}


@pytest.mark.parametrize(("value", "name", "base"), INERT.values(), ids=INERT)
def test_any_other_object_becomes_an_inert_one_of_the_same_name_and_base(value: Any, name: str, base: type) -> None:
    result = arrived({"key": value})["key"]
    assert type(result).__name__ == name
    assert isinstance(result, base)
    assert type(result) is not type(value) or value.__class__ is object


@pytest.mark.parametrize(
    ("value", "content"),
    [(Text("text"), "text"), (Items([1, "2"]), [1, "2"]), (Pairs(a=1), {"a": 1}), (Point(1, 2), (1, 2)), (Code.ONE, 1)],
    ids=["text", "list", "dict", "tuple", "int"],
)
def test_what_is_in_an_instance_of_a_subclass_arrives(value: object, content: object) -> None:
    assert arrived(value) == content


def test_an_object_with_methods_asks_back() -> None:
    asked: list[Any] = []

    def ask_back(ability: str, number: int, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        asked.append((ability, number, arguments, named))
        return [True]

    function, container = arrived([len, deque()], ask_back)
    assert function(1, key=2) == [True]
    assert ("a" in container) is True
    assert [*container] == [True]
    assert asked == [("call", 1, (1,), {"key": 2}), ("contains", 2, ("a",), {}), ("iterate", 2, (), {})]


@pytest.mark.parametrize("value", ["x" * MAX_BYTES, [None] * MAX_PARTS], ids=["bytes", "values"])
def test_more_than_a_message_may_hold_is_refused_before_it_is_sent(value: object) -> None:
    with pytest.raises(TooLargeError, match=r"(bytes; the limit is|values)"):
        Sent().message([value])


LIES: dict[str, tuple[Any, Any]] = {
    "no list of values": ({}, []),
    "no list of rows": ([], 5),
    "a row that is none": ([[0]], [5]),
    "an empty row": ([[0]], [[]]),
    "a kind that is none": ([[0]], [["eval", None, "1"]]),
    "a row that is not there": ([[1]], [["list", None]]),
    "a negative row": ([[-1]], [["list", None]]),
    "a row with a name for a number": ([["x"]], [["list", None]]),
    "True for a number": ([[True]], [["list", None], ["list", None]]),
    "an object for a value": ([{"x": 1}], []),
    "a value of three": ([["s", "", ""]], []),
    "a value of no kind": ([["z", ""]], []),
    "no base64": ([["b", "???"]], []),
    "no UTF-8": ([["s", "/w=="]], []),
    "no hex": ([["i", "0xg"]], []),
    "a tuple in itself": ([[0]], [["tuple", None, [0]]]),
    "tuples in one another": ([[0]], [["tuple", None, [1]], ["frozenset", None, [0]]]),
    "a list as a key": ([[0]], [["dict", None, [1], 1], ["list", None]]),
    "a key without a value": ([[0]], [["dict", None, 1]]),
    "a list in a set": ([[0]], [["set", None, [1]], ["list", None]]),
    "a name that is none": ([[0]], [["object", 5]]),
    "a name with a NUL": ([[0]], [["object", "a\0b"]]),
    "an ability that is none": ([[0]], [["object", "X", "__del__"]]),
    "an error of no class": ([[0]], [["error", "X", "type"]]),
    "an error of the course without arguments": ([[0]], [["error", "LineError", "LineError"]]),
    "a text in a scalar that is no number": ([[0]], [["int", "X", "one"]]),
    "too many values": ([0] * (MAX_PARTS + 200), []),
}


@pytest.mark.parametrize(("values", "rows"), LIES.values(), ids=LIES)
def test_a_lie_is_no_value(values: object, rows: object) -> None:
    with pytest.raises(MalformedError):
        Received(lambda *_: None).take({"values": values, "rows": rows})

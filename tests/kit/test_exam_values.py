"""What the driver says of a value is exact, and no value is asked anything."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from scaffold.classroom.exam.recipes import MADE, build
from scaffold.classroom.exam.reports import Objects, error_report
from scaffold.classroom.exam.values import MAX_DEPTH, change, encode, sharing

LOOP: list[Any] = [1]
LOOP.append(LOOP)
OTHER_LOOP: list[Any] = [[1]]
OTHER_LOOP[0].append(OTHER_LOOP)

# Values that Python or JSON could take for one another; no two of them may look the same.
DIFFERENT: dict[str, Any] = {
    "None": None,
    "True": True,
    "1": 1,
    "1.0": 1.0,
    "the text 1": "1",
    "0": 0,
    "0.0": 0.0,
    "-0.0": -0.0,
    "False": False,
    "an empty list": [],
    "an empty tuple": (),
    "an empty dict": {},
    "an empty set": set(),
    "an OrderedDict": OrderedDict(),
    "NaN": float("nan"),
    "infinity": float("inf"),
    "the text nan": "nan",
    "2**63": 2**63,
    "2**63 as a float": float(2**63),
    "10**5000": 10**5000,
    "-10**5000": -(10**5000),
    "a lone surrogate": "\ud83d",
    "a pair of surrogates": "\ud83d\ude00",
    "the character that the pair would be": "\U0001f600",
    "the escape of a surrogate": "\\ud83d",
    "bytes": b"a",
    "other bytes": b"b",
    "a key that is a number": {1: 2},
    "a key that is a text": {"1": 2},
    "a key that is None": {None: 2},
    "a list in itself": LOOP,
    "a list in a list in itself": OTHER_LOOP,
    "a long text": "x" * 5_000,
    "another long text": "x" * 4_999 + "y",
    "a dict that looks like an odd float": {"$": "float", "is": "nan"},
    "a dict that looks like an error": {"$error": {}},
    "Text": MADE["Text"]("1"),
    "IntEnum": MADE["Whole"](None),
    "a subclass of float": MADE["Real"](1),
    "a named tuple": MADE["Pair"]([1, 2]),
    "a subclass of list": MADE["Names"]([]),
    "a function": len,
    "a class": int,
}


def written(value: object) -> str:
    return json.dumps(encode(value), sort_keys=True)


@pytest.mark.parametrize("name", DIFFERENT)
def test_each_value_looks_like_no_other(name: str) -> None:
    alike = [
        other for other, value in DIFFERENT.items() if other != name and written(value) == written(DIFFERENT[name])
    ]
    assert alike == []


@pytest.mark.parametrize("name", DIFFERENT)
def test_each_value_is_told_in_strict_json(name: str) -> None:
    encoded = encode(DIFFERENT[name])
    assert json.loads(json.dumps(encoded, allow_nan=False)) == encoded


def test_plain_json_stands_for_itself() -> None:
    value: Any = {"a": [None, True, 1, 1.5, "道", {"": []}]}
    assert encode(value) == value


def test_the_order_of_keys_means_nothing() -> None:
    assert written({"a": 1, "b": 2}) == written({"b": 2, "a": 1})


def _asked(*_: object) -> NoReturn:
    raise AssertionError("a value was asked for something")


ALL_QUESTIONS = (
    *("__eq__", "__len__", "__bool__", "__repr__", "__str__", "__format__", "__getattr__", "__getattribute__"),
    *("__contains__", "__getitem__", "__iter__", "items", "keys", "encode", "__float__", "__index__", "__reduce_ex__"),
)


def liar_of(kind: type) -> Any:
    """Return an instance of a subclass that fails whoever asks it for anything, even for its class."""
    methods = dict.fromkeys(ALL_QUESTIONS, _asked)
    return type("Liar", (kind,), {**methods, "__hash__": kind.__hash__, "__class__": property(_asked)})()


class Meta(type):
    """A class of classes that lie about themselves."""

    def __getattribute__(cls, name: str) -> NoReturn:
        raise AssertionError(f"a class was asked for {name}")


def lying() -> Any:
    return Meta("Lying", (), {})()


def endless() -> Iterator[int]:
    while True:
        yield 1


LIARS: dict[str, Callable[[], Any]] = {
    "an object": lambda: liar_of(object),
    "an object of a class that lies": lying,
    "an endless generator": endless,
    "a text": lambda: liar_of(str),
    "an integer": lambda: liar_of(int),
    "a float": lambda: liar_of(float),
    "a list": lambda: liar_of(list),
    "a dict": lambda: liar_of(dict),
    "a tuple": lambda: liar_of(tuple),
    "bytes": lambda: liar_of(bytes),
}


@pytest.mark.parametrize("name", LIARS)
def test_no_value_is_asked_for_anything(name: str) -> None:
    liar = LIARS[name]()
    value = [liar, {"key": liar}]
    assert [encode(liar)["$"], encode(value)[1]["key"]["$"]] == ["object", "object"]
    assert sharing([value, [liar]]) == []
    change(value, [(1.0 - 1e-9, "put", 1)])
    assert value[1] == {"key": 1}


def test_a_class_can_not_lie_about_its_name() -> None:
    assert encode(lying())["type"] == "Lying"


def test_a_key_that_lies_is_not_compared_with() -> None:
    assert encode({MADE["Text"]("a"): 1})["$"] == "dict"


def test_depth_and_size_have_a_limit() -> None:
    deep = build({"$": "nested", "depth": 20_000, "of": 1})
    assert "deep" in written(deep)
    assert written(build({"$": "nested", "depth": MAX_DEPTH, "of": 1})).count("in") == MAX_DEPTH // 2
    keys = dict.fromkeys([f"{number:03000}" for number in range(5_000)], 0)
    many: list[Any] = [[[]] * 200_000, dict.fromkeys(map(str, range(200_000)), 0), ["x" * 4_000] * 10_000, keys]
    for large in many:
        assert len(written(large)) < 4_000_000


def test_sharing_tells_which_values_share_a_part() -> None:
    part: list[Any] = [[]]
    assert sharing([[part], {"a": {"b": part[0]}}, [[]]]) == [[0, 1]]
    assert sharing([[part, part]]) == [[0, 0]]
    assert sharing([[1, "a", ()], [1, "a", ()]]) == []


CHANGES = {
    "the outermost list": ([[1], {"a": 2}], (0.0, "add", "x"), [[1], {"a": 2}, "x"]),
    "a child of it": ([[1], {"a": 2}], (0.0, "put", "x"), [[1], "x"]),
    "a list inside": ([[1], {"a": 2}], (0.4, "put", "x"), [["x"], {"a": 2}]),
    "a dict inside": ([[1], {"a": 2}], (0.9, "put", "x"), [[1], {"a": "x"}]),
    "a key that is dropped": ([[1], {"a": 2}], (0.9, "drop", "x"), [[1], {}]),
    "an item that is dropped": ([[1], {"a": 2}], (0.4, "drop", "x"), [[], {"a": 2}]),
    "what holds nothing": (7, (0.0, "add", "x"), 7),
    "an empty list": ([], (0.0, "drop", "x"), ["x"]),
}


@pytest.mark.parametrize(("value", "one", "after"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_made_at_its_place(value: Any, one: tuple[float, str, Any], after: Any) -> None:
    change(value, [one])
    assert value == after


def test_a_recipe_makes_one_object_where_it_says_so() -> None:
    part = {"$": "same", "name": "x", "of": [1]}
    one, other = build([part, {"a": part}]), build([part, {"a": part}])
    assert one[0] is one[1]["a"]
    assert one[0] is not other[0]


def test_a_recipe_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError, match="cake"):
        build({"$": "cake"})


class OddError(ValueError):
    """An error with attributes, a text that fails, and a base that is called like a built-in one."""

    def __init__(self) -> None:
        super().__init__("a")
        self.line, self.ids, self.liar = 3, ("a", "b"), LIARS["an object"]()

    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_a_report_of_an_error_has_facts_and_never_fails() -> None:
    report = error_report(OddError())["$error"]
    assert (report["types"], report["text"], report["cause"]) == (
        ["ValueError", "Exception", "BaseException", "object"],
        "",
        None,
    )
    assert report["facts"]["line"] == 3
    assert report["facts"]["ids"] == {"$": "tuple", "items": ["a", "b"]}
    assert report["facts"]["liar"]["$"] == "object"


def test_a_class_that_is_called_like_a_builtin_is_none() -> None:
    fake = type("ValueError", (Exception,), {})
    assert error_report(fake())["$error"]["types"] == ["Exception", "BaseException", "object"]


def test_the_same_error_has_the_same_number() -> None:
    first, second = ValueError("a"), ValueError("a")
    objects = Objects(first)
    numbers = [error_report(error, objects)["$error"]["object"] for error in (second, first, second)]
    assert numbers == [1, 0, 1]

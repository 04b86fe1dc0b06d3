"""Takes pictures apart, to say facts about them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

Attributes = dict[str, str]


def tree_of(svg: str) -> ET.Element:
    """Return a picture as XML. Raises ParseError if it is none."""
    return ET.fromstring(svg)  # noqa: S314 (the course's own)


def elements(svg: str) -> list[tuple[str, Attributes]]:
    """Return the elements of a picture, with their attributes."""
    return [(element.tag.rpartition("}")[2], dict(element.attrib)) for element in tree_of(svg).iter()]


def words_in(svg: str) -> list[tuple[str, Attributes]]:
    """Return the texts of a picture, with their attributes."""
    return [(element.text or "", dict(element.attrib)) for element in tree_of(svg).iter() if element.tag[-4:] == "text"]


def looks(svg: str) -> tuple[tuple[str, str], ...]:
    """Return the shapes of a picture of one entry without their places and colours, and without its legend's."""
    shapes = [(name, attributes) for name, attributes in elements(svg) if name in {"circle", "rect", "path"}]
    first_row = [(name, each) for name, each in shapes[1:] if _height(name, each) < 40]
    return tuple((name, each.get("d", "").partition("l")[2]) for name, each in first_row)


def _height(name: str, attributes: Attributes) -> float:
    if name == "path":
        return float(attributes["d"].split()[1].split("l")[0].split("h")[0])
    return float(attributes["cy" if name == "circle" else "y"])

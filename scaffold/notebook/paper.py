"""A sheet to draw on: SVG with presentation attributes only, so that it looks the same wherever a notebook is shown.

No style sheet, no script, no foreign object, no link: a code host takes these out, or shows nothing at all. The sheet
brings its own light ground along, so it can be read on a dark page too.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

MONO = "DejaVu Sans Mono, Menlo, Consolas, monospace"
COLUMN = 7.83  # pixels that a column of MONO takes at FONT_SIZE
FONT_SIZE = 13
INK, PALE_INK, GROUND, BORDER = "#1d2733", "#5d6b7a", "#fdfcf8", "#d5d2c8"

_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Paper:
    """A sheet `width` pixels wide; `height` may grow until it is asked for."""

    def __init__(self, width: float, title: str) -> None:
        self.width = width
        self.height = 0.0
        self._root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
        ET.SubElement(self._root, "title").text = _allowed(title)
        self._ground = ET.SubElement(
            self._root, "rect", {"x": "0.5", "y": "0.5", "rx": "6", "fill": GROUND, "stroke": BORDER}
        )

    def shape(self, name: str, **attributes: float | str) -> None:
        """Add an element; `stroke_width=2` becomes `stroke-width="2"`."""
        ET.SubElement(self._root, name, {key.replace("_", "-"): _number(value) for key, value in attributes.items()})

    def text(self, x: float, y: float, words: str, **attributes: float | str) -> None:
        """Write one line; `y` is its base line."""
        given = {"x": x, "y": y, "font_family": MONO, "font_size": FONT_SIZE, "fill": INK, **attributes}
        element = ET.SubElement(
            self._root, "text", {key.replace("_", "-"): _number(value) for key, value in given.items()}
        )
        element.set("xml:space", "preserve")
        element.text = _allowed(words)

    def svg(self) -> str:
        """Return the picture as text. The same drawing gives the same text."""
        width, height = _number(self.width), _number(self.height)
        self._root.set("width", width)
        self._root.set("height", height)
        self._root.set("viewBox", f"0 0 {width} {height}")
        self._ground.set("width", _number(self.width - 1))
        self._ground.set("height", _number(self.height - 1))
        return ET.tostring(self._root, encoding="unicode")


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def _allowed(words: str) -> str:
    """Return a text without the characters that no XML may hold."""
    return _NOT_IN_XML.sub("\ufffd", words)

"""What all displays have in common: one mime bundle with three faces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class Display(ABC):
    """Something to show at the end of a cell.

    JupyterLab shows the live widget. A saved notebook, a code host or a page shows the picture, and a terminal or a
    screen reader gets the text. A picture has presentation attributes only; see `paper.py`.
    """

    @abstractmethod
    def svg(self) -> str:
        """Return the picture."""

    @abstractmethod
    def text(self) -> str:
        """Return the same in words, line by line."""

    @abstractmethod
    def widget(self) -> Any:
        """Return the live widget."""

    def __str__(self) -> str:
        return self.text()

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, Any]:
        """Return the faces for IPython, which may ask for some of them."""
        faces: dict[str, Any] = {"text/plain": self.text(), "image/svg+xml": self.svg()}
        faces |= self.widget()._repr_mimebundle_() | faces  # the widget's own text is of no use to anybody
        return {
            kind: face
            for kind, face in faces.items()
            if (include is None or kind in include) and (exclude is None or kind not in exclude)
        }


def scrolled(markup: str, height: int) -> str:
    """Return markup in a box that scrolls when it is higher than `height` pixels, or wider than its place.

    The two widths let the place alone say how wide the box is. Else a picture would widen all that stands around it.
    """
    return f'<div style="width:0; min-width:100%; max-height:{height}px; overflow:auto">{markup}</div>'

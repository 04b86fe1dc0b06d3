"""Takes the answers out of a student's notebook: the cells that `%%lab` would write to a `session.py`."""

from __future__ import annotations

import json
import re
from typing import Any

from scaffold.classroom.members import RefusedError
from scaffold.course import LABS, Lab

_MAGIC = re.compile(r"%%lab[ \t]+(?:--tree(?:=|[ \t]+)\S+[ \t]+)?[\"']?([\d.]+)")
_BY_NUMBER = {lab.number: lab for lab in LABS}


def answers_in(notebook: bytes) -> dict[Lab, bytes]:
    """Return the text of `session.py` for each lab that has a cell: of several cells the last, as when all are run.

    Raises RefusedError for what is no notebook of Jupyter's format 4.
    """
    try:
        cells = json.loads(notebook.decode("utf-8-sig"))["cells"]
        sources = [_source(cell) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise RefusedError("is no notebook that can be read; save it again in JupyterLab") from error
    answers = {}
    for source in sources:
        first, _, rest = source.lstrip().partition("\n")
        magic = _MAGIC.match(first)
        if magic and magic[1] in _BY_NUMBER:
            answers[_BY_NUMBER[magic[1]]] = (rest.rstrip() + "\n").encode("utf-8", "surrogatepass")
    return answers


def _source(cell: Any) -> str:
    """Return the text of a cell, which the format may hold as one string or as its lines."""
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    return text.replace("\r\n", "\n")

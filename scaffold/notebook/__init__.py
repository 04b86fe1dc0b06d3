"""What the notebooks show, and what they run. One import sets a notebook up, `%lab` included.

from scaffold.notebook import BreakIt, FileBytes, SessionTree, TreeExplorer, lab
"""

from __future__ import annotations

import sys

from scaffold.notebook.break_it import BreakIt
from scaffold.notebook.explorer import TreeExplorer
from scaffold.notebook.file_bytes import FileBytes
from scaffold.notebook.live import lab
from scaffold.notebook.tree_picture import SessionTree

__all__ = ["BreakIt", "FileBytes", "SessionTree", "TreeExplorer", "lab"]

if "IPython" in sys.modules:
    from IPython.core.getipython import get_ipython

    if (shell := get_ipython()) is not None:
        from scaffold.notebook.magics import load_into

        load_into(shell)

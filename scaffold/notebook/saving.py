"""What of a notebook is saved: all but the live faces, which point to a kernel that is gone when it is opened."""

from __future__ import annotations

from typing import Any

from scaffold.notebook.faces import WIDGET_VIEW


def leave_out_widgets(notebook: Any) -> None:
    """Take the live face out of each output, so that its picture is shown; and outputs that have nothing else."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            for output in cell["outputs"]:
                output.get("data", {}).pop(WIDGET_VIEW, None)
            cell["outputs"] = [output for output in cell["outputs"] if output.get("data") != {}]


def before_saving(model: dict[str, Any], **_: Any) -> None:
    """Do so for a notebook that JupyterLab is about to save, as a `pre_save_hook` of its contents manager."""
    if model["type"] == "notebook" and model.get("content"):
        leave_out_widgets(model["content"])

"""What JupyterLab is told before it opens the course: quiet, local, with a lab's files side by side."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scaffold.course import LABS, REFERENCE, ROOT, Lab

# No news, no look for updates, no extensions from the network.
_PAGE = {
    "disabledExtensions": [
        "@jupyterlab/apputils-extension:announcements",
        "@jupyterlab/extensionmanager-extension:plugin",
    ],
    "buildAvailable": False,
    "buildCheck": False,
}
_PREFERENCES = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},  # dark where the desktop is
    # Only Ctrl-S changes the course's notebooks, which are its authors' text. Those of a practice folder are one's own.
    "@jupyterlab/docmanager-extension:plugin": {"autosave": REFERENCE is None},
    "@jupyterlab/notebook-extension:tracker": {
        "autoStartDefaultKernel": True,  # and no question which one
        "codeCellConfig": {"lineNumbers": False, "lineWrap": True},  # beside text and tests there is little room
        "windowingMode": "none",  # all cells are on the page: they are few, the browser's search finds them, none jumps
    },
}
_SHORTCUTS = "@jupyterlab/shortcuts-extension:shortcuts"
# For a narrow column: a drawing made of characters is better scrolled than torn, and output is not torn in mid-word.
# JupyterLab's own rules come later, so `body` must give these more weight.
_STYLE = """
body .jp-RenderedMarkdown.jp-RenderedHTMLCommon pre, body .jp-RenderedMarkdown.jp-RenderedHTMLCommon pre code {
    white-space: pre; overflow-x: auto; margin-left: 0; margin-right: 0;
}
body .jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere; }
"""
_KERNEL = {
    "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "metadata": {"debugger": True},
}


def write_settings(folder: Path, lab: Lab | None) -> Path:
    """Write all settings into a folder, where JupyterLab writes its own files too. Return the file that names them."""
    config = folder / "config.json"
    written: dict[Path, dict[str, Any]] = {
        config: _config(folder),
        folder / "kernels" / "python3" / "kernel.json": _KERNEL,
        folder / "settings" / "page_config.json": _PAGE,
        folder / "settings" / "overrides.json": _PREFERENCES | {_SHORTCUTS: {"shortcuts": _shortcuts()}},
        folder / "workspaces" / "default-37a8.jupyterlab-workspace": _workspace(lab),  # the name that belongs to its id
    }
    for path, content in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), "utf-8")
    (folder / "custom").mkdir()
    (folder / "custom" / "custom.css").write_text(_STYLE, "utf-8")
    return config


def _config(folder: Path) -> dict[str, Any]:
    return {
        "ServerApp": {"root_dir": str(ROOT), "ip": "127.0.0.1", "open_browser": False, "allow_root": True},
        "LabApp": {
            "open_browser": False,
            "custom_css": True,
            "app_settings_dir": str(folder / "settings"),
            "user_settings_dir": str(folder / "settings" / "user"),
            "workspaces_dir": str(folder / "workspaces"),
            "news_url": None,
            "check_for_updates_class": "jupyterlab.handlers.announcements.NeverCheckForUpdate",
            "extension_manager": "readonly",
        },
        "FileContentsManager": {"pre_save_hook": "scaffold.notebook.saving.before_saving"},
        "FileCheckpoints": {"root_dir": str(folder / "checkpoints")},
        "LanguageServerManager": {"autodetect": False},  # they write into the folder that is open
        "KernelManager": {"shutdown_wait_time": 1.0},  # seconds; a busy kernel is killed then
    }


def _shortcuts() -> list[dict[str, Any]]:
    """Take JupyterLab's keys for cells (the arrows, A, X, D D ...) away from a list that has the focus.

    It should have them for itself. As JupyterLab comes, an arrow leaves the list, and an X cuts the cell around it.
    """
    from jupyter_core.paths import jupyter_path  # noqa: PLC0415 (whether it is there is looked for before this)

    paths = map(Path, jupyter_path("lab", "schemas", "@jupyterlab", "notebook-extension", "tracker.json"))
    schema: dict[str, Any] = next((json.loads(path.read_text("utf-8")) for path in paths if path.is_file()), {})
    keys = [each for each in schema.get("jupyter.lab.shortcuts", []) if each["selector"].endswith(" :focus")]
    replaced = [{**each, "disabled": True} for each in keys]
    return replaced + [{**each, "selector": f"{each['selector']}:not(select)"} for each in keys]


def notebook_of(lab: Lab) -> str:
    """Return the path of a lab's notebook in the course."""
    return f"notebooks/{lab.folder}.ipynb"


def _workspace(lab: Lab | None) -> dict[str, Any]:
    """Return what is open, and where, in the form in which JupyterLab writes it down itself.

    A lab has its text, its notebook, and its tests with the student's file behind them. The course has its README and
    the first notebook, with the list of the notebooks beside them.
    """
    shown = lab or LABS[0]
    text = ("markdownviewer-widget", f"labs/{lab.folder}/README.md" if lab else "README.md", "Markdown Preview")
    notebook = ("notebook", notebook_of(shown), "Notebook")
    tests = ("editor", f"tests/{shown.test_file.name}", "Editor")
    source = ("editor", f"labs/{shown.folder}/session.py", "Editor")
    areas = [[text], [notebook], [tests, source]] if lab else [[text], [notebook]]
    dock = {
        "type": "split-area",
        "orientation": "horizontal",
        "sizes": [0.25, 0.48, 0.27] if lab else [0.4, 0.6],
        "children": [
            {"type": "tab-area", "currentIndex": 0, "widgets": [f"{kind}:{path}" for kind, path, _ in area]}
            for area in areas
        ],
    }
    collapsed = {"collapsed": True, "visible": True}
    layout = {
        "main": {"dock": dock, "current": f"{notebook[0]}:{notebook[1]}"},
        "left": collapsed if lab else {**collapsed, "collapsed": False, "current": "filebrowser"},
        "right": collapsed,
        "relativeSizes": [0, 1, 0] if lab else [0.18, 0.82, 0],
    }
    data = {"layout-restorer:data": layout, "file-browser-filebrowser:cwd": {"path": "notebooks"}}
    data |= {f"{kind}:{path}": {"data": {"path": path, "factory": by}} for area in areas for kind, path, by in area}
    return {"data": data, "metadata": {"id": "default"}}

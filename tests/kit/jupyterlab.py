"""Starts JupyterLab as a user does, from the command line of a course."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import psutil

from kit.copies import clean_environment


class JupyterLab:
    """JupyterLab, started from the command line of the course in `root`."""

    def __init__(self, process: subprocess.Popen[str], root: Path) -> None:
        self.process = process
        self.root = root
        assert process.stdout is not None
        self.told = []
        for line in process.stdout:
            self.told.append(line)
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w{16,})", "".join(self.told))
        assert found is not None, process.communicate()
        self.address, self.base, self._token = found[0], found[1], found[2]

    def address_of(self, path: str) -> str:
        """Return the address of one document, alone in the window."""
        return f"{self.base}/doc/tree/{path}?token={self._token}"

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return what the server answers; with a body, to a POST."""
        request = Request(self.base + path, None if body is None else json.dumps(body).encode())  # noqa: S310 (http)
        request.add_header("Authorization", f"token {self._token}")
        with build_opener(ProxyHandler({})).open(request, timeout=20) as answer:
            return json.load(answer)

    def end(self, how: signal.Signals) -> tuple[int, list[Any]]:
        """End it, and return the exit code, and the processes that it started and that outlived it."""
        started = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(how)
        code = self.process.wait(20)
        return code, psutil.wait_procs(started, timeout=20)[1]


@contextmanager
def jupyterlab_in(root: Path, *arguments: str, **environment: str) -> Iterator[JupyterLab]:
    process = subprocess.Popen(
        [sys.executable, "grade.py", "notebook", *arguments],
        cwd=root,
        env=clean_environment() | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        try:
            yield JupyterLab(process, root)
        finally:
            process.terminate()


def files_in(folder: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def changed_files(folder: Path, before: Mapping[str, bytes]) -> set[str]:
    """Return which files below a folder are new, gone, or not as they were `before`."""
    files = files_in(folder)
    return {name for name in files.keys() | before if files.get(name) != before.get(name)}

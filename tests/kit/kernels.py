"""A kernel, asked as a notebook asks it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

SECONDS = 40


@dataclass
class Ran:
    """What came of a cell: the status of the reply, what was printed, the bundles and the error that were shown."""

    status: str
    printed: str = ""
    shown: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""


class Kernel:
    """A kernel in a folder of a course."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self._manager = manager
        self._client = client

    def run(self, code: str) -> Ran:
        """Run a cell, and return what came of it."""
        return self.result(self.begin(code))

    def begin(self, code: str) -> str:
        """Begin a cell, and return when the kernel has begun to work on it."""
        cell: str = self._client.execute(code)
        while True:
            message = self._client.get_iopub_msg(timeout=SECONDS)
            if message["msg_type"] == "execute_input" and message["parent_header"].get("msg_id") == cell:
                return cell

    def wait_for_print(self, words: str) -> None:
        """Return when something was printed. What comes before it is dropped."""
        while True:
            message = self._client.get_iopub_msg(timeout=SECONDS)
            if message["msg_type"] == "stream" and words in message["content"]["text"]:
                return

    def wait_for_display(self) -> None:
        """Return when something is shown."""
        while self._client.get_iopub_msg(timeout=SECONDS)["msg_type"] != "display_data":
            pass

    def interrupt(self) -> None:
        """Press Stop."""
        self._manager.interrupt_kernel()

    def result(self, cell: str) -> Ran:
        """Wait for the end of a cell that was begun."""
        ran = Ran("")
        while True:
            message = self._client.get_iopub_msg(timeout=SECONDS)
            if message["parent_header"].get("msg_id") != cell:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                ran.printed += content["text"]
            elif kind in {"display_data", "execute_result"}:
                ran.shown.append(content["data"])
            elif kind == "error":
                ran.error = "\n".join(content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                break
        while True:
            reply = self._client.get_shell_msg(timeout=SECONDS)
            if reply["parent_header"].get("msg_id") == cell:
                ran.status = reply["content"]["status"]
                return ran


@contextmanager
def kernel_in(course: Path) -> Iterator[Kernel]:
    """Lend a kernel that is started as one of a notebook of this course."""
    with TemporaryDirectory() as settings:
        manager = KernelManager(kernel_name="python3")
        environment = {**os.environ, "PYTHONPATH": str(course), "IPYTHONDIR": settings, "COLUMNS": "100"}
        manager.start_kernel(
            cwd=str(course / "notebooks"), env=environment, extra_arguments=["--IPKernelApp.log_level=ERROR"]
        )
        client = manager.blocking_client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=SECONDS)
            yield Kernel(manager, client)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)

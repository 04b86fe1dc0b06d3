"""Opens JupyterLab with a lab's text, notebook and tests side by side. It writes nothing into the course by itself.

The server is a process of its own, and its standard input is a pipe from here. When the pipe ends, so do the server and
its kernels: that is after Ctrl-C, and even if this process is killed.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from scaffold.course import LABS, REFERENCE, ROOT, Lab
from scaffold.grading.verdict import GraderError
from scaffold.notebook.jupyter_settings import notebook_of, write_settings

_START = 60  # seconds until the server must answer; it takes one or two
_END = 10  # seconds that it has for ending its kernels


def open_jupyterlab(lab: Lab | None, *, browser: bool = True) -> int:
    """Show a lab in JupyterLab, or the whole course. Return 0 when Ctrl-C or the browser's "Shut Down" ends it.

    Raises GraderError if a notebook or JupyterLab is missing, and if the server does not start or breaks down.
    """
    first = lab or LABS[0]
    if not (notebook := ROOT / notebook_of(first)).is_file():
        raise GraderError(f"lab {first.number} has no notebook: {notebook} is missing; restore the course's file")
    if find_spec("jupyterlab") is None:
        raise GraderError(f"JupyterLab is not installed in {sys.prefix}: python -m pip install -e . does it")
    with TemporaryDirectory(prefix="jupyter-", ignore_cleanup_errors=True) as name, _each_end_is_ctrl_c():
        folder = Path(name).resolve()
        with suppress(KeyboardInterrupt), _server(folder, write_settings(folder, lab)) as server:
            _announce(_address(server, folder), lab, browser=browser)
            while server.poll() is None:
                time.sleep(0.2)  # on Windows, Ctrl-C interrupts this, but no waiting for a process
            if server.returncode != 0:
                raise _broken_down(folder)
    return 0


def _announce(address: str, lab: Lab | None, *, browser: bool) -> None:
    print(f"{f'lab {lab.number}' if lab else 'the course'} in JupyterLab: {address}")
    if REFERENCE is not None:
        print("what you change there is saved by Ctrl-S, and never by itself")
    print("Ctrl-C here ends it", flush=True)
    if browser and not _show(address):
        print("no browser could be opened; open the address above in one", flush=True)


def _show(address: str) -> bool:
    """Open a browser, and say whether that went well. One that runs in the terminal can't show JupyterLab."""
    has_windows = sys.platform in {"win32", "darwin"} or {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} & os.environ.keys()
    return bool(has_windows) and webbrowser.open(address)


@contextmanager
def _each_end_is_ctrl_c() -> Iterator[None]:
    """Let SIGTERM, and the end of the terminal, end things in the same orderly way as Ctrl-C."""
    present = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
    changed = [number for number in present if signal.getsignal(number) is signal.SIG_DFL]  # nohup ignores one
    for number in changed:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def _server(folder: Path, config: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start the server, and see to its end."""
    with _log(folder).open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", __name__, str(config)],
            env=_environment(folder),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for this process alone, which then ends the server in order
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
    try:
        yield server
    finally:
        assert server.stdin is not None
        server.stdin.close()
        try:
            server.wait(_END)
        except subprocess.TimeoutExpired:
            server.kill()  # its kernels notice that within a second
            server.wait()


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of server and kernels: their files go into the folder, this course is found first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER_")}
    own = dict.fromkeys(("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "TMPDIR", "TEMP", "TMP"), str(folder))
    own |= {"JUPYTER_RUNTIME_DIR": str(folder / "runtime"), "IPYTHONDIR": str(folder / "ipython")}
    for name, first in (("PYTHONPATH", ROOT), ("JUPYTER_PATH", folder)):
        own[name] = os.pathsep.join(filter(None, (str(first), os.environ.get(name))))
    return kept | own | {"PYTHONDONTWRITEBYTECODE": "1"}


def _address(server: subprocess.Popen[bytes], folder: Path) -> str:
    """Return the server's address, with its token, as soon as it can be opened."""
    end = time.monotonic() + _START
    while server.poll() is None and time.monotonic() < end:
        for file in (folder / "runtime").glob("jpserver-*.json"):
            with suppress(OSError, ValueError):  # nobody listens yet, or the file is not all there yet
                info = json.loads(file.read_text("utf-8"))
                socket.create_connection(("127.0.0.1", info["port"]), timeout=1).close()
                return f"http://127.0.0.1:{info['port']}/lab?token={info['token']}"
        time.sleep(0.05)
    raise _broken_down(folder)


def _log(folder: Path) -> Path:
    return folder / "log.txt"


def _broken_down(folder: Path) -> GraderError:
    lines = _log(folder).read_text("utf-8", "replace").splitlines()
    return GraderError("\n".join(["the JupyterLab server broke down; its last words are:", *lines[-20:]]))


def serve(config: str) -> None:
    """Be the server, until the pipe at the standard input ends."""
    from jupyter_core.paths import jupyter_data_dir  # noqa: PLC0415 (in the server's own process only)
    from jupyterlab.labapp import LabApp  # type: ignore[import-untyped]  # noqa: PLC0415 (it has no types)
    from nbformat import read  # noqa: PLC0415
    from nbformat.sign import NotebookNotary  # noqa: PLC0415

    threading.Thread(target=_end_with_the_pipe, daemon=True).start()
    notary = NotebookNotary(data_dir=jupyter_data_dir())
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        with suppress(OSError, ValueError):  # JupyterLab says what is wrong with it when it is opened
            notary.sign(read(path, as_version=4))  # pictures of a notebook that nobody trusts are not shown
    LabApp.launch_instance(["--config", config])


def _end_with_the_pipe() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)  # it ends its kernels then; on Windows, they notice that it has gone


if __name__ == "__main__":
    serve(sys.argv[1])

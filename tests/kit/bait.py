"""What is worth stealing, breaking or reaching, laid out for whoever gets out of the sandbox."""

from __future__ import annotations

import secrets
import socket
import stat
from pathlib import Path

from scaffold.course import ROOT


class Bait:
    """A folder that is open to everybody, and servers that listen. `places` says where, as the corpus names them."""

    def __init__(self, folder: Path) -> None:
        """Lay it out in a folder, whose parents must be open to everybody, too."""
        self._folder = folder
        folder.chmod(0o777)
        for name in ("submission.py", "gradebook.sqlite", "index.html"):
            path = folder / name
            path.write_text(f"the content of {name}")
            path.chmod(0o666)
        abstract = f"session-tree-{secrets.token_hex(8)}"
        streams = socket.create_server(("127.0.0.1", 0))
        port = streams.getsockname()[1]
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", port))
        self._servers = [streams, datagrams]
        for name in (str(folder / "socket"), f"\0{abstract}"):
            server = socket.socket(socket.AF_UNIX)
            server.bind(name)
            server.listen()
            self._servers.append(server)
        (folder / "socket").chmod(0o777)
        for server in self._servers:
            server.setblocking(False)
        self.places = {
            "BAIT": str(folder),
            "ROOT": str(ROOT),
            "HOME": str(Path.home()),
            "ADDRESS": "127.0.0.1",
            "PORT": str(port),
            "ABSTRACT": abstract,
        }
        self._before = self._looks()

    def _looks(self) -> dict[str, object]:
        found: dict[str, object] = {}
        for path in sorted((self._folder, *self._folder.rglob("*"))):
            status = path.stat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            found[path.name] = (status.st_mode, status.st_mtime_ns, content)
        return found

    def has_been_touched(self) -> list[str]:
        """Return what is no longer as it was, and who was reached."""
        now = self._looks()
        touched = [name for name in {*now, *self._before} if now.get(name) != self._before.get(name)]
        return touched + [f"{server.getsockname()} was reached" for server in self._servers if _was_reached(server)]

    def close(self) -> None:
        for server in self._servers:
            server.close()


def _was_reached(server: socket.socket) -> bool:
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(1)
        else:
            server.accept()[0].close()
    except BlockingIOError:
        return False
    return True

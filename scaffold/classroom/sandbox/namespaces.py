"""A view of the machine in which there is nothing but what was handed in: Linux namespaces.

The root becomes a small empty file system. What may be read is mounted there, read-only, at the path that it has
outside; the scratch folder is a small file system of its own. There is no /proc, and no network but a loopback that
is down. The walls are put up by a keeper, who has the privileges for it: as root, or else as the owner of a user
namespace that holds only him.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from pathlib import Path

from scaffold.classroom.sandbox.kernel import (
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    change_root,
    close_from,
    copy_of_tree,
    die_with_parent,
    mount,
    mount_tree,
    set_dumpable,
    unshare,
)
from scaffold.classroom.sandbox.paths import View

DEVICES = tuple(map(Path, ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")))
SCRATCH = Path("/scratch")
KINDS = ("mount", "pid", "net", "ipc", "uts")
_PATIENCE = 10.0  # seconds until the dead are gone; it takes milliseconds
_NEW_ROOT = "/tmp"  # noqa: S108 (only a place that exists: what is there is not touched)


def leave(*, with_user: bool) -> None:
    """Leave the namespaces that all share for new ones; with a user namespace, as the same user in it.

    A new PID namespace begins with the next process that is started. Raises OSError.
    """
    if not with_user:
        unshare(*KINDS)
        return
    user, group = os.geteuid(), os.getegid()
    set_dumpable(True)  # or else the maps below could not be written
    unshare("user", *KINDS)
    Path("/proc/self/setgroups").write_text("deny", "utf-8")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", "utf-8")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", "utf-8")
    with contextlib.suppress(OSError):  # a second wall: seccomp refuses it too
        Path("/proc/sys/user/max_user_namespaces").write_text("0", "utf-8")


def build_root(view: View, scratch_options: str) -> None:
    """Make the new root, and change to it. Raises OSError."""
    mount("none", "/", MS_REC | MS_PRIVATE)
    trees = [(path, path.is_dir(), copy_of_tree(str(path))) for path in (*view.paths, *DEVICES)]
    mount("tmpfs", _NEW_ROOT, MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=1m,mode=755")
    root = Path(_NEW_ROOT)
    for path, is_folder, tree in trees:
        target = root / path.relative_to("/")
        (target if is_folder else target.parent).mkdir(parents=True, exist_ok=True)
        if not is_folder:
            target.touch()
        flags = MS_RDONLY | MS_NOSUID | (MS_NOEXEC if path in DEVICES else MS_NODEV)  # extensions must be mapped
        mount_tree(tree, str(target), flags)
    for link, leads_to in view.links.items():
        place = root / link.relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(leads_to)
    scratch = root / SCRATCH.relative_to("/")
    scratch.mkdir()
    mount("tmpfs", str(scratch), MS_NOSUID | MS_NODEV | MS_NOEXEC, scratch_options)
    mount("tmpfs", _NEW_ROOT, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
    change_root(_NEW_ROOT)


def resize_scratch(size: int) -> None:
    """Give the scratch folder another size, in bytes; one that holds more already is full. Raises OSError."""
    status = os.statvfs(SCRATCH)
    taken = (status.f_blocks - status.f_bfree) * status.f_frsize
    flags = MS_REMOUNT | MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount("tmpfs", str(SCRATCH), flags, f"size={max(size, taken, status.f_frsize)}")


class Init:
    """The first process of a PID namespace: when it ends, the kernel ends all others. Trusted; it only waits.

    So inmates are no first processes, who would be deaf to signals, and one can follow the other.
    """

    def __init__(self) -> None:
        to_read, self._order = os.pipe()
        self._answer, to_write = os.pipe()
        keeper = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _be_init(keeper, to_read, to_write)
        os.close(to_read)
        os.close(to_write)

    def kill_all(self) -> bool:
        """Kill all others, and wait until they are gone. Return whether that could be done."""
        try:
            os.write(self._order, b"k")
            answered, _, _ = select.select([self._answer], [], [], _PATIENCE)
            return bool(answered) and os.read(self._answer, 1) == b"d"
        except OSError:
            return False

    def kill(self) -> None:
        """Kill it, and with it all others. They are gone when `end` returns."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """End it, and with it the namespace. Nothing that was started there runs after that."""
        self.kill()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0)[0] != self.pid:  # it can't end before inmates that nobody has buried
                pass


def _be_init(keeper: int, orders: int, answers: int) -> None:
    try:
        die_with_parent(keeper)
        set_dumpable(False)
        os.dup2(orders, 0)
        os.dup2(answers, 1)
        close_from(2)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the dead
        while os.read(0, 1):
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.waitpid(-1, 0)
            os.write(1, b"d")
    finally:
        os._exit(0)

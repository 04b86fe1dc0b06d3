"""What the machine has, whether that is enough, and what of the machine an inmate gets to see."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from kit.jails import ALL, LANDLOCK, LIMITS, ON_LINUX, WAYS, Way
from scaffold.classroom.sandbox import (
    Jail,
    Mechanisms,
    NoSandboxError,
    available,
    bwrap_command,
    describe,
    is_enough,
    python_paths,
)
from scaffold.classroom.sandbox.inmate import Send
from scaffold.classroom.sandbox.paths import view_of
from scaffold.course import ROOT

pytestmark = [*ON_LINUX, pytest.mark.timeout(30)]
FULL = Mechanisms(landlock=7, seccomp=True, namespaces="as a user", rlimits=True)


@pytest.mark.parametrize(
    ("mechanisms", "enough"),
    [
        pytest.param(FULL, True, id="all"),
        pytest.param(replace(FULL, landlock=0, seccomp=False), True, id="namespaces alone"),
        pytest.param(replace(FULL, namespaces=""), False, id="Landlock as the same user"),
        pytest.param(replace(FULL, namespaces="", other_user=True), True, id="Landlock as another user"),
        pytest.param(replace(FULL, namespaces="", in_bubblewrap=True), True, id="Landlock in bubblewrap"),
        pytest.param(replace(FULL, namespaces="", other_user=True, seccomp=False), False, id="no wall to the network"),
        pytest.param(replace(FULL, namespaces="", other_user=True, landlock=0), False, id="no wall around files"),
        pytest.param(replace(FULL, rlimits=False), False, id="no limits"),
        pytest.param(Mechanisms(lacking=("the sandbox needs Linux",)), False, id="another system"),
    ],
)
def test_enough_is_a_wall_around_files_network_and_time(mechanisms: Mechanisms, enough: bool) -> None:
    assert is_enough(mechanisms) is enough
    assert ("not enough" in describe(mechanisms)) is not enough
    if not enough:
        with pytest.raises(NoSandboxError, match="no sandbox can be built here"):
            Jail([], mechanisms=mechanisms)


def test_a_view_leaves_out_what_is_hidden(tmp_path: Path) -> None:
    for name in ("course/given/a.py", "course/answers/b.py", "course/c.py", "elsewhere/d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "course" / "way out").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "a link").symlink_to(tmp_path / "course")
    view = view_of([tmp_path / "a link", tmp_path / "course/given"], [tmp_path / "course/answers"])
    assert view.paths == (tmp_path / "course/c.py", tmp_path / "course/given")
    assert view.links == {tmp_path / "a link": tmp_path / "course"}
    assert view.listed == (tmp_path / "course",)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_folder_with_something_hidden_can_be_listed(way: Way) -> None:
    way.skip_if_it_can_not_be()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for name in ("given", "hidden"):
            Path(folder, name).touch()

        def target(_scratch: Path, send: Send) -> None:
            send(repr(sorted(path.name for path in Path(folder).iterdir())).encode())
            with pytest.raises(OSError, match=r"No such file|Permission denied"):
                Path(folder, "hidden").read_bytes()

        end = way.run(target, readable=[Path(folder)], hidden=[Path(folder, "hidden")])
    assert end.how == "ended"
    assert end.reports[0] == (b"['given', 'hidden']" if way is LANDLOCK else b"['given']")


def test_an_inmate_imports_what_is_readable_and_nothing_hidden() -> None:
    ALL.skip_if_it_can_not_be()
    hidden = [ROOT / name for name in ("solutions", "scaffold/breakages", "scaffold/classroom")]

    def target(_scratch: Path, send: Send) -> None:
        for name in [name for name in sys.modules if name.startswith(("scaffold.breakages", "scaffold.hints"))]:
            del sys.modules[name]
        import colorsys  # noqa: F401, PLC0415 (not loaded before)

        for path in (ROOT / "scaffold/stubs.py", ROOT / "solutions/__init__.py", ROOT / "scaffold/classroom/model.py"):
            send(b"seen" if path.exists() else b"not there")

    end = Jail([*python_paths(), ROOT], LIMITS, hidden=hidden).run(target)
    assert (end.how, end.reports) == ("ended", (b"seen", b"not there", b"not there"))


@pytest.mark.skipif(not available().bubblewrap, reason="bubblewrap does not work here")
def test_a_worker_in_bubblewrap_sees_what_it_may_and_has_no_network(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "secret").touch()
    code = (
        "import os, pathlib, socket, sys; here = pathlib.Path(sys.argv[1]); print(sorted(os.listdir(here)));"
        "print(os.path.exists('/root') or os.path.exists('/home'), sorted(os.environ)); socket.socket().bind(('', 0));"
        "socket.create_connection(('192.0.2.1', 80), timeout=5)"
    )
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        pytest.skip("needs the system's own Python")
    command = bwrap_command([python, "-c", code, str(tmp_path)], [tmp_path / "given"])
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=20)
    names, rest = done.stdout.splitlines()
    assert names == "['given']"
    assert rest == "False ['LANG', 'PATH', 'PWD', 'SESSION_TREE_IN_BUBBLEWRAP']"
    assert "unreachable" in done.stderr


@pytest.mark.skipif(not available().bubblewrap, reason="bubblewrap does not work here")
def test_bubblewrap_ends_with_who_started_it() -> None:
    said, says = os.pipe()
    starter = os.fork()
    if starter == 0:
        subprocess.Popen(bwrap_command(["sh", "-c", "echo up; sleep 60"], []), stdout=says)
        os.close(says)
        signal.pause()
    os.close(says)
    assert os.read(said, 10) == b"up\n"
    os.kill(starter, signal.SIGKILL)
    os.waitpid(starter, 0)
    ready, _, _ = select.select([said], [], [], 5)
    assert ready
    assert os.read(said, 10) == b""  # nobody holds the other end any more
    os.close(said)


@pytest.mark.skipif(not available().bubblewrap, reason="bubblewrap does not work here")
def test_in_bubblewrap_an_inmate_can_not_touch_the_worker_whose_user_it_is() -> None:
    python = shutil.which("python3", path="/usr/bin")
    if python is None or not available().landlock or not available().seccomp:
        pytest.skip("needs the system's own Python, Landlock and seccomp")
    code = Path(__file__).with_name("inside_bubblewrap.py").read_text("utf-8")
    command = bwrap_command([python, "-B", "-c", code, str(ROOT)], [ROOT / "scaffold"])
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=20)
    assert done.stderr == ""
    *tried, last = done.stdout.splitlines()
    assert len(tried) == 10
    assert not [line for line in tried if "refused" not in line]
    assert last == "the worker is alive"

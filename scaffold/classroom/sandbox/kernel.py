"""System calls that Python has no function for, made through the C library. Linux only.

The numbers of those without a function in every C library are the same on all machines: they are newer than the
common table.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import struct

NEW_NAMESPACES = {  # the flags of clone and unshare
    "user": 0x10000000,
    "mount": 0x00020000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
}
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_RDONLY, MS_REMOUNT, MS_REC, MS_PRIVATE = 2, 4, 8, 1, 32, 1 << 14, 1 << 18

_OPEN_TREE, _MOVE_MOUNT, _CLOSE_RANGE, _MOUNT_SETATTR = 428, 429, 436, 442
_LAST_DESCRIPTOR = 2**31 - 1
_OPEN_TREE_CLONE, _OPEN_TREE_CLOEXEC = 1, os.O_CLOEXEC if hasattr(os, "O_CLOEXEC") else 0
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_MOVE_MOUNT_F_EMPTY_PATH = 4
_MNT_DETACH = 2

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def syscall(number: int, what: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call. Raises OSError that begins with `what`."""
    call = _libc().syscall
    call.restype = ctypes.c_long
    passed = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return _checked(call(ctypes.c_long(number), *passed), what)


def unshare(*names: str) -> None:
    """Leave namespaces for new ones, named as in NEW_NAMESPACES. Raises OSError."""
    flags = sum(NEW_NAMESPACES[name] for name in names)
    _checked(_libc().unshare(ctypes.c_int(flags)), f"unshare {', '.join(names)}")


def mount(kind: str, target: str, flags: int, options: str = "") -> None:
    """Mount a file system that needs no device, or change how one is mounted. Raises OSError."""
    result = _libc().mount(kind.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _checked(result, f"mount {kind} on {target}")


def copy_of_tree(path: str) -> int:
    """Return a descriptor of a copy of what is mounted at a path and below; it is mounted nowhere. Raises OSError."""
    flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | _AT_RECURSIVE
    return syscall(_OPEN_TREE, f"open_tree {path}", _AT_FDCWD, os.fsencode(path), flags)


def mount_tree(tree: int, path: str, flags: int) -> None:
    """Mount a copy of a tree at a path; `flags` hold for all of it. Raises OSError. Closes the descriptor."""
    try:  # these four flags are the same for a mount as for its attributes
        attributes = ctypes.create_string_buffer(struct.pack("=QQQQ", _attributes(flags), 0, MS_PRIVATE, 0), 32)
        at = _AT_EMPTY_PATH | _AT_RECURSIVE
        syscall(_MOUNT_SETATTR, f"mount_setattr {path}", tree, b"", at, attributes, len(attributes))
        target = os.fsencode(path)
        syscall(_MOVE_MOUNT, f"move_mount {path}", tree, b"", _AT_FDCWD, target, _MOVE_MOUNT_F_EMPTY_PATH)
    finally:
        os.close(tree)


def _attributes(flags: int) -> int:
    return flags & (MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)


def change_root(path: str) -> None:
    """Make a mounted folder the root of this mount namespace, and let go of all else. Raises OSError."""
    os.chdir(path)
    _checked(_libc().syscall(ctypes.c_long(_pivot_root_number()), b".", b"."), "pivot_root")
    _checked(_libc().umount2(b".", ctypes.c_int(_MNT_DETACH)), "umount of the old root")
    os.chdir("/")


def _pivot_root_number() -> int:
    return 155 if os.uname().machine == "x86_64" else 41


def _prctl(what: str, *arguments: int) -> None:
    passed = [ctypes.c_ulong(each) for each in (*arguments, 0, 0, 0, 0)[:5]]
    _checked(_libc().prctl(*passed), what)


def close_from(first: int) -> None:
    """Close all descriptors from one number on. Raises OSError."""
    syscall(_CLOSE_RANGE, "close_range", first, _LAST_DESCRIPTOR, 0)


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when the thread that made it ends. A change of user undoes that."""
    _prctl("die with the parent", _PR_SET_PDEATHSIG, 9)
    if os.getppid() not in {parent, 0}:  # it is 0 when the parent is in another PID namespace
        os._exit(1)


def set_dumpable(value: bool) -> None:
    """Say whether processes of the same user may look into this one."""
    _prctl("dumpable", _PR_SET_DUMPABLE, int(value))


def give_up_privileges() -> None:
    """Drop all capabilities, those that could be had again too, and forbid this process to gain any for ever."""
    _prctl("no_new_privs", _PR_SET_NO_NEW_PRIVS, 1)
    for capability in range(_MOST_CAPABILITIES):
        try:
            _prctl("drop a capability", _PR_CAPBSET_DROP, capability)
        except OSError:  # who may not drop it can't have it, and there are not that many
            break
    with contextlib.suppress(OSError):  # older kernels have none
        _prctl("ambient capabilities", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    header = ctypes.create_string_buffer(struct.pack("=Ii", _LINUX_CAPABILITY_VERSION_3, 0), 8)
    _checked(_libc().capset(header, ctypes.create_string_buffer(24)), "capset")


def filter_system_calls(program: bytes) -> None:
    """Install a seccomp filter, given as its instructions of 8 bytes each. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(code)))
    _prctl("seccomp", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(head))

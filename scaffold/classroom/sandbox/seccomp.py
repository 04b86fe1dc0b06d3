"""Seccomp: which system calls a process may make, from then on and with all that it starts.

It takes away what a solution of a lab has no use for and what leads out of the other walls, or costs memory that
nobody counts: sockets, programs, namespaces, mounts, tracing, kernel keyrings, io_uring, shared memory. The filter is
classic BPF and is written out here: pyseccomp needs libseccomp on the machine, and the rest is no shorter with it.
"""

from __future__ import annotations

import errno
import functools
import os
import struct
from dataclasses import dataclass

# Numbers on x86_64 and on aarch64; None is a call that one of them does not have.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198),
    "execve": (59, 221),
    "execveat": (322, 281),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "personality": (135, 92),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    # The same on both from here on.
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "mount_setattr": (442, 442),
    "memfd_secret": (447, 447),
    "process_mrelease": (448, 448),
}
# Where the process shares its user and its PID namespace with others: they could be starved, or ended.
_REFUSED_ALONE: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
}
_CLONE, _CLONE3, _MMAP = (56, 220), (435, 435), (9, 222)
_KILL, _TGKILL, _PRLIMIT, _PRCTL, _FCNTL = (62, 129), (234, 131), (302, 261), (157, 167), (72, 25)
_NEW_NAMESPACES = 0x7E020000  # the bits that ask clone for one
_CLONE_THREAD = 0x00010000
_SHARED_AND_ANONYMOUS = 0x21
_PR_SET_PDEATHSIG = 1
_SIGNAL_SETTINGS = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # the column above, and what the kernel calls it
_X32 = 0x40000000  # calls of another table, with the same name of the machine

_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _KILL_PROCESS, _FAIL_WITH = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16


@dataclass(frozen=True)
class _Step:
    """One instruction. `yes` and `no` are how many of the next ones are left out."""

    code: int
    value: int
    yes: int = 0
    no: int = 0

    def packed(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.yes, self.no, self.value)


def is_known_machine() -> bool:
    return os.uname().machine in _MACHINES


def program(*, alone: bool) -> bytes:
    """Return the filter for this process, as instructions of 8 bytes.

    With `alone` it may start no other processes but threads, and signal none but itself. Raises KeyError on a machine
    whose numbers are not known.
    """
    return _program(os.getpid() if alone else None)


@functools.cache
def _program(own: int | None) -> bytes:
    column, machine = _MACHINES[os.uname().machine]
    steps = [
        _Step(_LOAD, _MACHINE_AT),
        _Step(_EQUAL, machine, yes=1),
        _Step(_RETURN, _KILL_PROCESS),
        _Step(_LOAD, _NUMBER_AT),
        _Step(_AT_LEAST, _X32, no=1),
        _fail(errno.ENOSYS),
        *_refusal(_CLONE3[column], errno.ENOSYS),  # its flags can't be looked at; the C library falls back to clone
        *_about(_CLONE[column], 0, _if_any(_NEW_NAMESPACES, errno.EPERM)),
        *_about(_MMAP[column], 3, _if_all(_SHARED_AND_ANONYMOUS, errno.ENOMEM)),
    ]
    for numbers in (_REFUSED | (_REFUSED_ALONE if own is not None else {})).values():
        number = numbers[column]
        steps += _refusal(number, errno.EPERM) if number is not None else []
    if own is not None:
        steps += _alone(column, own)
    return b"".join(step.packed() for step in [*steps, _Step(_RETURN, _ALLOW)])


def _alone(column: int, own: int) -> list[_Step]:
    return [
        *_about(_CLONE[column], 0, _unless_any(_CLONE_THREAD, errno.EAGAIN)),
        *_about(_KILL[column], 0, _unless_one_of((own,))),
        *_about(_TGKILL[column], 0, _unless_one_of((own,))),
        *_about(_PRLIMIT[column], 0, _unless_one_of((0, own))),
        *_about(_PRCTL[column], 0, _if_one_of((_PR_SET_PDEATHSIG,))),
        *_about(_FCNTL[column], 1, _if_one_of(_SIGNAL_SETTINGS)),
    ]


def _fail(code: int) -> _Step:
    return _Step(_RETURN, _FAIL_WITH | code)


def _refusal(number: int, code: int) -> list[_Step]:
    return [_Step(_EQUAL, number, no=1), _fail(code)]


def _about(number: int, argument: int, body: list[_Step]) -> list[_Step]:
    """Run the body with the low half of one argument of a call loaded, and the call's number again after it."""
    inner = [_Step(_LOAD, _ARGUMENTS_AT + 8 * argument), *body, _Step(_LOAD, _NUMBER_AT)]
    return [_Step(_EQUAL, number, no=len(inner)), *inner]


def _if_any(bits: int, code: int) -> list[_Step]:
    return [_Step(_AND, bits), _Step(_EQUAL, 0, yes=1), _fail(code)]


def _unless_any(bits: int, code: int) -> list[_Step]:
    return [_Step(_AND, bits), _Step(_EQUAL, 0, no=1), _fail(code)]


def _if_all(bits: int, code: int) -> list[_Step]:
    return [_Step(_AND, bits), _Step(_EQUAL, bits, no=1), _fail(code)]


def _if_one_of(values: tuple[int, ...]) -> list[_Step]:
    return [step for value in values for step in (_Step(_EQUAL, value, no=1), _fail(errno.EPERM))]


def _unless_one_of(values: tuple[int, ...]) -> list[_Step]:
    tests = [_Step(_EQUAL, value, yes=len(values) - index) for index, value in enumerate(values)]
    return [*tests, _fail(errno.EPERM)]

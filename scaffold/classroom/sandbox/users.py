"""Users that nobody has, so that what they run can be counted and can touch nothing that belongs to somebody."""

from __future__ import annotations

import os

_FIRST = 0x78000000  # far above what systems give to people, services and containers


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def user_of_jail() -> int:
    """Return the number of a user for the jail that this process keeps: no other running process has it."""
    return _FIRST + os.getpid()


def become(user: int) -> None:
    """Be another user, in no group but one of the same number, for ever. Raises OSError if this process may not."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)

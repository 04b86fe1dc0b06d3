"""What is found in a folder or an archive: files that are not read yet, and what was refused."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

MIB = 1024 * 1024
LARGEST = {".py": MIB, ".ipynb": 10 * MIB, ".zip": 64 * MIB}  # bytes, by the ending of what is ever read
DEEPEST = 16  # folders above a file
LONGEST_SHOWN = 200  # characters of a name in a message
# What tools make, and no student writes. Whatever begins with a dot is passed over too.
PASSED_OVER = {
    "__macosx",
    "__pycache__",
    "desktop.ini",
    "env",
    "node_modules",
    "site-packages",
    "thumbs.db",
    "venv",
}

Moment = tuple[int, ...]  # year, month, day, hour, minute, second, without a zone: only to compare with its like


class RefusedError(Exception):
    """Something is not read. The text says why, and what to do."""


@dataclass(frozen=True)
class Member:
    """A file of a submission.

    `path` is below the student's folder or archive. `read_at_most(n)` returns its bytes, or the first n of them; it
    raises RefusedError or OSError. `order` is a number that a platform gave and that grows with time. `zips` is how
    many archives it lies in.
    """

    path: tuple[str, ...]
    modified: Moment
    read_at_most: Callable[[int], bytes]
    order: int = 0
    zips: int = 0

    @property
    def suffix(self) -> str:
        return suffix_of(self.path[-1])

    def read(self) -> bytes:
        """Return all bytes. Raises RefusedError, also for an error of the system."""
        limit = LARGEST[self.suffix]
        try:
            content = self.read_at_most(limit + 1)
        except OSError as error:
            raise RefusedError(f"can't be read: {error.strerror or error}") from error
        if len(content) > limit:
            raise RefusedError(f"is larger than the {limit // MIB} MiB that a {self.suffix} file may have")
        return content


@dataclass(frozen=True)
class Refusal:
    """What was left out, and why. The path is empty where no path can be believed; then `why` has all that is known."""

    path: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        return f"{shown('/'.join(self.path))}: {self.why}" if self.path else self.why


@dataclass
class Contents:
    """What a folder or an archive holds. `is_clone` says that a folder is a working copy of git."""

    members: list[Member] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    is_clone: bool = False


@dataclass
class Budget:
    """What the reading of one submission may cost in all, so that many small things are no way around the limits."""

    bytes: int = 64 * MIB
    members: int = 20_000

    def spend(self, *, content: int = 0, members: int = 0) -> None:
        """Raise RefusedError if there is not so much left."""
        self.bytes -= content
        self.members -= members
        if self.bytes < 0:
            raise RefusedError("not read: the submission is too large; hand in the session.py files alone")
        if self.members < 0:
            raise RefusedError("not read: the submission has too many files; hand in the session.py files alone")


def suffix_of(name: str) -> str:
    """Return the ending of a file's name, as a key of LARGEST: `.py`."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def is_passed_over(name: str) -> bool:
    return name.startswith(".") or name.lower() in PASSED_OVER


def same(name: str) -> str:
    """Return a name as it is compared: one way to write each character, which file systems disagree about."""
    return unicodedata.normalize("NFC", name)


def visible(text: str) -> str:
    r"""Write control characters, and bytes of a file name that are no UTF-8, as escapes: `\n`, `\x1b`, `\udcff`."""
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
        else character
        for character in text
    )


def shown(text: str) -> str:
    """Return a name for a message, cut to a length that can be read."""
    text = visible(text)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:120]} ... {text[-60:]}"

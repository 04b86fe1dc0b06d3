"""What went wrong in one test, in words for the person whose code it is."""

from __future__ import annotations

import errno
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["broken rule", "not written", "not loadable", "no such name", "exited", "skipped", "timed out", "error"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class BrokenRuleError(AssertionError):
    """A rule of the course does not hold."""

    def __init__(self, rule: str, expected: str, actual: str) -> None:
        super().__init__(f"rule: {rule}\nexpected: {expected}\nactual: {actual}")


class NotLoadableError(Exception):
    """A `session.py` can't be imported."""


class MissingNameError(Exception):
    """A `session.py` lacks what a test asks for."""


@dataclass(frozen=True)
class Failure:
    """Why a test is red. `where` is the place in the student's code, if the error came from there."""

    kind: Kind
    message: str
    where: str = ""

    @property
    def speaks_for_itself(self) -> bool:
        """Whether a traceback would add nothing."""
        return self.kind not in {"error", "timed out"}


def failure_of(error: BaseException) -> Failure:
    """Explain the exception that ended a test."""
    where = _place_in_session(error)
    if (limit := _limit_behind(error)) is not None:
        return Failure("timed out", _limit_reached(one_line(limit)), _place_in_session(limit) or where)
    match error:
        case NotImplementedError() if "is not written yet" in safe_str(error):
            failure = Failure("not written", one_line(error))
        case BrokenRuleError():
            where = where or (_place_in_session(error.__cause__) if error.__cause__ else "")
            failure = Failure("broken rule", printable(safe_str(error), 2_000), where)
        case NotLoadableError():
            failure = Failure("not loadable", one_line(error))
        case MissingNameError():
            failure = Failure("no such name", one_line(error))
        case SystemExit():
            failure = Failure("exited", f"session.py called sys.exit({one_line(error)})", where)
        case _:
            failure = Failure("error", described(error), where)
    return failure


def described(error: BaseException) -> str:
    """Return the kind and the text of an error, and what is behind it where a limit of the run is."""
    reason = ""
    if isinstance(error, EOFError):
        reason = "; nobody is at the keyboard while tests run"
    elif isinstance(error, MemoryError):
        reason = "; the run may not use more memory"
    elif isinstance(error, OSError) and error.errno == errno.EFBIG:
        reason = "; that is more than a run may print or write"
    return f"{type(error).__name__}: {one_line(error, 500)}{reason}"


def _limit_behind(error: BaseException) -> BaseException | None:
    """Return the error by which a limit ended a test, also where the code under test made another one of it."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if type(cause).__name__ == "Failed":  # that is pytest.fail
            return cause
        seen.add(id(cause))
        cause = cause.__cause__
    return None


def _limit_reached(message: str) -> str:
    if seconds := re.match(r"Timeout \(>([\d.]+)s\) from pytest-timeout", message):
        return f"stopped after {float(seconds[1]):g} s: it did not come to an end"
    return message


def _place_in_session(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == "session.py"]
    return f"session.py line {frames[-1].lineno}, in {frames[-1].name}" if frames else ""


def one_line(text: object, limit: int = 300) -> str:
    """Return the text of a foreign object, cut, in one line, and without anything that a terminal would obey."""
    return printable(" ".join(safe_str(text)[: 10 * limit].split()), limit)


def printable(text: str, limit: int) -> str:
    """Cut a text, and replace control characters: foreign code must not be able to move the cursor."""
    cut = text if len(text) <= limit else f"{text[:limit]} ... ({len(text):,} characters)"
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", cut)


def safe_str(value: object) -> str:
    """Return `str(value)`, whatever `value` is: its `__str__` may be as broken as the rest of it."""
    try:
        return str(value)
    except Exception as error:
        return f"(its text can't be had: {type(error).__name__})"

"""The gradebook: what came of each submission, in a SQLite file. A run that was broken off goes on where it stopped.

Each submission is written in one transaction. What was graded by the same seed, with the same files and the same
course, is not run again. Marks are not in it: they follow from the results and the policy.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scaffold.classroom.model import Item, LabResult

_LAYOUT = 1  # of the tables
_TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    student TEXT PRIMARY KEY, digest TEXT NOT NULL, seed TEXT NOT NULL, course TEXT NOT NULL, labs TEXT NOT NULL
) WITHOUT ROWID;
"""


class Gradebook:
    """Use it in a `with` block; while it is open, no other run can have it."""

    def __init__(self, path: Path, course: str) -> None:
        """Open the file, or make it. `course` is the digest of what the results depend on, besides files and seed.

        Raises OSError if another run has it open; ValueError if it is no gradebook, or one of another layout.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._course = course
        self._database = sqlite3.connect(path, timeout=1, isolation_level=None)
        try:
            self._prepare(path)
        except BaseException:
            self._database.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _prepare(self, path: Path) -> None:
        try:
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("BEGIN EXCLUSIVE")
            self._database.execute("COMMIT")
            self._database.executescript(_TABLES)
            layout = self._fact("layout", str(_LAYOUT))
        except sqlite3.OperationalError as error:
            raise OSError(f"{path} can't be opened ({error}); is another run at work there?") from None
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path} is no gradebook ({error}); move it away, or name another folder") from None
        if layout != str(_LAYOUT):
            raise ValueError(f"{path} has layout {layout}, and this course knows {_LAYOUT}; name another folder")

    def _fact(self, name: str, default: str) -> str:
        """Return a fact, after writing the default if there is none yet."""
        self._database.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, default))
        (value,) = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(value)

    def seed(self, wanted: str | None = None, *, fresh: bool = False) -> str:
        """Return the seed of the exam: the one that is wanted, or a fresh one, or else the one of the last run."""
        if wanted is None and not fresh:
            return self._fact("seed", secrets.token_hex(8))
        seed = secrets.token_hex(8) if wanted is None else wanted
        self._database.execute("INSERT OR REPLACE INTO facts VALUES ('seed', ?)", (seed,))
        return seed

    def was_without_sandbox(self, now: bool) -> bool:
        """Tell whether any run was without a sandbox, this one or an earlier one. It is never forgotten."""
        if now:
            self._database.execute("INSERT OR REPLACE INTO facts VALUES ('without sandbox', 'yes')")
        return self._fact("without sandbox", "no") == "yes"

    def put(self, student: str, digest: str, seed: str, labs: list[LabResult]) -> None:
        """Keep the results of one submission, instead of any that the student had before."""
        text = json.dumps([asdict(lab) for lab in labs])
        self._database.execute(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", (student, digest, seed, self._course, text)
        )

    def get(self, student: str, digest: str, seed: str) -> list[LabResult] | None:
        """Return the results of a submission that is unchanged; None if it has to be run."""
        found = self._database.execute(
            "SELECT labs FROM results WHERE student = ? AND digest = ? AND seed = ? AND course = ?",
            (student, digest, seed, self._course),
        ).fetchone()
        return None if found is None else [_result(facts) for facts in json.loads(found[0])]


def _result(facts: dict[str, Any]) -> LabResult:
    return LabResult(**{**facts, "items": tuple(Item(**item) for item in facts["items"])})

"""The gradebook: what is in it stays, and only what is unchanged is taken from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scaffold.classroom.gradebook import Gradebook
from scaffold.classroom.model import Item, LabResult

LABS = [
    LabResult("10.1", "graded", "", (Item("test_a", "checkpoint", "passed", "failed", "", "operation: é\n\x1b"),)),
    LabResult("10.2", "timed out", "it did not come to an end"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "gradebook.sqlite"


def test_what_was_put_is_there_again_after_a_new_start(path: Path) -> None:
    with Gradebook(path, "course") as book:
        seed = book.seed()
        book.put("ada", "files", seed, LABS)
    with Gradebook(path, "course") as book:
        assert book.seed() == seed
        assert book.get("ada", "files", seed) == LABS


@pytest.mark.parametrize(
    ("student", "digest", "seed", "course"),
    [("bob", "f", "s", "c"), ("ada", "other", "s", "c"), ("ada", "f", "other", "c"), ("ada", "f", "s", "other")],
    ids=["another student", "other files", "another seed", "another course"],
)
def test_what_has_changed_must_be_run_again(path: Path, student: str, digest: str, seed: str, course: str) -> None:
    with Gradebook(path, "c") as book:
        book.put("ada", "f", "s", LABS)
    with Gradebook(path, course) as book:
        assert book.get(student, digest, seed) is None


def test_a_student_has_one_result_and_it_is_the_last(path: Path) -> None:
    with Gradebook(path, "c") as book:
        book.put("ada", "f", "s", LABS)
        book.put("ada", "g", "s", LABS[:1])
        assert book.get("ada", "f", "s") is None
        assert book.get("ada", "g", "s") == LABS[:1]


def test_the_seed_stays_until_another_is_asked_for(path: Path) -> None:
    with Gradebook(path, "c") as book:
        first = book.seed()
        assert book.seed() == first
        fresh = book.seed(fresh=True)
        assert fresh != first
        assert book.seed() == fresh
        assert (book.seed("mine"), book.seed()) == ("mine", "mine")


def test_a_run_without_a_sandbox_is_never_forgotten(path: Path) -> None:
    with Gradebook(path, "c") as book:
        assert not book.was_without_sandbox(now=False)
        assert book.was_without_sandbox(now=True)
    with Gradebook(path, "c") as book:
        assert book.was_without_sandbox(now=False)


def test_two_runs_can_not_have_it_at_once(path: Path) -> None:
    with Gradebook(path, "c"), pytest.raises(OSError, match="is another run at work there"):
        Gradebook(path, "c")


def test_a_file_that_is_none_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("my notes, which are longer than a header of a database is\n" * 100, "utf-8")
    with pytest.raises(ValueError, match="is no gradebook"):
        Gradebook(path, "c")
    assert path.read_text("utf-8").startswith("my notes")

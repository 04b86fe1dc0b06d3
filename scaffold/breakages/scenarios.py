"""Plays small scenes with a tree's lab 10.4 or 10.5, and prints what was seen as JSON. Runs in a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scaffold.course import find_lab
from scaffold.given.faults import FaultyFileIO
from scaffold.given.samples import metadata_entry
from scaffold.grading.tree import LoadedLab, Tree

SECONDS = 3  # for one scene


def note(entry_id: str, parent_id: str | None) -> Any:
    return metadata_entry(entry_id, parent_id, "note", "hello")


def line(entry_id: str, parent_id: str | None, value: str = "hello") -> str:
    entry = metadata_entry(entry_id, parent_id, "note", value)
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"


ROOT_LINE, CHILD_LINE = line("root", None), line("child", "root")
TEXTS = {
    "a tail that is complete JSON": ROOT_LINE + CHILD_LINE.rstrip("\n"),
    "half a record at the end": ROOT_LINE + CHILD_LINE[:30],
    "a damaged line between good ones": ROOT_LINE + "BAD\n" + CHILD_LINE,
    "a damaged line at the end": ROOT_LINE + "BAD\n",
    "a damaged line after blank lines": ROOT_LINE + "\n \n" + "BAD\n",
    "a committed line of the wrong shape": ROOT_LINE + '{"id":"child"}\n',
    "a line that holds a U+2028": line("root", None, "one\u2028two"),
    "a tail that is a no-break space": ROOT_LINE + "\u00a0",
    "a blank tail": ROOT_LINE + " \t",
    "a key that stands twice": ROOT_LINE + CHILD_LINE.replace('"id"', '"id":"x","id"'),
    "a number too large for a double": ROOT_LINE + CHILD_LINE.replace('"hello"', "1e999"),
}


def says(result: Any) -> str:
    """Put a reading into words."""
    ids = ", ".join(entry["id"] for entry in result["entries"]) or "nothing"
    warnings = ", ".join(f"{warning['code']} at line {warning['line']}" for warning in result["warnings"])
    return f"{ids}; {warnings or 'no warning'}"


def recover(lab: LoadedLab) -> list[dict[str, str]]:
    """Read each text."""
    scenes = []
    for title, text in TEXTS.items():
        try:
            seen = says(lab.recover_jsonl(text))
        except Exception as error:
            seen = f"{type(error).__name__}: {error}"
        scenes.append({"title": title, "bytes": text.encode().hex(), "seen": seen})
    return scenes


async def half_written(store_type: Any, file: Path) -> list[str]:
    """The second of three appends fails half-way; the third is already queued."""
    io = FaultyFileIO(fail_at=1, written=20)
    store = await store_type.open(file, io)
    outcomes = [
        store.append(note("root", None)),
        store.append(note("child", "root")),
        store.append(note("next", "root")),
    ]
    return [await outcome_of(outcome) for outcome in outcomes] + [f"state: {store.state}"]


async def torn_at_opening(store_type: Any, file: Path) -> list[str]:
    """The file ends in half a record when it is opened, and something is appended."""
    file.write_text(ROOT_LINE + CHILD_LINE[:20], "utf-8")
    store = await store_type.open(file)
    return [await outcome_of(store.append(note("next", "root"))), f"state: {store.state}"]


async def changed_after_the_call(store_type: Any, file: Path) -> list[str]:
    """The caller changes an entry between the call and the await."""
    store = await store_type.open(file)
    entry = note("root", None)
    pending = store.append(entry)
    entry["value"] = "changed after the call"
    return [await outcome_of(pending)]


async def parent_and_child(store_type: Any, file: Path) -> list[str]:
    """A parent and its child are appended without an await between them; then an orphan."""
    store = await store_type.open(file)
    outcomes = [
        store.append(note("root", None)),
        store.append(note("child", "root")),
        store.append(note("kid", "ghost")),
    ]
    return [await outcome_of(outcome) for outcome in outcomes]


async def outcome_of(outcome: Awaitable[Any]) -> str:
    try:
        await outcome
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "appended"


Scene = Callable[[Any, Path], Awaitable[list[str]]]
SCENES: list[Scene] = [half_written, torn_at_opening, changed_after_the_call, parent_and_child]


async def play(lab: LoadedLab, folder: Path) -> list[dict[str, str]]:
    """Play each scene on a file of its own."""
    scenes = []
    for scene in SCENES:
        file = folder / f"{scene.__name__}.jsonl"
        try:
            async with asyncio.timeout(SECONDS):
                outcomes = await scene(lab.JsonlSessionStore, file)
        except TimeoutError:
            outcomes = [f"nothing more happened within {SECONDS} s"]
        except Exception as error:
            outcomes = [f"{type(error).__name__}: {error}"]
        data = file.read_bytes().hex() if file.exists() else ""
        title = str(scene.__doc__).rstrip(".")
        scenes.append({"title": title, "bytes": data, "seen": "; ".join(outcomes)})
    return scenes


def main(tree: str, number: str) -> None:
    """Print the scenes of a lab."""
    lab = Tree(Path(tree)).load(find_lab(number))
    with tempfile.TemporaryDirectory(prefix="session-tree-") as folder:
        scenes = recover(lab) if number == "10.4" else asyncio.run(play(lab, Path(folder)))
    print(json.dumps(scenes))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What the reference keeps, beyond what the labs ask of everybody."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

from scaffold.given.faults import FaultyFileIO
from scaffold.given.samples import metadata_entry
from solutions import JsonlSessionStore


@pytest.mark.parametrize("method", ["append", "read", "entries"])
async def test_the_traceback_of_a_stored_error_does_not_grow(tmp_path: Path, method: str) -> None:
    store: Any = await JsonlSessionStore.open(tmp_path / "session.jsonl", FaultyFileIO())
    entry = metadata_entry("a", None, "note", 1)
    with pytest.raises(OSError, match="No space"):
        await store.append(entry)

    frames = []
    for _ in range(5):
        with pytest.raises(OSError, match="No space") as caught:
            await getattr(store, method)(*([entry] if method == "append" else []))
        frames.append(len(traceback.extract_tb(caught.value.__traceback__)))

    assert len(set(frames)) == 1, frames

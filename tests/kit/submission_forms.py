"""The forms in which submissions come, made small for tests."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from scaffold.classroom.model import Submission
from scaffold.course import find_lab
from scaffold.stubs import fresh_stub


def answer(number: str, mark: str = "") -> bytes:
    """Return the lab's stub with a mark in it, which is enough to tell whose file was taken."""
    return f"{fresh_stub(find_lab(number))}\n# {mark or number}\n".encode()


def put(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def zipped(files: Mapping[str, bytes], *, year: int = 2026) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (year, 5, 4, 12, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def notebook(*cells: str) -> bytes:
    made: list[dict[str, object]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": cell.splitlines(True)}
        for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def by_id(submissions: list[Submission]) -> dict[str, Submission]:
    assert len({each.student.id for each in submissions}) == len(submissions)
    return {each.student.id: each for each in submissions}

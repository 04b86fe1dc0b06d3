"""Mutation testing of the reference, for authors: changes it in every small way, and asks whether a test notices.

    python -m pip install -e ".[dev,mutation]" && python .ci/mutate.py [10.N ...]

The tests are those of the mutant's lab, and `tests/kit/test_reference.py`. Prints each mutant that stays green, and the
score. Those that no test can tell from the reference are listed in `equivalent-mutants.toml`, each with its reason.
Takes two to four seconds a mutant, and half an hour for all.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scaffold.course import LABS, Lab, find_lab  # noqa: E402 (found only now)

COSMIC_RAY = str(Path(sys.executable).with_name("cosmic-ray"))
CONFIG = """\
[cosmic-ray]
module-path = "{module}"
timeout = 30.0
excluded-modules = []
test-command = "{python} -m pytest --tree solutions -q -x -p no:cacheprovider {tests} tests/kit/test_reference.py"
[cosmic-ray.distributor]
name = "local"
"""


@dataclass(frozen=True)
class Mutant:
    """One change of one line. `text` is the changed line, without indentation."""

    lab: Lab
    number: int  # of the line
    text: str
    survived: bool


def main(numbers: list[str]) -> int:
    """Test the labs with these numbers, or all; return 1 if a mutant survived that is not listed."""
    labs = [find_lab(number) for number in numbers] or list(LABS)
    mutants = [mutant for lab in labs for mutant in tested(lab)]
    listed = {(lab.number, text) for lab in labs for text in equivalent(lab)}
    survivors = [mutant for mutant in mutants if mutant.survived]
    unknown = [mutant for mutant in survivors if (mutant.lab.number, mutant.text) not in listed]
    gone = listed - {(mutant.lab.number, mutant.text) for mutant in survivors}
    for mutant in unknown:
        print(f"survived: solutions/{mutant.lab.folder}/session.py line {mutant.number}: {mutant.text}")
    for number, text in sorted(gone):
        print(f"listed as equivalent, but not among the survivors: lab {number}: {text}")
    killed = len(mutants) - len(survivors)
    equivalents = len(survivors) - len(unknown)
    print(f"{killed} of {len(mutants)} mutants killed, {equivalents} equivalent, {len(unknown)} survived")
    return 1 if unknown or gone else 0


def equivalent(lab: Lab) -> list[str]:
    """Return the changed lines that are known to make no difference."""
    tables = tomllib.loads(Path(__file__).with_name("equivalent-mutants.toml").read_text("utf-8"))
    return [mutant["line"] for mutant in tables["mutant"] if mutant["lab"] == lab.number]


def tested(lab: Lab) -> Iterator[Mutant]:
    """Yield each mutant of a lab's solution, after the lab's tests have looked at it, in a copy of the course."""
    with tempfile.TemporaryDirectory(prefix="session-tree-") as folder:
        for name in ("labs", "scaffold", "solutions", "tests"):
            shutil.copytree(ROOT / name, Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        module = f"solutions/{lab.folder}/session.py"
        tests = lab.test_file.relative_to(ROOT).as_posix()
        Path(folder, "config.toml").write_text(
            CONFIG.format(module=module, python=sys.executable, tests=tests), "utf-8"
        )
        for command in (["init", "config.toml", "session.sqlite"], ["exec", "config.toml", "session.sqlite"]):
            subprocess.run([COSMIC_RAY, *command], cwd=folder, check=True)
        dump = [COSMIC_RAY, "dump", "session.sqlite"]
        done = subprocess.run(dump, cwd=folder, check=True, capture_output=True, encoding="utf-8")
        annotations = set(annotation_lines(Path(folder, module).read_text("utf-8")))
    for line in done.stdout.splitlines():
        [job, result] = json.loads(line)
        [mutation] = job["mutations"]
        number, column = mutation["start_pos"]
        if (number, column) in annotations:
            continue  # it is text and never evaluated
        added = [text[1:].strip() for text in result["diff"].splitlines() if text.startswith("+") and text[1:2] != "+"]
        yield Mutant(lab, number, " ".join(added), survived=result["test_outcome"] == "survived")


def annotation_lines(source: str) -> Iterator[tuple[int, int]]:
    """Yield the places, as line and column, that lie in an annotation."""
    for node in ast.walk(ast.parse(source)):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.expr) and annotation.end_col_offset is not None:
                columns = range(annotation.col_offset, annotation.end_col_offset)
                yield from ((annotation.lineno, column) for column in columns)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

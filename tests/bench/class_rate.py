"""How long class grading takes for a submission, beside nbgrader and otter-grader on the same tests.

    python tests/bench/class_rate.py [--submissions N] [--jobs N] [--peers PYTHON]

PYTHON is that of an environment with the peers; without it there is no peer, and the table says so. To make one:

    python -m venv PEERS
    PEERS/bin/python -m pip install nbgrader==0.9.6 otter-grader==7.0.0 "pytest>=9.0" "pytest-timeout>=2.4"

and then `--peers PEERS/bin/python`. Each grades the same honest submissions in one go, all labs, from its start to its
end: `python grade.py class` with both witnesses and the sandbox; `nbgrader autograde`; and `otter.api.grade_submission`
in one process, which needs no container. They take turns, and ours come before and after each peer, so that a noisy
machine slows both. Each must find right what is right, and nothing else. The ratio is a peer's seconds by ours.

`--jobs` is for ours alone, since neither peer grades two at once by itself; so it is 1 unless you say otherwise.
Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from bench import class_material  # noqa: E402 (found only now)
from bench.class_material import Files  # noqa: E402

from scaffold.course import ROOT  # noqa: E402

GOAL = 10
PEERS = ("nbgrader", "otter")
PROGRAM = Path(__file__).with_name("class_peers.py")
SEED = "honest"


@dataclass(frozen=True)
class Bench:
    """What all grade, and where."""

    folder: Path
    found: dict[str, Files]
    jobs: int

    def seconds(self, began: float) -> float:
        """Return how long each submission has taken since then."""
        return (time.perf_counter() - began) / len(self.found)

    def ours(self) -> float:
        """Return the seconds that `grade.py class` takes for a submission."""
        with tempfile.TemporaryDirectory(dir=self.folder) as report:
            options = ["-o", report, "--seed", SEED, "--jobs", str(self.jobs)]
            began = time.perf_counter()
            run(sys.executable, str(ROOT / "grade.py"), "class", str(self.folder / "class"), *options)
            seconds = self.seconds(began)
            self.check("class grading", right_of_ours(Path(report, "grades.csv")))
        return seconds

    def prepare(self, python: Path, peer: str) -> None:
        folder = self.folder / peer
        folder.mkdir()
        texts = {
            student: {name: data.decode() for name, data in files.items()} for student, files in self.found.items()
        }
        (folder / "submissions.json").write_text(json.dumps(texts), "utf-8")
        run(str(python), str(PROGRAM), "prepare", peer, str(folder), str(ROOT))

    def peer(self, python: Path, peer: str) -> float:
        """Return the seconds that a peer takes for a submission."""
        began = time.perf_counter()
        said = run(str(python), str(PROGRAM), "grade", peer, str(self.folder / peer))
        seconds = self.seconds(began)
        self.check(peer, json.loads(said.splitlines()[-1]))
        return seconds

    def check(self, grader: str, right: Collection[str]) -> None:
        """Let no figure stand for grading that was wrong. Raises SystemExit."""
        wanted = class_material.fully_right(self.found)
        if set(right) != wanted:
            wrong = ", ".join(sorted(set(right) ^ wanted))
            sys.exit(f"{grader} does not know right from wrong in {wrong}; its seconds would mean nothing")


def run(*command: str) -> str:
    """Return what a command prints. Raises SystemExit with all of it if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def right_of_ours(table: Path) -> list[str]:
    """Return who has all items right."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        return [row["id"] for row in csv.DictReader(file) if all(row[name] == "1" for name in row if name[:3] == "10.")]


def measure(bench: Bench, python: Path | None) -> None:
    """Print one table."""
    print(f"{len(bench.found)} submissions, {bench.jobs} at once by ours; seconds a submission, start-up included")
    print(f"{'grader':<14} {'theirs':>8} {'ours':>8} {'ratio':>7} {'goal':>6}")
    ours = [bench.ours()]
    for peer in PEERS if python else ():
        assert python is not None
        bench.prepare(python, peer)
        theirs = bench.peer(python, peer)
        ours.append(bench.ours())
        around = statistics.mean(ours[-2:])
        print(f"{peer:<14} {theirs:>8.2f} {around:>8.2f} {theirs / around:>7.1f} {GOAL:>6}", flush=True)
    if not python:
        print(f"{'(no peer)':<14} {'-':>8} {ours[0]:>8.2f} {'-':>7} {GOAL:>6}   --peers names an environment with some")


def main() -> None:
    """Make the submissions, and let all grade them."""
    parser = argparse.ArgumentParser(
        prog="tests/bench/class_rate.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--submissions", type=int, default=100, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="of ours (default: %(default)s)")
    parser.add_argument("--peers", type=Path, metavar="PYTHON", help="of an environment with nbgrader and otter-grader")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="session-tree-bench-") as folder:
        found = class_material.submissions(asked.submissions, SEED)
        class_material.write(found, Path(folder, "class"))
        measure(Bench(Path(folder), found, asked.jobs), asked.peers)


if __name__ == "__main__":
    main()

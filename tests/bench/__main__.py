"""How fast the reference is, as ratios to a floor or a peer: `python tests/bench [--session FILE] [ROW ...]`.

Each row measures both sides by turns in the same run, so that a noisy machine slows both, and prints the median of the
ratios. With `--session`, recovery is measured on that file and not on a generated session. Nothing here passes or
fails. Class grading is measured apart, since its peers are whole programs: `class_rate.py` beside this.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from bench import rows  # noqa: E402 (found only now)


def timed(work: Callable[[], object]) -> float:
    """Return how many seconds it takes."""
    gc.collect()
    begin = time.perf_counter()
    kept = work()
    seconds = time.perf_counter() - begin
    del kept
    return seconds


def compared(ours: Callable[[], object], floor: Callable[[], object], rounds: int) -> tuple[float, float, float]:
    """Return the median seconds of both, and the median of the ratios."""
    pairs = [(timed(ours), timed(floor)) for _ in range(rounds)]
    ratio = statistics.median(one / other for one, other in pairs)
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs), ratio


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="tests/bench", description=__doc__)
    parser.add_argument("--session", type=Path, metavar="FILE")
    parser.add_argument("row", nargs="*", choices=[[], *[row.name for row in rows.ROWS]], metavar="ROW")
    asked = parser.parse_args()
    print(f"{'row':<34} {'ours':>10} {'floor':>10} {'ratio':>7} {'goal':>7}   floor is")
    for row in rows.ROWS:
        if asked.row and row.name not in asked.row:
            continue
        with row.prepared(asked.session) if row.of_session else row.prepared() as (ours, floor):
            if row.is_memory:
                used, size = rows.peak_memory(ours), rows.peak_memory(floor)
                print(f"{row.name:<34} {used / 1e6:>7.1f} MB {size / 1e6:>7.1f} MB", end="")
                ratio = used / size
            else:
                mine, other, ratio = compared(ours, floor, row.rounds)
                print(f"{row.name:<34} {mine * 1e3:>7.1f} ms {other * 1e3:>7.1f} ms", end="")
        print(f" {ratio:>7.2f} {row.goal:>7}   {row.floor}", flush=True)


if __name__ == "__main__":
    main()

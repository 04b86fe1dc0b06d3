"""What `python grade.py class` can be asked for."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

DESCRIPTION = """Grade all that a class handed in. FOLDER holds a folder, a zip or a file for each student, or the
export of Canvas, Moodle or GitHub Classroom. DIR gets index.html, tables for the platforms, and feedback for each
student. Run it again after a break, or with more in FOLDER: what is graded already is not run again."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    parser.description = DESCRIPTION
    parser.add_argument("submissions", type=Path, metavar="FOLDER", nargs="?")
    parser.add_argument("-o", "--report", type=Path, metavar="DIR", help="where the reports and the gradebook go")
    parser.add_argument(
        "--roster", type=Path, metavar="CSV", help="the list of the class: those who are missing get a row"
    )
    parser.add_argument("--policy", type=Path, metavar="TOML", help="points, lateness, and marks that are set by hand")
    parser.add_argument("--seed", help="of the exam (default: the last run's in DIR, or a fresh one)")
    parser.add_argument("--regrade", action="store_true", help="run all again, with a fresh exam")
    parser.add_argument(
        "--jobs", type=_jobs, default=processors(), metavar="N", help="how many at once (default: %(default)s)"
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="of a Dask scheduler, such as tcp://scheduler:8786: its workers grade, and not this machine; "
        "scaffold/classroom/cluster.md says how to set one up",
    )
    parser.add_argument(
        "--no-sandbox",
        dest="sandbox",
        action="store_false",
        help="run all with your rights; the report says so for ever",
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=20.0,
        metavar="N",
        help="that one run of a lab may take; more on a slow machine (default: %(default)s)",
    )
    parser.add_argument("--gradescope-zip", type=Path, metavar="ZIP", help="write an autograder for Gradescope instead")


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 3600:  # noqa: PLR2004 (said below)
        raise argparse.ArgumentTypeError(f"--seconds is a number from 1 to 3600, not {text}")
    return seconds


def _jobs(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"--jobs is a number from 1 on, not {text}")
    return int(text)

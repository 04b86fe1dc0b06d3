"""Run the labs, and all else that the course has commands for."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scaffold import class_options, commands
from scaffold.course import Lab, find_lab
from scaffold.grading.verdict import GraderError

COMMANDS = """commands:
  (none)              run the labs in order, up to the first that is not green
  10.N [10.N ...]     run these labs
  list                list the labs
  hint 10.N [STEP]    show a hint for each task; STEP 2, 3, ... goes further
  reset 10.N          bring the stub back; your file is kept beside it
  diff 10.N           compare your file with the reference, once it is green
  break 10.N [NAME]   list the breakages of a lab, or see what one does
  notebook [10.N]     open a lab in JupyterLab: text, notebook and tests; --html DIR writes pages to read offline;
                      for authors: --write makes the notebooks from their sources, --check compares them
  practice DIR        make a fresh folder without answers
  class FOLDER -o DIR grade all that a class handed in, in a sandbox; class --help says more
  check [--write]     for authors: check the course; --write cuts the stubs first
"""
NAMES = ("list", "hint", "reset", "diff", "break", "notebook", "practice", "class", "check")


def lab_number(text: str) -> Lab:
    """Turn `10.3` into its lab, for argparse."""
    try:
        return find_lab(text.removeprefix("lab_").replace("_", "."))
    except KeyError as error:
        raise argparse.ArgumentTypeError(f"{error.args[0]}; python grade.py --help lists the commands") from None


def step_or_task(text: str) -> int | str:
    """Turn `2` into the number of a hint's step, and leave the name of a task, for argparse."""
    if text.lstrip("-").isdecimal():
        if int(text) < 1:
            raise argparse.ArgumentTypeError(f"hints are counted from 1 on, not {text}")
        return int(text)
    return text


def run_parser() -> argparse.ArgumentParser:
    """Describe what can be said without a command."""
    parser = argparse.ArgumentParser(
        prog="grade.py", description=__doc__, epilog=COMMANDS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labs", nargs="*", type=lab_number, metavar="10.N", help="the labs to run (default: in order)")
    parser.add_argument("--all", action="store_true", help="go on after a lab that is not green, and run the bonus too")
    parser.add_argument("--tree", default="labs", help="labs (yours), solutions, or a folder with lab_10_1 ...")
    parser.add_argument("--watch", action="store_true", help="run again whenever a session.py is saved")
    parser.add_argument("--json", action="store_true", help="write the verdicts as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="name each test")
    return parser


def command_parser() -> argparse.ArgumentParser:
    """Describe the commands."""
    parser = argparse.ArgumentParser(prog="grade.py")
    subparsers = parser.add_subparsers(dest="command", required=True)
    for name in NAMES:
        subparser = subparsers.add_parser(name)
        if name in {"hint", "reset", "diff", "break"}:
            subparser.add_argument("lab", type=lab_number, metavar="10.N")
        if name == "hint":
            subparser.add_argument("which", type=step_or_task, nargs="*", metavar="STEP or TASK")
        if name == "break":
            subparser.add_argument("name", nargs="?", metavar="NAME")
        if name == "notebook":
            subparser.add_argument("lab", type=lab_number, nargs="?", metavar="10.N")
            subparser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
            instead = subparser.add_mutually_exclusive_group()
            instead.add_argument("--html", type=Path, metavar="DIR", help="write all notebooks as pages")
            instead.add_argument("--write", action="store_true", help="run the sources, and write the notebooks")
            instead.add_argument("--check", action="store_true", help="run the sources, and compare the notebooks")
        if name == "practice":
            subparser.add_argument("folder", type=Path, metavar="DIR")
        if name == "class":
            class_options.add_to(subparser)
        if name == "check":
            subparser.add_argument("--write", action="store_true", help="cut the stubs from the solutions first")
    return parser


def task_for(arguments: Sequence[str]) -> Callable[[], int]:
    """Return what the command line asks for. Raises SystemExit for what it does not know."""
    if not arguments or arguments[0] not in NAMES:
        asked = run_parser().parse_args(arguments)
        return lambda: commands.run(commands.Run(**vars(asked)))
    asked = command_parser().parse_args(arguments)
    return {
        "list": commands.list_labs,
        "hint": lambda: commands.hint(asked.lab, asked.which),
        "reset": lambda: commands.reset(asked.lab),
        "diff": lambda: commands.diff(asked.lab),
        "break": lambda: commands.break_it(asked.lab, asked.name),
        "notebook": lambda: notebook_task(asked),
        "practice": lambda: commands.practice(asked.folder),
        "class": lambda: commands.grade_class(asked),
        "check": lambda: commands.check(write=asked.write),
    }[asked.command]


def notebook_task(asked: argparse.Namespace) -> int:
    """Do what is asked for with the notebooks."""
    if asked.html:
        return commands.notebook_pages(asked.lab, asked.html)
    if asked.write or asked.check:
        return commands.make_notebooks(asked.lab, write=asked.write)
    return commands.open_notebook(asked.lab, browser=not asked.no_browser)


def main(arguments: Sequence[str]) -> int:
    """Do what the command line asks for, and return the exit code: 2 where nothing could be run."""
    try:
        return task_for(arguments)()
    except BrokenPipeError:  # whoever reads the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (GraderError, ValueError, OSError) as error:
        print(f"grade.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

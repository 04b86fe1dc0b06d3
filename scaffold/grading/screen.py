"""What a person sees of a verdict."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from collections.abc import Sequence
from typing import TextIO

from scaffold.course import LABS, Lab
from scaffold.grading.verdict import TestResult, Verdict
from scaffold.hints import hint_for_test

_MARKS = {"passed": ("✓", "ok", 32), "not written": ("·", "..", 33), "not checked": ("…", "--", 2)}
_RED = ("✗", "no", 31)
_LINES = 14  # of a failure that are shown


class Screen:
    """Writes verdicts to a stream: in colour on a terminal only, and with plain marks where it can't write others."""

    def __init__(self, stream: TextIO, *, names: bool, advice: bool) -> None:
        """Write to `stream`; with `names`, name each test function; with `advice`, say what a student does next."""
        self._stream = stream
        self._names = names
        self._advice = advice
        self._colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._plain = not _can_write(stream, "✓✗·…")

    def clear(self) -> None:
        """Begin an empty screen, on a terminal."""
        if self._stream.isatty():
            self._stream.write("\x1b[2J\x1b[H")

    def verdict(self, verdict: Verdict) -> None:
        """Write a verdict: one line, then the details."""
        mark = self._mark(verdict.status)
        lab, red = verdict.lab, verdict.first_red()
        self._write(f"{lab.number} {lab.title:<25} {mark} {_counts(verdict)}{_headline(verdict, red)}".rstrip())
        if verdict.note:
            self._write(f"     {verdict.note}")
        if red is not None:
            self._failure(lab, red)
            self._stop(verdict, red)
        if self._names:
            self._functions(verdict)

    def end(self, verdicts: Sequence[Verdict]) -> None:
        """Write where the student stands, and what comes next."""
        open_ones = [verdict for verdict in verdicts if not verdict.passed]
        done = [verdict for verdict in verdicts if verdict.passed and not verdict.lab.is_bonus]
        six = [lab for lab in LABS if not lab.is_bonus]
        if len(verdicts) > 1:
            checkpoints = sum(len(verdict.green(verdict.lab.checkpoints)) for verdict in verdicts)
            total = sum(len(lab.checkpoints) for lab in six)
            self._write(f"\n{len(done)} of {len(six)} labs, {checkpoints} of {total} checkpoints.")
        if open_ones and self._advice:
            lab = open_ones[0].lab
            self._write(f"Next: read labs/{lab.folder}/README.md, write labs/{lab.folder}/session.py, and run")
            self._write(f"      python grade.py {lab.number}         (python grade.py hint {lab.number} helps)")
        elif self._advice and len(verdicts) == 1:
            self._write("Next: python grade.py         goes on to the next lab")

    def _failure(self, lab: Lab, red: TestResult) -> None:
        if red.printed.strip():
            self._write("     printed by this test:")
            self._write_lines([f"| {line}" for line in red.printed.rstrip("\n").split("\n")], _LINES)
        if red.kind in {"not written", "not loadable"}:
            return
        self._write_lines(red.message.split("\n"), _LINES)
        if red.where:
            self._write(f"     at {red.where}")
        if hint := hint_for_test(lab, red.function):
            for line in filled(f"hint: {hint}", "     ", "           "):
                self._write(self._paint(line, 36))

    def _stop(self, verdict: Verdict, red: TestResult) -> None:
        """Say where a run was stopped, if that is not said already."""
        endless = next((result for result in verdict.results if result.kind == "timed out"), None)
        if endless is not None and any(result.outcome == "not run" for result in verdict.results):
            here = "" if endless == red else f"{endless.name} did not come to an end; "
            self._write(f"     {here}the tests after it were not run")

    def _write_lines(self, lines: list[str], limit: int) -> None:
        for line in lines[:limit]:
            self._write(f"     {line}")
        if len(lines) > limit:
            self._write(f"     ... ({len(lines) - limit} lines more)")

    def _functions(self, verdict: Verdict) -> None:
        lab = verdict.lab
        groups = [("checkpoint", lab.checkpoints), ("Python", lab.python_tests), ("bonus", lab.bonus_tests)]
        for group, functions in groups:
            green, red = verdict.green(functions), verdict.red()
            for function in functions:
                status = "passed" if function in green else "failed" if function in red else "not checked"
                mark = self._mark(status)
                cases = [result for result in verdict.results if result.function == function]
                wrong = sum(result.outcome == "failed" for result in cases)
                count = f"   ({wrong} of {len(cases)} cases are red)" if wrong and len(cases) > 1 else ""
                self._write(f"     {mark} {group:<11} {function.removeprefix('test_').replace('_', ' ')}{count}")

    def _mark(self, status: str) -> str:
        fine, plain, colour = _MARKS.get(status, _RED)
        return self._paint(plain if self._plain else fine, colour)

    def _paint(self, text: str, colour: int) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text

    def _write(self, line: str) -> None:
        encoding = self._stream.encoding or "utf-8"
        print(line.encode(encoding, "replace").decode(encoding), file=self._stream, flush=True)


def filled(text: str, first: str, rest: str) -> list[str]:
    """Break a text into lines of at most 100 columns; what stands between backticks is not broken."""
    width = min(shutil.get_terminal_size().columns, 100)
    whole = re.sub("`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        whole, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )
    return [line.replace("\0", " ") for line in lines]


def _counts(verdict: Verdict) -> str:
    if not verdict.results:
        return ""
    lab = verdict.lab
    parts = []
    for name, functions in (("", lab.checkpoints), (" Python", lab.python_tests), (" bonus", lab.bonus_tests)):
        if functions:
            parts.append(f"{len(verdict.green(functions))}/{len(functions)}{name}")
    return " + ".join(parts)


def _headline(verdict: Verdict, red: TestResult | None) -> str:
    if red is None:
        return f"   {verdict.status}: {verdict.reason}" if verdict.reason else ""
    if red.kind == "not written":
        return f"   {red.message}"
    if red.kind == "not loadable":
        return f"   {verdict.status}: {red.message}"
    return f"   {verdict.status}: {red.name}"


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True

"""Reads the list of a class, and finds in it whose a submission is.

The list is a CSV file with a line of headers; commas, semicolons or tabs; UTF-8 with or without a mark, or UTF-16. An
export of Canvas's gradebook, Moodle's grading worksheet and GitHub Classroom's roster can be used as they are. These
headers are known, in any case and with any spaces, `_` or `-`; of several for one thing, the first in this list counts:

    id          id, student id, student number, sis id, sis user id, login, sis login id, login id, username, user id,
                identifier, roster identifier, github username, email, email address, id number
    name        name, full name, student name, student, display name; or first name with last name or surname
    email       email, email address, e-mail
    submitted   submitted, submitted at, submission time, submission timestamp: ISO 8601 with its zone

All columns are kept, under their own headers, for the platform that wants them back.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scaffold.classroom.members import same, shown, visible
from scaffold.classroom.model import Student

_IDS = (
    *("id", "studentid", "studentnumber", "sisid", "sisuserid", "login", "sisloginid", "loginid", "username", "userid"),
    *("identifier", "rosteridentifier", "githubusername", "email", "emailaddress", "idnumber"),
)
_NAMES = ("name", "fullname", "studentname", "student", "displayname")
_FIRST_NAMES, _LAST_NAMES = ("firstname", "givenname"), ("lastname", "surname", "familyname")
_EMAILS = ("email", "emailaddress", "emails")
_TIMES = ("submitted", "submittedat", "submissiontime", "submissiontimestamp")
_CANVAS_ROWS = {"points possible", "manual posting"}  # what Canvas's gradebook writes above the first student


@dataclass(frozen=True, eq=False)
class Person:
    """A row of the list. `logins` are all by which a folder or a platform may call them."""

    student: Student
    logins: frozenset[str]
    submitted: datetime | None = None


def read_roster(path: Path) -> list[Person]:
    """Return the people of a list. Raises ValueError that names the line, and OSError."""
    rows = _rows(path)
    line, headers = next(rows, (1, []))
    headers = [header.strip() for header in headers]
    keys = {_key(header) for header in headers}
    id_column = next((key for key in _IDS if key in keys), "")
    if not id_column:
        found = ", ".join(map(shown, headers)) or "nothing"
        raise ValueError(f"{path}, line {line}: no column for the id, such as id, login or Student ID; found {found}")
    people: list[Person] = []
    lines: dict[str, int] = {}
    for line, row in rows:
        cells = dict(zip(headers, (cell.strip() for cell in row), strict=False))
        person = _person(cells, id_column, f"{path}, line {line}")
        if person is None:
            continue
        id_ = person.student.id
        if id_ in lines:
            raise ValueError(f"{path}, line {line}: the id {shown(id_)} stands in line {lines[id_]} already")
        lines[id_] = line
        people.append(person)
    return people


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, with their line numbers."""
    text = _text(path)
    first = text.partition("\n")[0].strip()
    declared = re.fullmatch(r"sep=(.)", first, re.IGNORECASE)  # Excel's own way to say it
    delimiter = declared[1] if declared else max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row) and not (declared and reader.line_num == 1):
                yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: no CSV that can be read: {error}") from error


def _text(path: Path) -> str:
    content = path.read_bytes()
    encoding = "utf-16" if content[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: is not UTF-8; save the list as `CSV UTF-8`") from error


def _person(cells: dict[str, str], id_column: str, place: str) -> Person | None:
    """Return the person of a row; None for a row of the platform's own. Raises ValueError."""
    values = {_key(header): value for header, value in reversed(cells.items())}
    id_ = values.get(id_column, "")
    name = _first(values, _NAMES) or " ".join(filter(None, (_first(values, _FIRST_NAMES), _first(values, _LAST_NAMES))))
    if name.lower() in _CANVAS_ROWS:
        return None
    if not id_:
        raise ValueError(f"{place}: {shown(name) or 'somebody'} has no id; fill it in, or take the line out")
    student = Student(
        id=visible(same(id_)),
        name=visible(name),
        email=visible(_first(values, _EMAILS)),
        platform_ids={header: value for header, value in cells.items() if header and value},
    )
    logins = {same(values[key]) for key in _IDS if values.get(key)}
    return Person(student, frozenset(logins), _time(_first(values, _TIMES), place))


def _time(text: str, place: str) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError(f"{place}: {shown(text)} is no time with its zone; write it like 2026-05-04T23:59:00+02:00")
    return moment


def _first(values: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((values[key] for key in keys if values.get(key)), "")


def _key(header: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", header.lower())

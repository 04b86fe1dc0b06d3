r"""Whose a file or folder is, from its name alone.

Canvas, "Download submissions": one folder of files, each named

    lastnamefirstname_[LATE_]USERID_FILEID_name.py          the name in lower case, of letters, digits and _ alone
    [LATE_]anon_ANONYMOUSID_FILEID_name.py                  where it grades anonymously
    lastnamefirstname_[LATE_]USERID_text.html, _link.html   what was typed in, and not uploaded

where files of one name were told apart with `-1`, `-2`, ... before the ending. USERID is the gradebook's column `ID`.

Moodle, "Download all submissions": a folder for each participant and kind of submission,

    Full Name_1234567_assignsubmission_file_/name.py        from Moodle 4.1 on without the last _
    Full Name_1234567_assignsubmission_onlinetext_/onlinetext.html
    Full Name_1234567_assignsubmission_file_name.py         where it was told to make no folders

where the number is that of the grading worksheet's `Identifier`, `Participant 1234567`. A group's folder has the
group's name and number, and makes one row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from scaffold.classroom.members import same, suffix_of
from scaffold.course import LABS

Platform = Literal["", "Canvas", "Moodle"]

_LAB_NUMBERS = {lab.number for lab in LABS}
_CANVAS = re.compile(
    r"(?:(?:LATE_)?(?P<anonymous>anon_[^\W_]+)|(?P<name>\w*?)_(?:LATE_)?(?P<id>[0-9]+))_"
    r"(?:(?P<file>[0-9]+)_(?P<original>.+)|(?P<typed>text|link)\.html)",
    re.DOTALL,
)
_LATE = re.compile(r"(?:LATE_anon_|\w*?_LATE_[0-9]+_)")
_MOODLE = re.compile(r"(?P<name>.*)_(?P<id>[0-9]+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<original>.*))?", re.DOTALL)
_LAB = re.compile(r"[-_. ]*(?:lab|session)?[-_. ]*10[-_. ][0-9][-_. ]*(?:session)?$|[-_. ]+session$", re.IGNORECASE)


@dataclass(frozen=True)
class Owner:
    """Somebody as a file's name speaks of them. Two are one person if platform and id are the same."""

    id: str
    platform: Platform = ""
    name: str = field(default="", compare=False)

    @property
    def platform_ids(self) -> dict[str, str]:
        """What the platform calls them in its tables, by column."""
        if self.platform == "Canvas" and not self.id.startswith("anon_"):
            return {"ID": self.id}
        if self.platform == "Moodle":
            return {"Identifier": f"Participant {self.id}"} | ({"Full name": self.name} if self.name else {})
        return {}


@dataclass(frozen=True)
class Exported:
    """What the name of an exported file says. `original` is what the student called it, empty for a Moodle folder."""

    owner: Owner
    original: str
    order: int = 0  # Canvas's number of the file, which grows with time
    note: str = ""


def exported(name: str) -> Exported | None:
    """Read the name of a file or folder as a platform's; None if it is not one."""
    moodle = _MOODLE.fullmatch(name)
    if moodle:
        full_name = "" if moodle["name"].strip().lower() == "participant" else moodle["name"]
        note = "" if moodle["kind"] == "file" else f"the submission's {moodle['kind']} is not read, only its files"
        return Exported(Owner(moodle["id"], "Moodle", full_name), moodle["original"] or "", note=note)
    canvas = _CANVAS.fullmatch(name)
    if canvas and f"{canvas['id']}.{canvas['file']}" not in _LAB_NUMBERS:  # lab_10_3_session.py is a student's own name
        note = "Canvas calls it late, and does not say when it came" if _LATE.match(name) else ""
        if canvas["typed"]:
            note = "; ".join(filter(None, [note, f"what was handed in as a {canvas['typed']} is not read, only files"]))
        owner = Owner(canvas["anonymous"] or canvas["id"], "Canvas", canvas["name"] or "")
        return Exported(owner, canvas["original"] or "", int(canvas["file"] or 0), note)
    return None


def owner_of(name: str, *, is_file: bool) -> Owner:
    """Return whose a thing is that no platform named: its name, and for a file that without ending and lab number."""
    if not is_file:
        return Owner(same(name))
    suffix = suffix_of(name)
    stem = name[: len(name) - len(suffix)].removesuffix(".tar")
    rest = stem if suffix == ".zip" else _LAB.sub("", stem)
    return Owner(same(rest or stem))


def name_keys(name: str) -> set[str]:
    """Return the ways in which platforms write a name, from `Ann van Dyke` or `van Dyke, Ann`, as one word each."""
    words = name.partition(",")[::2] if "," in name else name.split()
    return {squashed("".join([*words[cut:], *words[:cut]])) for cut in range(len(words))}


def squashed(name: str) -> str:
    return re.sub(r"[\W_]+", "", same(name).casefold())

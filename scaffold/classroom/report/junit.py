"""`junit.xml`, for whatever shows test results: one suite a student, one case an item.

It holds what the feedback holds, and neither the exam's differences nor its seed. What was not run is an error, and so
is a lab or a student without any item: in this file, nothing is green because nothing was looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from scaffold.classroom.model import ClassReport, Item, LabResult, Row
from scaffold.classroom.report import words
from scaffold.classroom.report.safe import NAME, joined, line, paragraph


def junit_xml(report: ClassReport) -> str:
    """Return the report as XML."""
    suites = [_suite(row) for row in report.rows]
    root = ET.Element("testsuites", {"name": line(report.title, NAME), **_counts(suites)})
    root.extend(suites)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(row: Row) -> ET.Element:
    cases = [case for lab in row.labs for case in _cases(lab)]
    if not cases:
        cases = [_red(_case("submission", row.status), "error", row.status, words.ABOUT[row.status])]
    suite = ET.Element("testsuite", name=line(row.student.id, NAME))
    suite.attrib |= {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
    }
    properties = ET.SubElement(suite, "properties")
    facts = {
        "name": line(row.student.name, NAME),
        "status": row.status,
        "points": words.number(words.points_of(row.marks)),
        "maximum": words.number(row.marks.maximum),
    }
    for name, value in facts.items():
        ET.SubElement(properties, "property", name=name, value=value)
    suite.extend(cases)
    return suite


def _cases(lab: LabResult) -> Iterator[ET.Element]:
    group = f"lab {line(lab.lab, NAME)}"
    for item in lab.items:
        case = _case(group, words.item_title(item.name))
        if item.counts:
            yield case
        elif words.judgement(item) == "wrong":
            yield _red(case, "failure", item.kind, words.explained(item), item.message)
        else:
            yield _red(case, "error", lab.status, _why(item, lab), item.message)
    if not lab.items:
        yield _red(_case(group, lab.status), "error", lab.status, joined(lab.reason) or words.ABOUT[lab.status])


def _why(item: Item, lab: LabResult) -> str:
    return f"{words.explained(item)} ({joined(lab.reason)})" if lab.reason else words.explained(item)


def _case(group: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=group, name=name)


def _red(case: ET.Element, tag: str, kind: str, message: str, text: str = "") -> ET.Element:
    child = ET.SubElement(case, tag, type=kind, message=message)
    child.text = paragraph(text) or None
    return case


def _counts(suites: list[ET.Element]) -> dict[str, str]:
    return {name: str(sum(int(suite.attrib[name]) for suite in suites)) for name in ("tests", "failures", "errors")}

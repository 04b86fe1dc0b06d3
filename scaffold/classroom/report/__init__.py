"""Writes what came of a class: for the instructor, for the students, and for the platforms that want the marks back."""

from scaffold.classroom.report.autograder import gradescope_zip
from scaffold.classroom.report.write import write_reports

__all__ = ["gradescope_zip", "write_reports"]

"""Grades a whole class of submissions, none of which is trusted."""

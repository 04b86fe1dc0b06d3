"""What class grading asks of a lab test: no more of pytest than it can give it itself."""

from __future__ import annotations

import pytest

from scaffold.classroom.witness.lab_tests import LabTests
from scaffold.course import LABS
from scaffold.grading.verdict import GraderError


def test_what_lab_tests_ask_for_is_given(request: pytest.FixtureRequest) -> None:
    LabTests(LABS[0], [as_function(request.node)])


@pytest.mark.skipif(False, reason="never")
def test_a_test_that_is_skipped_elsewhere_alone_is_run(request: pytest.FixtureRequest) -> None:
    LabTests(LABS[0], [as_function(request.node)])


def test_a_test_that_asks_for_another_fixture_is_refused(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    assert capsys
    with pytest.raises(GraderError, match="test_a_test_that_asks_for_another_fixture_is_refused needs capsys"):
        LabTests(LABS[0], [as_function(request.node)])


@pytest.mark.timeout(9)
def test_a_test_that_bears_another_mark_is_refused(request: pytest.FixtureRequest) -> None:
    with pytest.raises(GraderError, match="needs timeout"):
        LabTests(LABS[0], [as_function(request.node)])


def as_function(node: object) -> pytest.Function:
    assert isinstance(node, pytest.Function)
    return node

"""How a check and a plan arrive at their codes."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.cli.exit_codes import FAIL_ON, ExitCode, of_check, of_plan
from migrate.types import Severity


def test_the_numbers_are_the_contract() -> None:
    assert {code.name: code.value for code in ExitCode} == {
        "OK": 0,
        "FINDINGS": 1,
        "USAGE": 2,
        "INCOMPLETE": 3,
        "REFUSED": 4,
        "PARTIAL": 5,
        "BUG": 70,
        "INTERRUPTED": 130,
    }
    assert all(code.meaning for code in ExitCode)


@pytest.mark.parametrize(
    ("worst", "codes"),
    [
        ("error", {"error": 1, "warning": 1, "info": 1, "never": 0}),
        ("warning", {"error": 0, "warning": 1, "info": 1, "never": 0}),
        ("info", {"error": 0, "warning": 0, "info": 1, "never": 0}),
        (None, {"error": 0, "warning": 0, "info": 0, "never": 0}),
    ],
)
def test_fail_on(engine: Any, worst: str | None, codes: dict[str, int]) -> None:
    summary = engine.make_summary(severities={severity.value: int(severity.value == worst) for severity in Severity})
    assert {fail_on: int(of_check(summary, fail_on)[0]) for fail_on in FAIL_ON} == codes


@pytest.mark.parametrize("fail_on", FAIL_ON)
def test_lost_input_outranks_findings(engine: Any, fail_on: str) -> None:
    assert of_check(engine.make_summary(gaps=(engine.gap,)), fail_on)[0] is ExitCode.INCOMPLETE


@pytest.mark.parametrize(
    ("patches", "detailed", "gaps", "code"),
    [(2, False, False, 0), (2, True, False, 1), (0, True, False, 0), (2, True, True, 3), (0, False, True, 3)],
)
def test_a_plan(engine: Any, patches: int, detailed: bool, gaps: bool, code: int) -> None:
    summary = engine.make_summary(gaps=(engine.gap,) if gaps else ())
    assert of_plan(summary, patches, detailed)[0] == code

"""Every case file beside this one, each case a test: ``pytest -k CS504`` runs those of one rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.rule_cases import Case, cases, differences
from migrate.rules.registry import load

HERE = Path(__file__).parent
ALL = list(cases(HERE))


@pytest.mark.parametrize("case", ALL, ids=str)
def test_case_holds(case: Case) -> None:
    assert list(differences(case)) == []


def test_every_rule_has_cases() -> None:
    assert {case.code for case in ALL} == set(load().codes)

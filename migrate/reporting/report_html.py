"""``--format html`` and ``report.html``: one file that needs nothing else, drawn from the model and never from all findings."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from migrate.reporting import report_view
from migrate.reporting.formats import Shown
from migrate.reporting.terminal import Screen, clean
from migrate.results import Report

LIMIT = 2_000_000
"""Bytes that no report goes beyond."""
_DETAIL = ((5, 300_000), (3, 100_000), (1, 30_000), (0, 0))
"""Examples a rule and characters of samples, from what is usual to what always fits."""


def render(shown: Shown, screen: Screen) -> None:
    """Writes the page."""
    screen.stream.write(page(shown.report))


def page(report: Report) -> str:
    """The page, with as much detail as LIMIT leaves room for. Every text in it is cleaned, then escaped."""
    text = ""
    for examples, samples in _DETAIL:
        text = _template().render(_members(report, examples, samples))
        if len(text.encode("utf-8", "backslashreplace")) <= LIMIT:
            break
    return text


def _members(report: Report, examples: int, samples: int) -> Mapping[str, Any]:
    style, script = _asset("report.css"), _asset("report.js")
    return {
        "style": Markup(style),  # noqa: S704 - the project's own text
        "style_hash": _digest(style),
        "script": Markup(script),  # noqa: S704 - likewise
        "script_hash": _digest(script),
        **report_view.members(report, examples, samples),
    }


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        finalize=_harmless,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html")


def _harmless(value: Any) -> Any:
    """Text without what hides or reorders it; markup of our own as it is."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> str:
    return resources.files("migrate.reporting").joinpath("templates", name).read_text("utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

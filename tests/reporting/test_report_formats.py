"""Every format of a report: read by a real reader of that format, and harmless whatever the corpus holds."""

from __future__ import annotations

import io
import json
import os
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import pytest
from markdown_it import MarkdownIt
from report_model import HOSTILE, finding, report

from migrate.reporting import report_html, report_json, report_markdown, report_sarif
from migrate.reporting.formats import REPORT, Shown, render
from migrate.reporting.terminal import Screen
from migrate.results import Outcome, Report

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
DRAWN = ("html", "markdown", "sarif", "junit", "github", "json", "text")


def drawn(name: str, made: Report) -> str:
    stream = io.StringIO()
    render(REPORT, name, Shown(made), Screen(stream))
    return stream.getvalue()


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", DRAWN)
def test_no_format_carries_what_hides_or_obeys(name: str) -> None:
    text = drawn(name, report(HOSTILE))
    assert "\x1b" not in text
    assert {unicodedata.category(character) for character in text} <= {
        *("Lu", "Ll", "Lo", "Nd", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs"), "Cc",
    }  # fmt: skip
    assert {character for character in text if unicodedata.category(character) == "Cc"} <= {"\n"}


def test_html_of_hostile_text_has_only_its_own_tags() -> None:
    plain, hostile = Tags(drawn("html", report("plain"))), Tags(drawn("html", report(HOSTILE)))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert sum(tag == "script" for tag, _ in hostile.tags) == 1
    named = {name for _, attributes in hostile.tags for name in attributes}
    assert not {name for name in named if name.startswith("on") or name in ("style", "src")}
    assert "<script>alert(1)</script>" in hostile.text


def test_html_asks_for_nothing() -> None:
    page = Tags(drawn("html", report()))
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "embed", "base", "form"}
    assert all(attributes["href"].startswith("#") for _, attributes in page.tags if attributes.get("href"))
    (policy,) = (facts["content"] for tag, facts in page.tags if facts.get("http-equiv") == "Content-Security-Policy")
    assert str(policy).startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in str(policy)


def test_html_says_things_in_their_order() -> None:
    text = drawn("html", report())
    order = ("read", "health", "rules", "where", "corpus", "plan", "fixed", "sweeps", "runs", "next", "provenance")
    places = [text.index(f'<h2 id="{name}">') for name in order]
    assert places == sorted(places)
    assert text.index("1 regressed, 1 new, 2 fixed since the baseline") < places[0]


def test_html_stays_under_its_limit_whatever_it_is_given() -> None:
    text = drawn("html", report("<&\"'>" * 4_000, rules=600))
    assert len(text.encode()) < report_html.LIMIT
    assert "200 more rules are left out here." in text


def test_html_of_nothing_at_all() -> None:
    summary = report().summary
    empty = report(rules=0, history=(), runs=(), next_commands=(), fixed=(), plan=None, changes=None, where=type(report().where)(),
                   portrait=type(report().portrait)(), options={})  # fmt: skip
    from dataclasses import replace

    clean = replace(summary, rules=(), gaps=(), classes={}, severities={})
    text = drawn("html", replace(empty, summary=clean))
    assert "Nothing found." in text
    assert "No rule found anything." in text


def test_markdown_renders_without_html_and_with_whole_tables() -> None:
    text = drawn("markdown", report(HOSTILE))
    tokens = list(_tokens(MarkdownIt("commonmark").enable("table").parse(text)))
    assert not [token.content for token in tokens if token.type in ("html_block", "html_inline")]
    assert not [token for token in tokens if token.type in ("link_open", "image")]
    rows: list[int] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append(0)
        elif token.type in ("td_open", "th_open"):
            rows[-1] += 1
    assert len(rows) == 3
    assert len(set(rows)) == 1
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1"]


def _tokens(tokens: Any) -> Iterator[Any]:
    for token in tokens:
        yield token
        yield from _tokens(token.children or ())


@pytest.mark.parametrize(("text", "rules"), [("x" * 300, 60), ("|" * 3_000, 1_000), ("`" * 70_000, 3)])
def test_markdown_fits_a_comment(text: str, rules: int) -> None:
    made = drawn("markdown", report(text, rules=rules))
    assert len(made) <= report_markdown.LIMIT
    assert made.startswith("# Plan 3f2a9c51d0e4b687\n")
    assert "would change with safe fixes" in made


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_sarif_is_valid(text: str) -> None:
    published = ROOT / ".cache" / "sarif-2.1.0-rtm.5.json"
    if not published.exists() and not os.environ.get("CI"):
        pytest.skip("python3 dev.py tools fetches the published schema")
    log = json.loads(drawn("sarif", report(text)))
    jsonschema.Draft7Validator(json.loads(published.read_text("utf-8"))).validate(log)


def test_sarif_results_name_their_rule_place_and_fingerprint() -> None:
    (run,) = report_sarif.log(report())["runs"]
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "CS201"
    assert result["partialFingerprints"] == {report_sarif.FINGERPRINT: finding().fingerprint}
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert result["baselineState"] == "new"
    assert run["invocations"][0]["executionSuccessful"] is True
    lost = report(outcome=Outcome(3, "incomplete"))
    assert report_sarif.log(lost)["runs"][0]["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/ü%.jsonl", "a%20b/%C3%BC%25.jsonl"),
        ("/corpora/e.jsonl", "file:///corpora/e.jsonl"),
        ("postgresql://host/db", "postgresql://host/db"),
        (None, "corpus"),
    ],
)
def test_sarif_places_are_uris(file: str | None, uri: str) -> None:
    result = report_sarif._location(finding(file=file))
    assert result["physicalLocation"]["artifactLocation"]["uri"] == uri


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_junit_is_read_by_a_reader(text: str) -> None:
    document = junitparser.JUnitXml.fromstring(drawn("junit", report(text, rules=4)).encode())
    suites = {suite.name: suite for suite in document}
    assert set(suites) == {"input", "fields", "silent"}
    cases = list(suites["fields"])
    assert [case.name.split()[0] for case in cases if any(isinstance(part, junitparser.Failure) for part in case.result)] == [
        "CS201", "CS203",
    ]  # fmt: skip
    assert (document.tests, document.failures, document.errors) == (6, 2, 1)
    assert "9 findings: 4 safe, 3 unsafe, 2 manual; 1 regressed" in cases[0].result[0].text


def test_github_has_at_most_ten_commands_of_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    *commands, last = drawn("github", report(HOSTILE, rules=20)).splitlines()
    assert len(commands) == 10
    for command in commands:
        name, _, rest = command.removeprefix("::").partition(" ")
        properties, _, text = rest.partition("::")
        assert name in ("error", "warning", "notice")
        assert {pair.partition("=")[0] for pair in properties.split(",")} <= {"file", "line", "title"}
        assert "%250A" in text
    assert not last.startswith("::")
    assert (tmp_path / "summary.md").read_text().startswith("# Plan ")


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_json_is_valid_and_gives_the_report_again(text: str) -> None:
    made = report(text)
    document = json.loads(drawn("json", made))
    jsonschema.validate(document, schema("report-1"))
    again = report_json.load(document, None)
    for name in ("html", "markdown", "junit", "github", "json", "sarif", "text"):
        assert drawn(name, again) == drawn(name, made), name


def test_a_document_of_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match=r"corpus-migrate\.report/9"):
        report_json.load({"format": "corpus-migrate.report/9"}, None)


def test_every_schema_is_one() -> None:
    for path in SCHEMAS.glob("*.json"):
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))

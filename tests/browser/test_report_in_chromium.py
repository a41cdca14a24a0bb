"""The HTML report in a real browser: nothing asked for, nothing complained of, and it does what it says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from click.testing import CliRunner

from migrate.cli.main import cli

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_data" / "context_server" / "entries.jsonl"
AXE = ROOT / ".cache" / "axe.min.js"
HOSTILE = '{"id":1,"thread_id":"<script>alert(1)</script>","source":"<img src=x onerror=alert(1)>","metadata":{"kind":"<b>","status":"</script><script>alert(2)</script>"}}\n'
PROGRAM = chromium.found()
needs_browser = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="no Chromium here; CI installs Debian's"
)
pytestmark = needs_browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the sample after three sweeps, one of them without its last hundred lines."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        lines = SAMPLE.read_bytes().splitlines(keepends=True)
        for part in (lines[:-100], lines[:-50]):
            Path("entries.jsonl").write_bytes(b"".join(part))
            assert CliRunner().invoke(cli, ["check", "entries.jsonl"]).exit_code == 1
        Path("entries.jsonl").write_bytes(b"".join(lines))
        assert CliRunner().invoke(cli, ["plan", "entries.jsonl"]).exit_code == 0
    (made,) = folder.glob("reports/*/plans/*/report.html")
    return made


@pytest.fixture(scope="module")
def page() -> Iterator[chromium.Page]:
    """One tab for all tests."""
    assert PROGRAM, "CI installs Debian's chromium"
    with chromium.browser(PROGRAM) as made:
        yield made


@pytest.mark.parametrize("dark", [False, True])
def test_it_asks_for_nothing_and_complains_of_nothing(page: chromium.Page, report: Path, dark: bool) -> None:
    page.open(report, dark=dark)
    assert page.complaints == []
    assert page.requests == [report.resolve().as_uri()]


def test_the_filter_and_its_keys(page: chromium.Page, report: Path) -> None:
    page.open(report)
    shown = (
        "[...document.querySelectorAll('#ruletable tbody')].filter(body => body.offsetHeight > 0).map(body => body.id)"
    )
    everything = page.ask(shown)
    page.press("/", "/")
    assert page.ask("document.activeElement.id") == "filter"
    for key in "cs701":
        page.press(key, key)
    assert page.ask(shown) == ["CS701"]
    assert page.ask("document.getElementById('shown').textContent") == f"1 of {len(everything)} rules"
    page.press("Escape")
    assert page.ask(shown) == everything


def test_sorting_by_every_column(page: chromium.Page, report: Path) -> None:
    page.open(report)
    heads = page.ask("[...document.querySelectorAll('#ruletable thead th')].map(head => head.textContent)")
    assert {"Code", "Findings", "New", "Manual"} <= set(heads)
    for column, name in enumerate(heads[:-1]):
        cells = f"[...document.querySelectorAll('#ruletable tbody')].map(b => b.rows[0].cells[{column}]).map(c => c.dataset.v || c.textContent.trim())"
        click = f"document.querySelectorAll('#ruletable thead th')[{column}].querySelector('button').click()"
        seen = []
        for _ in range(2):
            page.ask(click)
            values = page.ask(cells)
            plain = [value.replace(",", "") for value in values]
            seen.append([int(value) for value in plain] if all(value.isdigit() for value in plain) else values)
        first, second = seen
        assert first in (sorted(first), sorted(first, reverse=True)), name
        assert second in (sorted(first), sorted(first, reverse=True)), name
        assert first == second == sorted(first) or first != second, name


def test_it_is_read_without_scripts(page: chromium.Page, report: Path) -> None:
    page.open(report, scripts=False)
    assert page.complaints == []
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    names = " ".join(str(node.get("name", {}).get("value", "")) for node in tree)
    assert "lost-supersession" in names
    assert "Proof of conservation" in names
    assert not [node for node in tree if node.get("role", {}).get("value") == "searchbox"]


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_sticks_out(page: chromium.Page, report: Path, width: int) -> None:
    page.open(report, width=width)
    assert page.ask("document.documentElement.scrollWidth") == width


def test_everything_can_be_reached_by_keyboard(page: chromium.Page, report: Path) -> None:
    page.open(report)
    reachable = "button, summary, a[href], input, [tabindex]"
    page.ask(
        f"window.seen = 0; document.querySelectorAll('{reachable}').forEach(part => {{ part.focus(); seen += document.activeElement === part ? 1 : 0 }})"
    )
    assert page.ask("seen") == page.ask(
        f"[...document.querySelectorAll('{reachable}')].filter(part => part.checkVisibility()).length"
    )


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_serious_fault(page: chromium.Page, report: Path, dark: bool) -> None:
    if not AXE.exists() and not os.environ.get("CI"):
        pytest.skip("python3 dev.py tools fetches axe-core")
    # The page's own policy lets no other script in.
    page.call("Page.setBypassCSP", enabled=True)
    try:
        page.open(report, dark=dark)
        page.ask("document.querySelectorAll('details').forEach(part => { part.open = true })")
        page.ask(AXE.read_text("utf-8") + ";0")
        found = page.ask(
            "axe.run().then(all => all.violations.map(rule => [rule.impact, rule.id, rule.nodes[0].html]))"
        )
    finally:
        page.call("Page.setBypassCSP", enabled=False)
    assert [fault for fault in found if fault[0] in ("serious", "critical", "moderate")] == []


def test_a_corpus_of_markup_stays_text(page: chromium.Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("<svg onload=alert(3)>.jsonl").write_text(HOSTILE)
    CliRunner().invoke(cli, ["check", "<svg onload=alert(3)>.jsonl", "--format", "html", "-o", "out.html"])
    page.open(tmp_path / "out.html")
    assert page.complaints == []
    assert len(page.requests) == 1
    assert page.ask("document.querySelectorAll('script, img, svg[onload]').length") == 1
    assert "<script>alert(1)</script>" in page.ask("document.body.textContent")

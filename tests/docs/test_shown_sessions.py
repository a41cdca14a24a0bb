"""What the documents show is so: sessions, settings, the plan line, the links between pages."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrate.cli.main import PROGRAM, cli
from migrate.cli.settings import SETTINGS

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "reports" / "examples" / "entries"
PAGES = [
    path
    for pattern in ("*.md", "docs/**/*.md", "reports/README.md", "sample_data/README.md")
    for path in sorted(ROOT.glob(pattern))
]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def sessions(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Each command that is shown, without its ``$``, and the lines shown under it."""
    for block in blocks(page, "console"):
        for part in block.split("$ ")[1:]:
            command, *lines = part.splitlines()
            yield command, lines


def settled(line: str) -> str:
    """A line without what differs from run to run."""
    return re.sub(r", \d+\.\d s$", ", 0.0 s", line)


def is_shown(lines: list[str], output: str) -> bool:
    """Whether the lines stand in the output in this order; a lone … stands for any that are left out, nothing else does."""
    parts = "\n".join(map(settled, lines)).split("…\n") if "…" in lines else ["\n".join(map(settled, lines))]
    return bool(
        re.search(r"\n(?:.*\n)*?".join(re.escape(part.strip("\n").removesuffix("\n…")) for part in parts), output)
    )


SHOWN = {"check": "check.txt", "plan": "plan.txt", "show": "diff.txt", "apply": "apply.txt"}


@pytest.mark.parametrize("command", [command for command, _ in sessions(ROOT / "README.md")])
def test_the_session_of_the_readme_is_real(command: str) -> None:
    lines = dict(sessions(ROOT / "README.md"))[command]
    program, name, *_ = shlex.split(command)
    assert program == PROGRAM
    output = (EXAMPLE / SHOWN[name]).read_text("utf-8")
    assert lines
    assert is_shown(lines, output), f"README.md shows what {command!r} does not say"


def test_the_session_has_every_step() -> None:
    assert [shlex.split(command)[1] for command, _ in sessions(ROOT / "README.md")] == list(SHOWN)


def test_left_out_lines_are_marked() -> None:
    assert is_shown(["a", "…", "c"], "a\nb\nc\n")
    assert is_shown(["b", "c"], "a\nb\nc\n")
    assert not is_shown(["a", "c"], "a\nb\nc\n")
    assert not is_shown(["a", "…", "d"], "a\nb\nc\n")


@pytest.mark.parametrize("page", ["README.md", "docs/configuration.md"])
def test_the_settings_shown_are_settings(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = blocks(ROOT / page, "toml")
    assert shown
    monkeypatch.chdir(tmp_path)
    for text in shown:
        Path("corpus-migrate.toml").write_text(text, "utf-8")
        result = CliRunner().invoke(cli, ["config", "show", "--format", "json"])
        assert result.exit_code == 0, result.stderr
        settings = json.loads(result.stdout)["settings"].values()
        assert any(setting["origin"] == "file" for setting in settings)


def test_every_setting_is_explained() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    explained = re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)
    assert sorted(explained) == sorted(setting.key for setting in SETTINGS)


def test_the_plan_line_shown_is_one() -> None:
    (shown,) = blocks(ROOT / "docs" / "plan-format.md", "json")
    lines = (EXAMPLE / "plan.jsonl").read_text("utf-8").splitlines()
    assert json.loads(shown) in [json.loads(line) for line in lines]


def test_every_member_of_a_plan_is_documented() -> None:
    page = (ROOT / "docs" / "plan-format.md").read_text("utf-8")
    header, *records = map(json.loads, (EXAMPLE / "plan.jsonl").read_text("utf-8").splitlines())
    names = {
        *header,
        *header["corpus"],
        *header["options"],
        *header["counts"],
        *header["conservation"],
        *header["tool"],
    }
    for record in records:
        names |= {*record, *record["before"], *record["patch"], *(name for need in record["requires"] for name in need)}
        names |= {name for change in record["changes"] for name in change}
    assert {"unit", "patch", "tags", "replace", "holds", "from", "gaps", "withheld", "text_encoded"} <= names | {"unit"}
    assert [name for name in sorted(names) if not re.search(rf"`(\w+\.)?{name}(\.\w+)?`", page)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page}: {target}"

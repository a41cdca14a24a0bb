"""Flag, environment, file, default: which value is in force, and what is said about a bad one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from migrate.cli.settings import SETTINGS, resolve

EVERYTHING = """
select = ["CS2", "cs701"]
ignore = ["CS202"]
extend-safe-fixes = ["CS201"]
extend-unsafe-fixes = ["CS701"]
unsafe-fixes = true
partial = true
id-map = "map.json"
custom-rules = ["rules"]
fail-on = "warning"
evidence = "hash"
system = "context-server"
memory-limit = "2GiB"
threads = 3
temp-dir = "spill"
workspace = "audit"

[status-map.any]
"Ready To Go" = "pending"
"""


def shown(call: Any, *arguments: str) -> dict[str, Any]:
    result = call("config", "show", "--format", "json", *arguments)
    assert result.exit_code == 0, result.stderr
    settings: dict[str, Any] = json.loads(result.stdout)["settings"]
    return settings


def test_every_key_of_a_file_reaches_the_engine(engine: Any, call: Any, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "rules").mkdir(parents=True)
    (home / "map.json").write_text("{}")
    (home / "corpus-migrate.toml").write_text(EVERYTHING)
    assert call("check", "home/entries.jsonl").exit_code == 1
    options = engine.options
    assert (options.select, options.ignore) == (("CS2", "CS701"), ("CS202",))
    assert (options.safe_fixes, options.unsafe_only) == (("CS201",), ("CS701",))
    assert (options.unsafe_fixes, options.partial) == (True, True)
    assert options.id_map == Path("home/map.json")
    assert options.custom_rules == (Path("home/rules"),)
    assert (options.evidence, options.system) == ("hash", "context-server")
    assert (options.limits.memory, options.limits.threads) == ("2GiB", 3)
    assert options.limits.temp_dir == Path("home/spill")
    assert options.status_map == {"any": {"ready_to_go": "pending"}}


def test_flag_goes_before_environment_before_file_before_default(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_select() -> tuple[Any, str, str | None]:
        item = shown(call)["select"]
        return item["value"], item["origin"], item["place"]

    assert of_select() == ([], "default", None)
    (tmp_path / "corpus-migrate.toml").write_text('select = ["CS1"]')
    assert of_select() == (["CS1"], "file", "corpus-migrate.toml")
    monkeypatch.setenv("CORPUS_MIGRATE_SELECT", "CS2, CS7")
    assert of_select() == (["CS2", "CS7"], "environment", "CORPUS_MIGRATE_SELECT")
    item = shown(call, "--select", "CS701")["select"]
    assert (item["value"], item["origin"], item["place"]) == (["CS701"], "flag", "--select")


def test_a_flag_can_switch_off_what_the_file_switches_on(call: Any, tmp_path: Path) -> None:
    (tmp_path / "corpus-migrate.toml").write_text("unsafe-fixes = true")
    assert shown(call)["unsafe-fixes"]["value"] is True
    assert shown(call, "--no-unsafe-fixes")["unsafe-fixes"]["value"] is False


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        (["home/corpus-migrate.toml", "corpus-migrate.toml"], "home/corpus-migrate.toml"),
        (["home/pyproject.toml", "corpus-migrate.toml"], "home/pyproject.toml"),
        (["home/pyproject.toml", "home/corpus-migrate.toml"], "home/corpus-migrate.toml"),
        (["corpus-migrate.toml", "pyproject.toml"], "corpus-migrate.toml"),
        (["pyproject.toml"], "pyproject.toml"),
    ],
)
@pytest.mark.parametrize("corpus", ["home/entries.jsonl", "home", "home/*.jsonl", "sqlite:///home/memory.db"])
def test_where_the_file_is_looked_for(call: Any, tmp_path: Path, files: list[str], chosen: str, corpus: str) -> None:
    (tmp_path / "home").mkdir()
    for name in files:
        head = "[tool.corpus-migrate]\n" if "pyproject" in name else ""
        (tmp_path / name).write_text(f"{head}threads = 3\n")
    assert shown(call, corpus)["threads"] == {"value": 3, "origin": "file", "place": chosen}


def test_a_project_file_of_others_is_none_of_ours(call: Any, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n")
    assert shown(call)["threads"]["origin"] == "default"


@pytest.mark.parametrize("corpus", ["postgresql://me:secret@host/db", "https://host/mcp", "mcp+stdio:server"])
def test_a_corpus_elsewhere_has_no_folder(call: Any, tmp_path: Path, corpus: str) -> None:
    (tmp_path / "corpus-migrate.toml").write_text("threads = 3")
    assert shown(call, corpus)["threads"]["place"] == "corpus-migrate.toml"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("selct = []", "corpus-migrate.toml: unknown key selct; did you mean select?"),
        ("[else]", "corpus-migrate.toml: unknown key else"),
        ('select = "CS2"', "corpus-migrate.toml: select must be a list of strings"),
        ("select = [1]", "corpus-migrate.toml: select must be a list of strings"),
        ('select = ["CS9"]', "corpus-migrate.toml: select: no rule is or begins with CS9; "
         "corpus-migrate rules lists them"),
        ('extend-safe-fixes = ["CS702"]', "corpus-migrate.toml: extend-safe-fixes: no rule is or begins with CS702; "
         "the nearest are CS701, CS202, CS201"),
        ('threads = "2"', "corpus-migrate.toml: threads must be a whole number above 0"),
        ("threads = 0", "corpus-migrate.toml: threads must be a whole number above 0"),
        ("threads = true", "corpus-migrate.toml: threads must be a whole number above 0"),
        ('partial = "yes"', "corpus-migrate.toml: partial must be true or false"),
        ('fail-on = "panic"', "corpus-migrate.toml: fail-on must be one of error, warning, info, never"),
        ("fail-on = 1", "corpus-migrate.toml: fail-on must be a string"),
        ('memory-limit = "1"', 'corpus-migrate.toml: memory-limit must be a size such as "500MB" or "2GB"'),
        ('id-map = "gone"', "corpus-migrate.toml: id-map names gone, which does not exist"),
        ('custom-rules = ["gone"]', "corpus-migrate.toml: custom-rules names gone, which does not exist"),
        ('workspace = "corpus-migrate.toml"', "corpus-migrate.toml: workspace names corpus-migrate.toml, "
         "which is no folder"),
        ('[status-map]\nready = "pending"', 'corpus-migrate.toml: status-map must hold one table a kind (or "any")'),
        ("[status-map.any]\nready = 1", "corpus-migrate.toml: status-map must be a string"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_sentence_with_file_and_key(
    engine: Any, call: Any, one_sentence: Any, tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "corpus-migrate.toml").write_text(text)
    for command in (["check", "c"], ["plan", "c"], ["config", "show"]):
        assert one_sentence(call(*command), 2) == sentence
    assert engine.calls == []
    assert [path.name for path in tmp_path.iterdir()] == ["corpus-migrate.toml"]


def test_a_key_in_a_project_file_is_named_whole(call: Any, one_sentence: Any, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.corpus-migrate]\nthreads = "x"')
    sentence = "pyproject.toml: tool.corpus-migrate.threads must be a whole number above 0"
    assert one_sentence(call("check", "c"), 2) == sentence


@pytest.mark.parametrize("content", [b"select = [", b"\xff\xfe", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml(call: Any, one_sentence: Any, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "corpus-migrate.toml").write_bytes(content)
    assert one_sentence(call("check", "c"), 2).startswith("corpus-migrate.toml is no TOML file: ")


def test_a_bad_variable_is_named(call: Any, one_sentence: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUS_MIGRATE_THREADS", "x")
    assert one_sentence(call("check", "c"), 2) == "CORPUS_MIGRATE_THREADS must be a whole number above 0"
    monkeypatch.delenv("CORPUS_MIGRATE_THREADS")
    monkeypatch.setenv("CORPUS_MIGRATE_IGNORE", "XX1")
    assert one_sentence(call("check", "c"), 2).startswith("CORPUS_MIGRATE_IGNORE: no rule is or begins with XX1")


@pytest.mark.parametrize(("text", "value"), [("1", True), ("TRUE", True), ("off", False), ("", False)])
def test_switches_in_the_environment(call: Any, monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("CORPUS_MIGRATE_PARTIAL", text)
    assert shown(call)["partial"]["value"] is value


def test_a_config_file_of_choice(call: Any, one_sentence: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("threads = 5")
    (tmp_path / "corpus-migrate.toml").write_text("threads = 3")
    assert shown(call, "--config", "mine.toml")["threads"]["value"] == 5
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "pyproject.toml").write_text("[project]")
    sentence = one_sentence(call("check", "c", "--config", "other/pyproject.toml"), 2)
    assert sentence == "other/pyproject.toml has no table [tool.corpus-migrate]"


def test_show_for_people(call: Any, tmp_path: Path) -> None:
    (tmp_path / "corpus-migrate.toml").write_text('select = ["CS2", "CS7"]')
    lines = call("config", "show", "--threads", "2").stdout.splitlines()
    assert lines[0] == "Config file corpus-migrate.toml"
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:]}
    assert rows["select"] == ["CS2,", "CS7", "file:", "corpus-migrate.toml"]
    assert rows["threads"] == ["2", "flag:", "--threads"]
    assert rows["unsafe-fixes"] == ["false", "default"]
    assert list(rows) == [setting.key for setting in SETTINGS]


def test_without_a_file_it_says_where_it_looked(call: Any) -> None:
    text = " ".join(call("config", "show", "data/entries.jsonl").stdout.split("\n\n")[0].split())
    assert text == (
        "Config file none (looked for data/corpus-migrate.toml, data/pyproject.toml, "
        "corpus-migrate.toml, pyproject.toml)"
    )


def test_defaults_are_those_of_the_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from migrate.types import Options

    monkeypatch.chdir(tmp_path)
    assert resolve({}, environment={}).options() == Options()

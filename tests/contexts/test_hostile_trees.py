"""Trees that nobody made in good faith: one clear finding, gap or refusal each, never a hang, a traceback or a byte written."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from seen_trees import Run, Tree, found, picture

from migrate.case_trees import build, git, standard, write
from migrate.cli.main import cli
from migrate.corpora.repository import reading
from migrate.corpora.repository.layout import Layout

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="needs what only POSIX file systems have")
SECONDS = 30
NOBODY = 65534


def check(run: Run, root: Path, *arguments: str) -> Any:
    before, started = picture(root), time.monotonic()
    result = run("check", root, "--format", "jsonl", *arguments)
    assert time.monotonic() - started < SECONDS
    assert "Traceback" not in result.output and "a bug in corpus-migrate" not in result.output
    assert picture(root) == before
    return result


@POSIX_ONLY
def test_symbolic_links_that_go_round(run: Run, tree: Tree) -> None:
    root = tree(standard=["."])
    context = root / ".context"
    (context / "loop").symlink_to("loop")
    (context / "up").symlink_to("..")
    (context / "truth" / "round.md").symlink_to("round.md")
    (context / "truth" / "more.md").write_text(
        "[a](../loop)\n[b](../up/.context/up/.context/index.md)\n[c](round.md)\n"
    )
    result = check(run, root)
    assert result.exit_code == 1
    assert found(result) == [(".", "LINK001", ".context/truth/more.md", line) for line in (1, 3)]


@POSIX_ONLY
def test_a_standard_folder_that_is_a_loop(run: Run, tree: Tree) -> None:
    root = tree(standard=["."])
    shutil.rmtree(root / ".context" / "truth")
    (root / ".context" / "truth").symlink_to("truth")
    result = check(run, root)
    assert result.exit_code == 3
    assert ".context/truth/architecture.md was not read to the end: too many levels of symbolic links" in result.stderr


@POSIX_ONLY
def test_names_with_line_feeds_and_terminal_sequences(run: Run, tree: Tree) -> None:
    root = tree(standard=["bad\n\x1b[31mname"], files={"bad\n\x1b[31mname/.context/a\nb.md": "[x](gone\x1b[2J.md)"})
    result = check(run, root)
    assert found(result) == [("bad\n\x1b[31mname", "LINK001", ".context/a\nb.md", 1)]
    shown = run("check", root)
    assert "\x1b" not in shown.stdout and "bad\\nname/.context/a\\nb.md:1" in shown.stdout


@POSIX_ONLY
def test_a_document_whose_name_is_no_utf_8(run: Run, tree: Tree) -> None:
    root = tree(standard=["."])
    (root / ".context" / "truth" / os.fsdecode(b"\xff\xfe.md")).write_text("[x](gone.md)")
    result = check(run, root)
    assert (result.exit_code, found(result)) == (1, [(".", "LINK001", ".context/truth/\\xff\\xfe.md", 1)])


@POSIX_ONLY
def test_a_scope_whose_name_is_no_utf_8_is_named_and_the_rest_is_read(run: Run, tree: Tree) -> None:
    root = tree("fleet/one", standard=["."]).parent
    write(root / "one" / os.fsdecode(b"p\xff"), {".context/index.md": "x"})
    result = check(run, root)
    assert result.exit_code == 3
    assert "one/p\\xff was not read to the end: its name is no UTF-8; rename the directory" in result.stderr
    alone = run("check", root / "one")
    assert alone.exit_code == 2
    assert "the scope p\\xff cannot be checked: its name is no UTF-8" in alone.stderr


@POSIX_ONLY
@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        (".context/manifest.json", 1, ""),
        (".context/truth/pipe.md", 0, ""),
        (".context/state/current.md", 3, ".context/state/current.md was not read to the end: it is a pipe, no file"),
        (".context", 1, ""),
    ],
)
def test_a_pipe_is_never_opened(run: Run, tree: Tree, name: str, code: int, sentence: str) -> None:
    root = tree(standard=["."])
    path = root / name
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    result = check(run, root)
    assert result.exit_code == code
    assert sentence in result.stderr


@pytest.mark.slow
def test_a_hundred_thousand_files(run: Run, tree: Tree) -> None:
    root = tree(standard=["."])
    folder = root / ".context" / "history"
    for number in range(100_000):
        (folder / f"{number}.{'md' if number % 10 else 'txt'}").touch()
    (folder / "0.md").write_text("[x](1.md) [y](gone.md)")
    result = run("check", root, "--format", "jsonl")
    assert found(result) == [(".", "LINK001", ".context/history/0.md", 1)]


def test_a_document_too_large_to_be_one(run: Run, tree: Tree) -> None:
    root = tree(standard=["."])
    with (root / ".context" / "huge.md").open("wb") as file:
        file.truncate(1 << 40)
    started = time.monotonic()
    result = run("check", root)
    assert time.monotonic() - started < SECONDS
    assert result.exit_code == 3
    assert "it has more than 64 MiB" in " ".join(result.stdout.split())


@POSIX_ONLY
def test_folders_that_cannot_be_read_are_named_and_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not below pytest's own folder, which is closed to everybody else.
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "fleet")
        files = {".context/more/a.md": "[x](gone.md)", ".context/z.md": "[y](gone.md)"}
        build({"standard": ["."], "files": files}, root / "one")
        build({"standard": ["."]}, root / "two")
        closed = [root / "one/.context/more", root / "two/.context"]
        for path in closed:
            path.chmod(0)
        try:
            result = as_nobody(root, monkeypatch)
        finally:
            for path in closed:
                path.chmod(0o755)
    out = " ".join(result.stdout.split())
    assert result.exit_code == 3, result.output
    assert out.startswith("one/.context/z.md:1: error LINK001")
    assert "one/.context/more: the folder cannot be read: permission denied" in out
    assert "two/.context/manifest.json: permission denied" in out


def as_nobody(root: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    """A check by somebody whom permissions bind, which they do not do to root."""
    (root.parent / "temp").mkdir()
    words = [
        "check",
        str(root),
        "-v",
        "--workspace",
        str(root.parent / "workspace"),
        "--temp-dir",
        str(root.parent / "temp"),
    ]
    if os.geteuid() != 0:
        return CliRunner().invoke(cli, words)
    CliRunner().invoke(cli, words)  # loads what the command needs, from where somebody else may not read it
    for folder, names, files in os.walk(root.parent):
        for name in (*names, *files, "."):
            os.lchown(Path(folder, name), NOBODY, NOBODY)
    monkeypatch.setenv("HOME", str(root.parent))
    os.seteuid(NOBODY)
    try:
        return CliRunner().invoke(cli, words)
    finally:
        os.seteuid(0)


def test_a_git_file_of_a_worktree_and_of_a_submodule(run: Run, tree: Tree) -> None:
    root = tree("fleet/main", standard=["."], git={"commits": [{"date": "2026-01-01T00:00:00Z"}]})
    git(root, "worktree", "add", "-q", str(root.parent / "side"))
    git(root, "submodule", "--quiet", "add", str(root.parent / "side"), "vendor/side")
    result = run("check", root.parent, "--format", "json")
    assert result.exit_code == 0, result.output
    assert '"repository": "side"' in result.stdout and "vendor" not in result.stdout, "a submodule is not entered"
    below = run("check", root / "vendor" / "side", "--format", "json")
    assert (below.exit_code, '"scope": "."' in below.stdout) == (0, True)


@pytest.mark.parametrize("kind", ["file", "folder", "worktree"])
def test_a_git_that_leads_elsewhere_is_refused(run: Run, tree: Tree, tmp_path: Path, kind: str) -> None:
    good = tree("fleet/good", standard=["."])
    bad = tmp_path / "fleet" / "bad"
    write(bad, standard(["."]))
    if kind == "file":
        (bad / ".git").write_text("gitdir: /nowhere/at/all\n")
    elif kind == "folder":
        (bad / ".git").mkdir()
    else:
        git(bad, "init", "-q")
        git(bad, "config", "core.worktree", str(good))
    alone = run("check", bad)
    assert alone.exit_code == 2 and len(alone.stderr.splitlines()) == 1
    together = run("check", tmp_path / "fleet", "-v")
    assert together.exit_code == 3
    assert "NOT READ    bad: Git cannot read this working tree:" in together.stdout
    assert "good" in together.stdout


@POSIX_ONLY
def test_nothing_that_a_repository_configures_is_run(run: Run, tree: Tree, tmp_path: Path) -> None:
    root = tree(standard=["."], git={"commits": [{"date": "2026-01-01T00:00:00Z"}]})
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "gpg.program", "core.pager", "diff.external", "core.sshCommand", "core.editor"):
        git(root, "config", key, str(trap))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "core.hooksPath", str(tmp_path))
    assert run("check", root).exit_code == 0
    assert not (tmp_path / "sprung").exists()


def test_the_environment_of_a_hook_is_not_taken_for_the_repository(
    run: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, root = tree("other", files={"x": "x"}), tree("mine", standard=["."])
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    result = run("check", root, "--format", "jsonl")
    assert (result.exit_code, result.stdout) == (0, "")


def test_no_git_at_all_is_one_sentence(run: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(standard=["."])
    monkeypatch.setenv("PATH", str(root))
    result = run("check", root)
    assert (result.exit_code, "there is no command git in PATH" in result.stderr) == (2, True)


def test_a_context_that_goes_away_during_the_run(run: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(standard=["a", "b"])
    examine = reading.layout.examine

    def vanish(scope: Path) -> Layout:
        shutil.rmtree(root / "a" / ".context", ignore_errors=True)
        return examine(scope)

    monkeypatch.setattr(reading.layout, "examine", vanish)
    result = run("check", root)
    assert result.exit_code == 3
    assert "it went away while the repository was read" in " ".join(result.stdout.split())
    assert "1 unreadable, 1 valid" in result.stdout


def test_a_document_that_goes_away_during_the_run(run: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(standard=["."], files={".context/a.md": "x", ".context/b.md": "[x](gone.md)"})
    from migrate.corpora.repository import documents

    listed = documents._entries

    def vanish(scope: str, folder: str) -> Any:
        entries = listed(scope, folder)
        (root / ".context" / "a.md").unlink(missing_ok=True)
        return entries

    monkeypatch.setattr(documents, "_entries", vanish)
    result = run("check", root, "-v")
    assert result.exit_code == 3
    assert ".context/b.md:1: error LINK001" in result.stdout
    assert ".context/a.md: no such file or directory" in result.stdout


def test_strings_that_no_table_can_hold(run: Run, tree: Tree) -> None:
    manifest = '{"protocol": "\\ud800", "schemaVersion": 1, "layout": "\\udfff"}'
    layout = '{"protocol": "repository-context", "schemaVersion": 1, "layout": "\\ud800\\u0000"}'
    root = tree(standard=["a", "b"], files={"a/.context/manifest.json": manifest, "b/.context/manifest.json": layout})
    write(root, {"b/.context/x.md": "[a](gone\0.md) [b](" + "y" * 100_000 + ")\n" + "[c](z)" * 5_000})
    result = check(run, root)
    assert result.exit_code == 1
    codes = [(scope, code) for scope, code, _, _ in found(result)]
    assert codes[:3] == [("a", "CTX003"), ("b", "MANIFEST004"), ("b", "LINK001")]
    assert len(codes) == 2 + 5_002


def test_a_shard_folder_stays_what_it_was(run: Run, tree: Tree, tmp_path: Path) -> None:
    line = '{"id": 1, "thread_id": "t", "source": "agent", "text_content": "x", "metadata": {}, "tags": []}\n'
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "a.jsonl").write_text(line)
    tree("shards/checkout", standard=["."])
    assert '"system": "context-server"' in run("check", tmp_path / "shards", "--format", "json").stdout
    versioned = tree("versioned", files={"entries.jsonl": line})
    assert '"system": "context-server"' in run("check", versioned, "--format", "json").stdout
    web = tree("web", standard=["."], files={"package.json": "{}", "data.jsonl": line})
    assert '"system": "repository-context"' in run("check", web, "--format", "json").stdout
    forced = run("check", tmp_path / "shards", "--system", "repository-context", "--format", "json")
    assert '"system": "repository-context"' in forced.stdout


@pytest.mark.parametrize("below", [".context", ".context/truth", "packages/api", "."])
def test_a_context_stands_for_the_tree_around_it(run: Run, tree: Tree, below: str) -> None:
    root = tree(standard=[".", "packages/api"])
    result = run("check", root / below, "--format", "json")
    assert '"system": "repository-context"' in result.stdout
    assert '"records": 2' in result.stdout


def test_a_folder_without_any_tree_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "missing"):
        result = run("check", path, "--system", "repository-context")
        assert result.exit_code == 2 and len(result.stderr.splitlines()) == 1

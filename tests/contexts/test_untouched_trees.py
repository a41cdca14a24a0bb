"""Nothing is written outside of the missing files: the whole tree, Git's index, refs and objects included, before and after."""

from __future__ import annotations

from pathlib import Path

import pytest
from seen_trees import Run, Tree, picture

from migrate.case_trees import git
from migrate.corpora.repository.layout import TEMPLATES


@pytest.fixture
def root(tree: Tree) -> Path:
    """A fleet of a partial, an absent and a foreign context, with work that is not committed, and an index that Git would refresh."""
    committed = {"commits": [{"date": "2026-01-01T00:00:00Z"}]}
    one = tree(
        "fleet/one", standard=["."], without=[".context/index.md", ".context/truth/architecture.md"], git=committed
    )
    tree("fleet/two", files={"README.md": "x"}, git=committed)
    tree("fleet/three", standard=["."], files={".context/manifest.json": '{"protocol": "acme"}'}, git=committed)
    tree("fleet/four", standard=["."], files={".context/manifest.json": '{"schemaVersion": 1, "layout": "standard"}'})
    (one / ".context" / "state" / "current.md").write_text("edited")
    (one / ".context" / "history" / "README.md").touch()
    return one.parent


def test_check_and_plan_write_nothing(run: Run, root: Path) -> None:
    before = picture(root)
    for words in (
        ("check",),
        ("check", "-v"),
        ("plan", "--unsafe-fixes", "--init-absent"),
        ("check", "--format", "sarif"),
    ):
        assert run(words[0], root, *words[1:]).exit_code in (0, 1)
    assert picture(root) == before


@pytest.mark.parametrize("how", ["nobody says yes", "edited plan", "cut plan", "incomplete plan", "a copy"])
def test_a_refused_apply_writes_nothing(run: Run, root: Path, tmp_path: Path, how: str) -> None:
    plan = tmp_path / "plan.jsonl"
    if how == "incomplete plan":
        (root / "broken").mkdir()
        (root / "broken" / ".git").write_text("gitdir: nowhere")
    run("plan", root, "--init-absent", "-o", plan)
    text = plan.read_text("utf-8")
    if how == "edited plan":
        plan.write_text(text.replace("# Architecture", "# Mine", 1), "utf-8")
    if how == "cut plan":
        plan.write_text(text[: text.rindex('{"record"')], "utf-8")
    before = picture(root)
    target = {"nobody says yes": ["--in-place"], "a copy": ["-o", str(tmp_path / "copy")]}.get(
        how, ["--in-place", "--yes"]
    )
    result = run("apply", plan, *target)
    assert result.exit_code == (2 if how == "a copy" else 4), result.output
    assert picture(root) == before


def test_apply_writes_the_missing_files_and_nothing_else(run: Run, root: Path, tmp_path: Path) -> None:
    before = picture(root)
    refs = [
        git(root / name, "for-each-ref") + git(root / name, "ls-files", "--stage") for name in ("one", "two", "three")
    ]
    run("plan", root, "--unsafe-fixes", "--init-absent", "-o", tmp_path / "plan.jsonl")
    result = run("apply", tmp_path / "plan.jsonl", "--in-place", "--yes")
    assert result.exit_code == 0, result.output
    after = picture(root)
    made = {path for path in after if path not in before and Path(path).is_file()}
    assert made == {
        *(str(root / "one" / path) for path in (".context/index.md", ".context/truth/architecture.md")),
        *(str(root / "two" / path) for path in TEMPLATES),
    }
    assert all(Path(path).read_text("utf-8") == TEMPLATES[path[path.index(".context") :]] for path in made)
    changed = {path for path in before if after.get(path, ())[:2] != before[path][:2]}
    assert changed == {str(root / "four" / ".context" / "manifest.json")}
    assert {path for path in before if "/.git" in path and after[path] != before[path]} == set()
    assert refs == [
        git(root / name, "for-each-ref") + git(root / name, "ls-files", "--stage") for name in ("one", "two", "three")
    ]


def test_a_second_plan_has_nothing_to_do_and_undo_brings_everything_back(run: Run, root: Path, tmp_path: Path) -> None:
    before = picture(root)
    options = ("--unsafe-fixes", "--init-absent")
    run("plan", root, *options, "-o", tmp_path / "plan.jsonl")
    run("apply", tmp_path / "plan.jsonl", "--in-place", "--yes")
    assert run("plan", root, *options, "--detailed-exitcode").exit_code == 0
    (run_id,) = [path.parent.name for path in (tmp_path / "workspace").glob("*/runs/*/journal.jsonl")]
    assert run("undo", run_id, "--yes").exit_code == 0
    assert {path: facts[:2] for path, facts in picture(root).items()} == {
        path: facts[:2] for path, facts in before.items()
    }
    again = run("undo", run_id, "--yes")
    assert (again.exit_code, "already as before the run" in again.stdout) == (0, True)

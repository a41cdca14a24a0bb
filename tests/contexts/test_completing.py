"""Apply and undo in working trees: exclusively, never through a link, everything of a scope or nothing, and journalled."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from seen_trees import Run, Tree, picture

from migrate.corpora.repository import writing
from migrate.corpora.repository.layout import TEMPLATES
from migrate.corpora.repository.writing import Blocked, ScopeFiles

TWO = [".context/index.md", ".context/history/README.md"]
Apply = Callable[..., Result]


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree(standard=["."], without=TWO)


@pytest.fixture
def apply(run: Run, root: Path, tmp_path: Path) -> Apply:
    """Plans at once, and applies when it is called."""
    run("plan", root, "-o", tmp_path / "plan.jsonl")
    return lambda: run("apply", tmp_path / "plan.jsonl", "--in-place", "--yes")


def missing(root: Path) -> list[str]:
    return [path for path in TEMPLATES if not (root / path).is_file() or (root / path).is_symlink()]


def occupied_by_a_link(root: Path) -> None:
    (root / TWO[1]).parent.mkdir(exist_ok=True)
    (root / TWO[1]).symlink_to(root.parent / "elsewhere.md")


def occupied_by_a_folder(root: Path) -> None:
    (root / TWO[1]).mkdir(parents=True)


def occupied_by_a_file(root: Path) -> None:
    (root / TWO[1]).parent.mkdir(exist_ok=True)
    (root / TWO[1]).write_text("mine")


def a_linked_folder(root: Path) -> None:
    (root.parent / "outside").mkdir()
    (root / ".context" / "history").symlink_to(root.parent / "outside")


def a_linked_context(root: Path) -> None:
    (root / ".context").rename(root.parent / "moved")
    (root / ".context").symlink_to(root.parent / "moved")


def another_protocol(root: Path) -> None:
    (root / ".context/manifest.json").write_text('{"protocol": "acme"}')


def another_schema(root: Path) -> None:
    (root / ".context/manifest.json").write_text('{"protocol": "repository-context", "schemaVersion": 2}')


@pytest.mark.skipif(os.name == "nt", reason="needs links")
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            occupied_by_a_link,
            ".context/history/README.md is a symbolic link, and nothing is written over it or through it",
        ),
        (occupied_by_a_folder, ".context/history/README.md is a folder, and nothing is written over it or through it"),
        (occupied_by_a_file, ".context/history/README.md is not as the plan saw it"),
        (a_linked_folder, "history is a symbolic link on the way; nothing is written through it"),
        (a_linked_context, ".context is a symbolic link on the way; nothing is written through it"),
        (another_protocol, "its class is unrelated and was partial when the plan was made"),
        (another_schema, "its class is unsupported-schema and was partial when the plan was made"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_a_scope_that_moved_is_left_alone_as_a_whole(
    apply: Apply, root: Path, change: Callable[[Path], None], sentence: str
) -> None:
    change(root)
    before = picture(root.parent)
    result = apply()
    assert result.exit_code == 5
    assert sentence in " ".join(result.stdout.split())
    after = {path: facts for path, facts in picture(root.parent).items() if "/workspace" not in path}
    assert after == {path: facts for path, facts in before.items() if "/workspace" not in path}


def test_what_the_ecosystem_plans_over_a_link_is_planned_and_refused(run: Run, tree: Tree, tmp_path: Path) -> None:
    root = tree(standard=["."], without=TWO, files={TWO[0]: {"symlink": "truth/architecture.md"}})
    plan = run("plan", root, "-o", tmp_path / "plan.jsonl")
    assert plan.exit_code == 0
    line = json.loads((tmp_path / "plan.jsonl").read_text("utf-8").splitlines()[1])
    assert [file["path"] for file in line["patch"]["files"]] == TWO
    assert line["changes"][0]["evidence"] == {"CTX002": {"found": "a symbolic link"}}
    assert run("apply", tmp_path / "plan.jsonl", "--in-place", "--yes").exit_code == 5
    assert missing(root) == TWO


def test_a_failure_in_the_middle_takes_back_what_was_written(
    apply: Apply, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = writing._put

    def full(handle: int, data: bytes) -> None:
        if b"# History" in data:
            raise OSError(errno.ENOSPC, "No space left on device")
        put(handle, data)

    before = {path: facts[:2] for path, facts in picture(root).items()}
    monkeypatch.setattr(writing, "_put", full)
    result = apply()
    assert result.exit_code == 5
    assert "failed: .context/history/README.md: no space left on device" in " ".join(result.stdout.split())
    assert {path: facts[:2] for path, facts in picture(root).items()} == before


def test_an_interrupted_scope_is_finished_by_the_same_command(
    apply: Apply, run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = ScopeFiles.create

    def killed(self: ScopeFiles, path: str, data: bytes) -> None:
        if path == TWO[1]:
            raise KeyboardInterrupt
        create(self, path, data)

    monkeypatch.setattr(ScopeFiles, "create", killed)
    assert apply().exit_code == 130
    assert missing(root) == [TWO[1]]
    monkeypatch.setattr(ScopeFiles, "create", create)
    assert apply().exit_code == 0
    assert missing(root) == []
    journals = list((tmp_path / "workspace").glob("*/runs/*/journal.jsonl"))
    assert len(journals) == 1, "the run was gone on with"
    assert run("undo", journals[0].parent.name, "--yes").exit_code == 0
    assert missing(root) == TWO


def test_a_file_that_appears_at_the_last_moment_is_never_written_over(
    apply: Apply, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = writing._link

    def raced(folder: int | None, waiting: str, name: str, data: bytes) -> None:
        if name.endswith("README.md"):
            (root / TWO[1]).write_text("theirs")
        link(folder, waiting, name, data)

    monkeypatch.setattr(writing, "_link", raced)
    result = apply()
    assert result.exit_code == 5
    assert "something has the name by now; nothing is ever written over it" in " ".join(result.stdout.split())
    assert (root / TWO[1]).read_text() == "theirs"
    assert not (root / TWO[0]).exists(), "the scope's other file was taken back"
    assert sorted(path.name for path in (root / ".context" / "history").iterdir()) == ["README.md"]


def test_a_file_system_without_hard_links(apply: Apply, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*arguments: object, **named: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(writing.os, "link", no_links)
    assert apply().exit_code == 0
    assert missing(root) == []


def test_a_system_without_folder_handles(
    apply: Apply, run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_RELATIVE", False)
    (root / ".context" / "history").mkdir(exist_ok=True)
    assert apply().exit_code == 0
    assert missing(root) == []
    (run_id,) = [path.parent.name for path in (tmp_path / "workspace").glob("*/runs/*/journal.jsonl")]
    assert run("undo", run_id, "--yes").exit_code == 0
    assert missing(root) == TWO
    (root / ".context" / "history").rmdir()
    a_linked_folder(root)
    with pytest.raises(Blocked, match="on the way"):
        ScopeFiles(root, ".", "x").create(TWO[1], b"x")


def test_undo_leaves_a_scope_alone_in_which_a_file_was_edited(
    apply: Apply, run: Run, root: Path, tmp_path: Path
) -> None:
    apply()
    (root / TWO[0]).write_text("mine now")
    before = picture(root)
    (run_id,) = [path.parent.name for path in (tmp_path / "workspace").glob("*/runs/*/journal.jsonl")]
    result = run("undo", run_id, "--yes")
    assert result.exit_code == 5
    assert ".context/index.md was changed since the run" in " ".join(result.stdout.split())
    assert picture(root) == before


def test_undo_removes_the_folders_that_were_made_and_no_other(run: Run, tree: Tree, tmp_path: Path) -> None:
    root = tree(files={"README.md": "x"})
    run("plan", root, "--init-absent", "-o", tmp_path / "plan.jsonl")
    assert run("apply", tmp_path / "plan.jsonl", "--in-place", "--yes").exit_code == 0
    (root / ".context" / "decisions" / "0001.md").write_text("mine")
    (run_id,) = [path.parent.name for path in (tmp_path / "workspace").glob("*/runs/*/journal.jsonl")]
    assert run("undo", run_id, "--yes").exit_code == 0
    left = sorted(path.relative_to(root).as_posix() for path in (root / ".context").rglob("*"))
    assert left == [".context/decisions", ".context/decisions/0001.md"]


def test_a_tree_that_moved_is_found_where_it_is_said_to_be(apply: Apply, run: Run, root: Path, tmp_path: Path) -> None:
    apply()
    (run_id,) = [path.parent.name for path in (tmp_path / "workspace").glob("*/runs/*/journal.jsonl")]
    moved = root.rename(tmp_path / "moved")
    gone = run("undo", run_id, "--yes")
    assert (gone.exit_code, "--at PATH says where it is now" in gone.stderr) == (4, True)
    assert run("undo", run_id, "--at", moved, "--yes").exit_code == 0
    assert missing(moved) == TWO


def test_a_plan_of_another_corpus_is_refused(run: Run, tree: Tree, tmp_path: Path) -> None:
    fleet = tree("fleet/one", standard=["."], without=TWO).parent
    run("plan", fleet, "-o", tmp_path / "plan.jsonl")
    (fleet / "one").rename(fleet / "other")
    result = run("apply", tmp_path / "plan.jsonl", "--in-place", "--yes")
    assert (result.exit_code, "none of the 1 planned records is in it" in result.stderr) == (4, True)
    assert missing(fleet / "other") == TWO


def forged(plan: Path, old: str, new: str) -> None:
    """A plan with other content and the digests that belong to it: what somebody with ill will hands in."""
    import hashlib

    from migrate.applying.deciding import identity_of
    from migrate.planning.plan_file import plan_options

    head, *lines = plan.read_text("utf-8").splitlines(keepends=True)
    lines = [line.replace(old, new) for line in lines]
    header = json.loads(head)
    header["body"] = "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()
    identity = hashlib.sha256("".join(map(identity_of, lines)).encode())
    identity.update(plan_options(header["options"], header["corpus"]["id_form"]))
    header["plan_id"] = identity.hexdigest()[:16]
    plan.write_text(json.dumps(header, separators=(",", ":")) + "\n" + "".join(lines), "utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"path":".context/index.md"', '"path":"../outside.md"'),
        ('"path":".context/index.md"', '"path":".git/hooks/post-commit"'),
        ('"path":".context/index.md"', '"path":".context/other.md"'),
        ('{"record":"."', '{"record":"../elsewhere"'),
        ('{"record":"."', '{"record":"/etc"'),
    ],
)
def test_a_forged_plan_writes_no_other_file(apply: Apply, root: Path, tmp_path: Path, old: str, new: str) -> None:
    forged(tmp_path / "plan.jsonl", old, new)
    before = picture(root)
    result = apply()
    assert result.exit_code == 2, result.output
    assert "is none of a plan of contexts" in result.stderr
    assert picture(root) == before


def test_permissions_of_an_edited_manifest_stay(run: Run, tree: Tree, tmp_path: Path) -> None:
    root = tree(standard=["."], files={".context/manifest.json": '{"schemaVersion": 1, "layout": "standard"}'})
    manifest = root / ".context" / "manifest.json"
    manifest.chmod(0o600)
    run("plan", root, "--unsafe-fixes", "-o", tmp_path / "plan.jsonl")
    assert run("apply", tmp_path / "plan.jsonl", "--in-place", "--yes").exit_code == 0
    assert manifest.read_text() == '{"protocol": "repository-context", "schemaVersion": 1, "layout": "standard"}'
    assert manifest.stat().st_mode & 0o777 == 0o600

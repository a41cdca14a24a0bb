"""The house as CONTRIBUTING.md describes it: which room may use which, how long a file is, what a start loads, what is left unsaid."""

from __future__ import annotations

import ast
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "migrate"
FILES = sorted(PACKAGE.rglob("*.py"))

SHARED = {"types", "naming"}
"""Every room may use these; they use nothing of ours."""
COMPOSITION = {"systems", "rule_cases", "rule_tree_cases", "case_trees"}
"""Put the rooms together; only the command line and tests use them."""
MAY_USE = {
    "engine": set(),
    "corpora": {"engine"},
    "rules": {"engine"},
    "planning": {"rules", "engine"},
    "applying": {"planning", "corpora", "engine", "rules"},
    "reporting": {"results"},
    "sweeps": {"engine", "results"},
    "cli": {"engine", "corpora", "rules", "planning", "applying", "sweeps", "reporting", "results", *COMPOSITION},
    "__main__": {"cli"},
    "__init__": set(),
    "systems": {"corpora", "engine", "rules", "planning", "results"},
    "rule_cases": {"corpora", "engine", "rules", "planning", "systems", "rule_tree_cases"},
    "rule_tree_cases": {"corpora", "systems", "case_trees"},
    "case_trees": {"corpora"},
    "results": set(),
    "types": set(),
    "naming": set(),
}
LATER = {"migrate/reporting/documents.py": {"rules.registry", "cli.reference"}}
"""Files that may use more, inside a function: what they make is made by hand and not in a run."""
SLOW = {"duckdb", "polars", "yaml", "orjson", "numpy", "msgspec", "rustworkx", "zstandard"}
"""Packages whose import a command without a corpus need not wait for."""


def name_of(file: Path) -> str:
    """``migrate/cli/main.py``."""
    return file.relative_to(ROOT).as_posix()


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST, file: Path) -> Iterator[str]:
    """The dotted names of all imports below a node; those for types only count as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = file.relative_to(ROOT).with_suffix("").parts[: -node.level] if node.level else ()
            base = ".".join([*package, *([node.module] if node.module else [])])
            if base == "migrate":
                yield from (f"migrate.{alias.name}" for alias in node.names)
            else:
                # ``from migrate.rules import registry`` names a module too: the room is told by either name.
                yield from (f"{base}.{alias.name}" for alias in node.names)


def ours(tree: ast.AST, file: Path) -> Iterator[str]:
    """Of the imports those of this package, without its name: ``engine.database.Database``."""
    return (name.removeprefix("migrate.") for name in imported(tree, file) if name.startswith("migrate."))


def run_on_import(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported: all but the bodies of functions."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.stmt):
            yield node
        pending += ast.iter_child_nodes(node)


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"), str(file))


def test_there_is_something_to_look_at() -> None:
    assert {room_of(file) for file in FILES} == set(MAY_USE)
    found = {name.partition(".")[0] for file in FILES for name in ours(parsed(file), file)}
    assert {"engine", "corpora", "rules", "planning", "applying", "reporting", "cli", "types"} <= found


def test_relative_and_plain_imports_are_both_seen() -> None:
    text = "from . import b\nfrom ..engine import database\nfrom migrate import types\nimport migrate.cli.main\nimport os\n"
    assert list(ours(ast.parse(text), PACKAGE / "rules" / "a.py")) == [
        "rules.b", "engine.database", "types", "cli.main",
    ]  # fmt: skip


@pytest.mark.parametrize("room", sorted(MAY_USE))
def test_imports_follow_the_arrows(room: str) -> None:
    may = MAY_USE[room] | SHARED | {room, "__version__"}
    against = []
    for file in (file for file in FILES if room_of(file) == room):
        names = set(ours(parsed(file), file))
        more = LATER.get(name_of(file), set())
        allowed = {name for name in names if any(f"{name}.".startswith(f"{module}.") for module in more)}
        against += [f"{name_of(file)} uses {name}" for name in sorted(names - allowed) if name.split(".")[0] not in may]
    assert against == []


def test_what_documents_are_made_from_is_read_when_they_are_made() -> None:
    for name, modules in LATER.items():
        file = ROOT / name
        at_once = {found for node in run_on_import(parsed(file)) for found in ours(node, file)}
        assert not {found for found in at_once if any(found.startswith(module) for module in modules)}
        assert modules <= {".".join(found.split(".")[:2]) for found in ours(parsed(file), file)}


def test_what_all_rooms_share_uses_nothing_of_ours() -> None:
    assert [list(ours(parsed(PACKAGE / f"{name}.py"), PACKAGE / f"{name}.py")) for name in sorted(SHARED)] == [[], []]


def test_files_stay_short() -> None:
    lengths = {name_of(file): len(file.read_text("utf-8").splitlines()) for file in FILES}
    assert {name: length for name, length in lengths.items() if length > 400} == {}
    assert statistics.median(lengths.values()) <= 120


def test_no_module_prints() -> None:
    printing = [
        f"{name_of(file)}:{node.lineno}"
        for file in FILES
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Name) and node.id == "print"
    ]
    assert printing == []


def test_names_of_test_files_are_unique() -> None:
    """They are imported by name alone, helpers and rule cases too."""
    names = Counter(file.name for file in (ROOT / "tests").rglob("*") if file.suffix in {".py", ".yml"})
    assert {name for name, count in names.items() if count > 1} <= {"conftest.py"}
    assert names["test_architecture.py"] == 1


def test_the_command_line_starts_without_the_engine() -> None:
    slow = []
    for file in (file for file in FILES if room_of(file) == "cli"):
        for node in run_on_import(parsed(file)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                slow += [f"{name_of(file)}: {name}" for name in imported(node, file) if name.split(".")[0] in SLOW]
    assert slow == []


def texts() -> Iterator[Path]:
    """The files of the repository: none that tools or runs leave behind."""
    left_behind = {"__pycache__", "build", "dist"}
    for path in sorted(ROOT.iterdir()):
        if path.is_file():
            yield path
        elif path.name == "reports":
            yield from (path / "examples").rglob("*")
        elif path.name not in left_behind and (not path.name.startswith(".") or path.name == ".ci"):
            yield from (file for file in path.rglob("*") if not left_behind & set(file.parts))


def test_no_file_names_the_machine_or_a_registry() -> None:
    words = [head + tail for head, tail in (("/ro", "ot/"), ("pypi", ".org"), ("files.python", "hosted"))]
    named, looked_at = [], 0
    for path in texts():
        if not path.is_file():
            continue
        looked_at += 1
        data = path.read_bytes()
        named += [f"{path.relative_to(ROOT)}: {word}" for word in words if word.encode() in data]
    assert named == []
    assert looked_at > len(FILES)
